#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build sparse in build/sparse, from Debian's source package: the sparse of Debian 12 is
# too old for the kernel, whose Makefile goes on without it in that case.
#
# usage: sparse.sh	(prints the path)

. "$(dirname "$0")/lib.sh"

suite=forky
out=$top/build/sparse

if [ -x "$out/sparse" ]; then
	echo "$out/sparse"
	exit
fi

need_mirrors "for the source of sparse to come from"
mkdir -p "$build"
need_space 60000
need_tmp
say "getting the source of sparse from $suite"
every 10 say "still at it"
found=
for site in $sites; do
	setup_apt "deb-src" "$site" "$suite"
	# The package is checked against lists that are signed.
	apt get update > "$tmp/log" 2>&1 &&
		(cd "$tmp" && apt get --download-only source sparse) > "$tmp/log" 2>&1 && found=$site && break
done
[ -n "$found" ] ||
	die "no source of sparse in $suite ($(grep -m 1 '^[EW]:' "$tmp/log" || echo 'no reason given')), try again"
mkdir "$tmp/sparse"
tar -C "$tmp/sparse" --strip-components=1 -xf "$tmp"/sparse_*.orig.tar.*
say "building $(cd "$tmp" && echo sparse_*.dsc)"
make -C "$tmp/sparse" -j2 sparse HAVE_LLVM=no HAVE_SQLITE=no HAVE_GTK=no > "$tmp/log" 2>&1 ||
	die "sparse does not build: $(grep -m 1 -E 'error|Error' "$tmp/log" || tail -n 1 "$tmp/log")"
quiet
"$base/scripts/checker-valid.sh" "$tmp/sparse/sparse" | grep -qx 1 ||
	die "the sparse in $suite is too old for Linux $(base_version), see checker-valid.sh there"
mkdir -p "$out"
mv "$tmp/sparse/sparse" "$out/sparse"
echo "$out/sparse"
