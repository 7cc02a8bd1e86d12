#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Does every patch, on top of those before it, build without a warning that the base does
# not have (W=1, the directories that the series touches)?  With BOOT=1, does the kernel
# boot on an Intel and on an AMD machine, with nothing in the log, and does it pass the
# tests that are there by then?
#
# usage: bisect.sh	(BOOT=1: boot them all, too, which takes an hour)

. "$(dirname "$0")/lib.sh"

: "${BOOT:=}"
src=$build/src-bisect
obj=$src/obj${BOOT:+-boot}
log=$build/bisect.log
vhybrid=$top/tools/testing/vhybrid
fragments="$top/kernel/configs/vhybrid.config $top/kernel/configs/vhybrid-series.config"
selftests=tools/testing/selftests/cpufreq

need_base
exec 9> "$build/bisect.lock"
flock -n 9 || die "another 'make bisect' is running here, wait for it"
need_tmp

need_source
# Every run begins with the base, but keeps the objects of the last one.
touched | while read -r f; do
	if [ ! -f "$base/$f" ]; then
		rm -f "$src/$f"
	elif ! cmp -s "$base/$f" "$src/$f"; then
		cp "$base/$f" "$src/$f"
	fi
done
[ -z "$BOOT" ] || "$vhybrid/apply-overlay" "$src"
kernel_env

# Whole directories, because some files are included by others, unless they are large
targets=$(touched | sed -n '/^\(kernel\|drivers\)\/.*\.c$/p' | while read -r f; do
	d=$(dirname "$f")
	if [ "$(find "$base/$d" -name '*.c' | wc -l)" -le 200 ]; then
		echo "$d/"
	else
		echo "${f%.c}.o"
	fi
done | sort -u)
[ -z "$BOOT" ] || targets=all
jobs=$(nproc)
echo 'exit 0' > "$tmp/up"

# build NAME [PATCH]: what there is now, warnings in $tmp/warnings
build()
{
	: > "$tmp/log"
	if [ $# -eq 1 ] || grep -q '^+++ b/.*Kconfig' "$2"; then
		# shellcheck disable=SC2086	# a list
		configure $fragments > "$tmp/log" 2>&1 ||
			die "$1: cannot configure the kernel: $(tail -n 1 "$tmp/log")"
	fi
	# shellcheck disable=SC2086	# a list
	if ! mk -j"$jobs" W=1 $targets >> "$tmp/log" 2>&1 ||
	   { [ -f "$src/$selftests/eas_lib.sh" ] &&
	     ! make -C "$src/$selftests" OUTPUT="$tmp/selftests" 9>&- >> "$tmp/log" 2>&1; }; then
		cat "$tmp/log" >> "$log"
		grep -m 5 -E 'error:|Error|undefined' "$tmp/log" >&2 || tail -n 5 "$tmp/log" >&2
		die "$1 does not build, see build/$BASE/bisect.log"
	fi
	cat "$tmp/log" >> "$log"
	# Regardless of where in the file that is
	sed -n 's/:[0-9]*:[0-9]*: warning:/: warning:/p' "$tmp/log" | sort -u > "$tmp/warnings"
}

# boot NAME: and run the tests
boot()
{
	image=$obj/arch/x86/boot/bzImage
	for m in lunar-lake=PPLL strix-point=PE; do
		attempt "$1" "$vhybrid/vhybrid" run --kernel "$image" --machine "${m%=*}" --cores "${m#*=}" \
			-- "$tmp/up"
	done
	suites=
	for s in cpufreq_eas intel_pstate_epp amd_pstate_epp; do
		! grep -qs "\"$s\"" "$src"/drivers/cpufreq/tests/*.h || suites="$suites $s"
	done
	# shellcheck disable=SC2086	# a list
	[ -z "$suites" ] || attempt "$1" env KERNEL_IMAGE="$image" "$vhybrid/run-kunit" lunar-lake $suites
	for t in eas_gate epp_ownership; do
		[ ! -f "$src/$selftests/$t.sh" ] ||
			attempt "$1" "$vhybrid/run-kselftest" lunar-lake "$t.sh" --kernel "$image"
	done
}

# attempt NAME COMMAND...: nothing in what it prints must have failed
attempt()
{
	name=$1
	shift
	status=0
	"$@" > "$tmp/out" 2>&1 || status=$?
	cat "$tmp/out" >> "$log"
	if [ $status -ne 0 ] || grep -q '^ *not ok' "$tmp/out"; then
		grep -m 5 -E '^ *not ok|vhybrid:|Bail' "$tmp/out" >&2 || :
		die "$name: ${1##*/} fails, see build/$BASE/bisect.log"
	fi
}

start=$(date +%s)
count=$(series | wc -l)
i=0
progress()
{
	say "$(cat "$tmp/i") of $count patches after $(($(date +%s) - start)) s"
}

: > "$log"
echo 0 > "$tmp/i"
every 20 progress
build "the base"
# Those of objects that had been there before have been seen before.
known=$src.warnings${BOOT:+-boot}
[ ! -f "$known" ] || cat "$known" >> "$tmp/warnings"
sort -u "$tmp/warnings" > "$tmp/base"
cp "$tmp/base" "$known"
for p in $(series); do
	patch -d "$src" -p1 -s -f --fuzz=0 --no-backup-if-mismatch -r - -i "$patches/$p" >> "$log" 2>&1 ||
		die "$p does not apply"
	build "$p" "$patches/$p"
	if comm -13 "$tmp/base" "$tmp/warnings" | grep . >&2; then
		die "$p makes the compiler warn"
	fi
	[ -z "$BOOT" ] || boot "$p"
	i=$((i + 1))
	echo $i > "$tmp/i"
done
quiet
for f in $(series_files); do
	cmp -s "$src/$f" "$top/$f" || die "$f is not what the patches add up to"
done
echo "$i patches build without a new warning${BOOT:+, boot and pass their tests}, $(wc -l < "$tmp/base") warnings in the base, $(($(date +%s) - start)) s"
