#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Install the Debian packages that are needed and not there yet.
#
# usage: deps.sh [PACKAGE...]	(what is needed in addition)

. "$(dirname "$0")/lib.sh"

# build and fetch
packages='gcc make flex bison bc libc6-dev libelf-dev libssl-dev perl python3 patch rsync kmod
	cpio xz-utils gzip findutils diffutils gawk util-linux git ca-certificates debian-archive-keyring'
# virtual machines (iasl: acpica-tools)
packages="$packages qemu-system-x86 busybox-static acpica-tools"
# checks
packages="$packages quilt shellcheck bash-static"

missing=
for p in $packages "$@"; do
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] ||
		missing="$missing $p"
done
[ -n "$missing" ] || exit 0

say "installing Debian packages:$missing"
case "$missing " in
*' busybox-static '*)
	[ "$(dpkg-query -W -f '${db:Status-Status}' busybox 2>/dev/null)" != installed ] ||
		say "busybox-static takes the place of busybox" ;;
esac
need_tmp
every 10 say "still installing"
need_root "install these packages and try again:$missing"
install()
{
	# shellcheck disable=SC2086	# lists
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing
}

# The package lists may be there or not, or be too old.
install > "$tmp/log" 2>&1 || {
	$as_root apt-get -q update > "$tmp/log" 2>&1 || {
		tail -n 3 "$tmp/log" >&2
		die "cannot update the package lists, see above"
	}
	install > "$tmp/log" 2>&1 || {
		tail -n 5 "$tmp/log" >&2
		die "cannot install packages, see above"
	}
}
