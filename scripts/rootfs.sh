#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Make build/rootfs, a Debian userland with the programs that manage energy profiles,
# for vhybrid --rootfs.  It is made once, and again if what is in it changes here.

. "$(dirname "$0")/lib.sh"

suite=trixie
rootfs=$top/build/rootfs
# Measured: 0.2 GB, and as much while it is being made.
rootfs_kb=600000

include=dbus,procps,polkitd,pkexec,power-profiles-daemon,tuned,linux-cpupower,gamemode
# The package conflicts with power-profiles-daemon, but they do not run at the same time
# here.
unpacked=tlp
id="$suite $include $unpacked $(sha256sum < "$0" | cut -c 1-16)"

# Checks that run at the same time share it.
mkdir -p "$top/build"
exec 9> "$rootfs.lock"
flock 9
[ ! -f "$rootfs.id" ] || [ "$(cat "$rootfs.id")" != "$id" ] || exit 0

"$top/scripts/deps.sh" mmdebstrap
need_mirrors "for a userland to come from"

mkdir -p "$build"
need_space $rootfs_kb
need_root "a userland cannot be made otherwise"
need_tmp
rm -f "$rootfs.id"
$as_root rm -rf "$rootfs" "$rootfs.new"

say "making a userland of Debian $suite in build/rootfs"
every 10 say "still at it"
made=
for site in $sites; do
	# shellcheck disable=SC2016	# the dollar sign is for the shell of the hook
	if $as_root mmdebstrap --variant=minbase --mode=root --format=directory \
		--include="$include" --aptopt='Acquire::Languages "none"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--customize-hook='chroot "$1" sh -ec "cd /tmp && apt-get -q download '"$unpacked"' && for d in *.deb; do dpkg -x \$d /; done && rm *.deb"' \
		$suite "$rootfs.new" "deb [signed-by=$keyring] $site $suite main" > "$tmp/log" 2>&1; then
		made=yes
		break
	fi
	$as_root rm -rf "$rootfs.new"
done
quiet
[ -n "$made" ] ||
	die "cannot make a userland ($(grep -m 1 '^E:' "$tmp/log" || tail -n 1 "$tmp/log")), try again"
$as_root mv "$rootfs.new" "$rootfs"
echo "$id" > "$rootfs.id"
