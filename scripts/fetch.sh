#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Get the base kernel: from Debian, or a copy of the tree that KSRC points to.

. "$(dirname "$0")/lib.sh"

suite=trixie-backports
package=linux-source-$BASE
# Measured: 0.3 GB for the package and the archive in it.
package_kb=400000
stamp=$build/base.id

# Make what is in directory $1 the base, with identification $2.
install_base()
{
	rm -f "$stamp"
	rm -rf "$base"
	mv "$1" "$base"
	echo "$2" > "$stamp"
	say "Linux $(base_version) is in build/$BASE/base"
}

check_tree()
{
	for f in Makefile Kbuild kernel/sched/topology.c; do
		[ -f "$1/$f" ] || die "KSRC=$1 is not a kernel tree"
	done
	v=$(awk '$1 == "VERSION" { v = $3 } $1 == "PATCHLEVEL" { print v "." $3; exit }' "$1/Makefile")
	[ "$v" = "$BASE" ] ||
		die "KSRC=$1 is Linux $v, but the series is for $BASE (see BASE in 'make help')"
}

# The archive on stdin to $tmp/linux
unpack()
{
	tar -C "$tmp/linux" -xf - 2> "$tmp/log" || die "cannot copy KSRC=$KSRC: $(head -n 1 "$tmp/log")"
	[ ! -e "$tmp/failed" ] || die "cannot read KSRC=$KSRC"
}

copy_ksrc()
{
	check_tree "$KSRC"
	src=$(cd "$KSRC" && pwd)
	case $top/ in
	"$src"/*) die "KSRC=$KSRC contains this repository, it cannot be copied into itself" ;;
	esac

	if git -C "$src" rev-parse --verify -q HEAD >/dev/null 2>&1 &&
	   [ "$(git -C "$src" rev-parse --show-toplevel)" = "$src" ]; then
		id="git $src $(git -C "$src" rev-parse HEAD)"
		[ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$id" ] || return 0
		[ -z "$(git -C "$src" status --porcelain -uno)" ] ||
			say "uncommitted changes in KSRC=$KSRC are left out"
		need_space $tree_kb
		need_tmp
		say "copying HEAD of $KSRC"
		mkdir "$tmp/linux"
		{ git -C "$src" archive HEAD || : > "$tmp/failed"; } | unpack
	else
		id="copy $src $(find "$src" -name .git -prune -o -type f -printf '%T@ %s %P\n' |
			sort | sha256sum | cut -c1-16)"
		[ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$id" ] || return 0
		need_space $tree_kb
		need_tmp
		say "copying $KSRC"
		mkdir "$tmp/linux"
		{ tar -C "$src" --exclude=./.git -cf - . || : > "$tmp/failed"; } | unpack
		# It may have been built in.
		[ ! -f "$tmp/linux/.config" ] || make -s -C "$tmp/linux" mrproper
	fi
	install_base "$tmp/linux" "$id"
}

fetch_debian()
{
	[ ! -f "$stamp" ] || ! grep -q '^debian ' "$stamp" || return 0

	need_mirrors "or use KSRC="
	need_space $((tree_kb + package_kb))
	need_tmp

	found=
	for site in $sites; do
		setup_apt deb "$site" $suite
		say "looking for $package in $suite"
		apt get update > "$tmp/log" 2>&1 && found=$site && break
	done
	[ -n "$found" ] ||
		die "mirror unreachable or without $suite ($(grep -m 1 '^[EW]:' "$tmp/log" || echo 'no reason given')), try again or use KSRC="

	version=$(apt cache policy "$package" | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }')
	[ -n "$version" ] || die "$package is not in $suite of this machine's mirror, use KSRC="

	say "downloading $package $version (160 MiB)"
	every 10 say "still downloading"
	(cd "$tmp" && apt get download "$package=$version") > "$tmp/log" 2>&1 ||
		die "cannot download $package ($(grep -m 1 '^E:' "$tmp/log" || tail -n 1 "$tmp/log")), try again"

	quiet
	say "unpacking"
	every 10 say "still unpacking"
	dpkg-deb --fsys-tarfile "$tmp/$package"_*.deb |
		tar -C "$tmp" -xf - "./usr/src/$package.tar.xz"
	rm "$tmp/$package"_*.deb
	mkdir "$tmp/linux"
	tar -C "$tmp/linux" --strip-components=1 -xf "$tmp/usr/src/$package.tar.xz"
	quiet
	install_base "$tmp/linux" "debian $package $version"
}

mkdir -p "$build"
if [ -n "$KSRC" ]; then
	[ -d "$KSRC" ] || die "KSRC=$KSRC is not a directory"
	copy_ksrc
else
	fetch_debian
fi
