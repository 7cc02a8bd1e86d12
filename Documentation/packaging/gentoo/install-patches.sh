#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Make the series user patches of a kernel package of Gentoo, and its options part of what
# distribution kernels are configured with.  Run it from the unpacked tarball.
#
# usage: install-patches.sh [CATEGORY/PACKAGE-VERSION]	(ROOT=/elsewhere)

set -eu

die()
{
	echo "install-patches: $*" >&2
	exit 1
}

dir=$(cd "$(dirname "$0")/../.." && pwd)
[ -f "$dir/patches/series" ] || die "there are no patches in $dir, run this from the tarball of the series"
package=${1:-sys-kernel/gentoo-kernel-$(cat "$dir/patches/base")}
to=${ROOT:-}/etc/portage/patches/$package
config=${ROOT:-}/etc/kernel/config.d

# Portage applies them in this order, it knows no series files.
series=$(sed '/^#/d; /^$/d' "$dir/patches/series")
echo "$series" | LC_ALL=C sort -c 2> /dev/null ||
	die "the names of the patches do not sort in the order of patches/series, rename them"
[ ! -e "$to" ] || die "$to exists already, remove it first"

mkdir -p "$to" "$config"
echo "$series" | while read -r p; do
	cp "$dir/patches/$p" "$to/"
done
cp "$dir/packaging/cpufreq-eas.config" "$config/"
echo "$(echo "$series" | wc -l) patches in $to, options in $config/cpufreq-eas.config"
