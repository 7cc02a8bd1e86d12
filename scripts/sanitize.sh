#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Change everything at the same time (see tools/testing/vhybrid/guest/races.sh) under
# KASAN, UBSAN and kmemleak, and under KCSAN, and run the model-based test and races with
# PREEMPT_RT.  The results are added to build/sanitize.log.
#
# usage: sanitize.sh	(SECONDS_EACH: how long on each machine with each kernel, default 300;
#			 V: kernels, default "kasan kcsan rt"; M: machines, default four)

. "$(dirname "$0")/lib.sh"

: "${SECONDS_EACH:=300}" "${V:=kasan kcsan rt}" "${M:=lunar-lake meteor-lake strix-point amd-shmem}"
case $SECONDS_EACH in
''|*[!0-9]*|0) die "SECONDS_EACH=$SECONDS_EACH is not a number of seconds" ;;
esac
vhybrid=tools/testing/vhybrid
log=$top/build/sanitize.log

cd "$top"
need_tmp

# one VARIANT MACHINE: races there, three or four rounds of them
one()
{
	obj=build/$BASE/src-patched/obj-$1
	rounds=3 cores=PEL
	case $2 in
	lunar-lake) cores=PLP ;;
	strix-point) rounds=4 cores=PPE ;;
	amd-shmem) rounds=4 cores=PE ;;
	esac
	set -- "$1" "$2" --file "$vhybrid/guest/lib.sh" --file "$obj/drivers/power/supply/test_power.ko"
	for g in conservative ondemand userspace; do
		[ ! -e "$obj/drivers/cpufreq/cpufreq_$g.ko" ] ||
			set -- "$@" --file "$obj/drivers/cpufreq/cpufreq_$g.ko"
	done
	name=$1-$2 machine=$2
	shift 2
	say "$name: $SECONDS_EACH s of races"
	every 30 say "still at it"
	status=0
	"$vhybrid/vhybrid" run --kernel "$obj/arch/x86/boot/bzImage" --machine "$machine" \
		--cores "$cores" --timeout $((SECONDS_EACH * 4 + 900)) --log "build/sanitize-$name.log" \
		"$@" -- "$vhybrid/guest/races.sh" $(((SECONDS_EACH + rounds - 1) / rounds)) \
		> "$tmp/out" 2> "$tmp/err" || status=$?
	quiet
	cat "$tmp/out"
	if [ $status -ne 0 ]; then
		cat "$tmp/err" >&2
		echo "$(date +%F) $name: $SECONDS_EACH s of races: FAILED" >> "$log"
		failed="$failed $name"
		return
	fi
	echo "$(date +%F) $name: $SECONDS_EACH s of races" >> "$log"
}

failed=
for v in $V; do
	KERNEL=patched-$v scripts/kernel.sh
	for m in $M; do
		one "$v" "$m"
	done
done
[ -z "$failed" ] || die "there are failures:$failed; kernel logs are in build/sanitize-*.log"
echo "no reports"
