#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the test kernel: the base, the series unless KERNEL=plain, and the
# emulated hardware on top.
#
# usage: kernel.sh [print]

. "$(dirname "$0")/lib.sh"

tree=${KERNEL%%-*}
variant=${KERNEL#"$tree"}
case $KERNEL in
patched|plain|patched-bench|plain-bench|patched-kasan|patched-kcsan|patched-rt)
	;;
*)
	die "KERNEL=$KERNEL is neither 'patched' nor 'plain', nor one of them with -bench, nor 'patched' with -kasan, -kcsan or -rt" ;;
esac

src=$build/src-$tree
# In the source tree, so that no path in there depends on which of the two it is.
obj=$src/obj$variant
log=$build/kernel-$KERNEL.log
stamp=$build/kernel-$KERNEL.stamp
image=$obj/arch/x86/boot/bzImage
vhybrid=$top/tools/testing/vhybrid

if [ "${1-}" = print ]; then
	echo "$image"
	exit
fi

need_base

fragments=$top/kernel/configs/vhybrid.config
wanted=$fragments
if [ "$tree" = patched ] && [ "$variant" != -bench ]; then
	fragments="$fragments $top/kernel/configs/vhybrid-series.config"
	wanted=$fragments
fi
if [ -n "$variant" ]; then
	# It may take back some of the first one.
	wanted=$top/kernel/configs/vhybrid$variant.config
	fragments="$fragments $wanted"
fi

# Everything that has an influence on the result.
inputs()
{
	cat "$build/base.id"
	${CC:-gcc} --version
	# shellcheck disable=SC2086	# a list
	cat $fragments "$vhybrid"/kernel/* "$vhybrid/apply-overlay" "$top/scripts/kernel.sh" "$top/scripts/lib.sh"
	[ "$tree" = plain ] || {
		series | while read -r p; do cat "$patches/$p"; done
		series_files | while read -r f; do cat "$top/$f"; done
	}
}

id=$(inputs | sha256sum)
if [ -f "$image" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$id" ]; then
	exit
fi

# One build at a time, for each of them takes all of the CPUs.
exec 9> "$build/kernel.lock"
flock -n 9 || die "another 'make kernel' is running here, wait for it"

if [ "$tree" = patched ]; then
	series_files | while read -r f; do
		grep -qx "+++ b/$f" "$patches"/*.patch || die "no patch adds $f, run 'make series'"
	done
fi

need_tmp

need_source
# Only replace files that change, so that the build is incremental.
mkdir "$tmp/tree"
if [ "$tree" = patched ]; then
	touched > "$tmp/touched"
	copy_files "$base" "$tmp/tree" < "$tmp/touched"
	apply_series "$tmp/tree"
	for f in $(series_files); do
		cmp -s "$tmp/tree/$f" "$top/$f" ||
			die "$f differs from what the patches add, run 'make series' or 'make sources'"
	done
	# What the series used to touch goes back to what it was.
	if [ -f "$src.touched" ]; then
		comm -23 "$src.touched" "$tmp/touched" | while read -r f; do
			if [ -f "$base/$f" ]; then
				cp -p "$base/$f" "$src/$f"
				touch "$src/$f"
			else
				rm -f "$src/$f"
			fi
		done
	fi
	(cd "$tmp/tree" && find . -type f) | while read -r f; do
		cmp -s "$tmp/tree/$f" "$src/$f" && continue
		mkdir -p "$(dirname "$src/$f")"
		cp "$tmp/tree/$f" "$src/$f"
	done
	cp "$tmp/touched" "$src.touched"
fi
"$vhybrid/apply-overlay" "$src"

kernel_env
mkdir -p "$obj"
# shellcheck disable=SC2086	# a list
configure $fragments > "$log" 2>&1 || die "cannot configure the kernel: $(tail -n 1 "$log")"
for f in $wanted; do
	"$vhybrid/check-config" "$obj/.config" "$f" || die "the configuration lacks something, see above"
done

jobs=$(nproc)
say "building the $KERNEL kernel with $jobs jobs, log in build/$BASE/kernel-$KERNEL.log"
start=$(date +%s)
progress()
{
	say "$(($(date +%s) - start)) s, $(grep -Ec '^ +(CC|AS|LD|AR) ' "$log" || :) objects"
}
every 10 progress
if ! mk -j"$jobs" all >> "$log" 2>&1; then
	grep -m 5 -E 'error:|Error|undefined' "$log" >&2 || tail -n 5 "$log" >&2
	die "the kernel does not build, see build/$BASE/kernel-$KERNEL.log"
fi
quiet
if grep -m 5 'warning:' "$log" >&2; then
	say "there are warnings"
fi

echo "$id" > "$stamp"
say "built in $(($(date +%s) - start)) s: ${image#"$top/"}"
