#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Change everything at the same time (see tools/testing/vhybrid/guest/races.sh) under
# KASAN, UBSAN and kmemleak, under KCSAN, and with PREEMPT_RT.  The results are added to
# build/sanitize.log.
#
# usage: sanitize.sh	(ROUND: seconds for each of three rounds, four on AMD, default 100;
#			 VARIANTS: kernels; MACHINES)

. "$(dirname "$0")/lib.sh"

: "${ROUND:=100}" "${VARIANTS:=kasan kcsan rt}"
: "${MACHINES:=lunar-lake=PLP meteor-lake=PEL strix-point=PPE amd-shmem=PE}"
case $ROUND in
''|*[!0-9]*|0) die "ROUND=$ROUND is not a number of seconds" ;;
esac
log=$top/build/sanitize.log

cd "$top"
need_tmp

# one VARIANT MACHINE=CORES
one()
{
	variant=$1 machine=${2%=*} cores=${2#*=}
	what="$variant, $machine $cores: rounds of $ROUND s"
	image=$(KERNEL=patched-$variant scripts/kernel.sh print)
	set -- --file tools/testing/vhybrid/guest/lib.sh
	for f in "${image%/arch/*}"/drivers/power/supply/test_power.ko "${image%/arch/*}"/drivers/cpufreq/cpufreq_*.ko; do
		[ ! -e "$f" ] || set -- "$@" --file "$f"
	done
	say "$what"
	every 30 say "still at it"
	status=0
	tools/testing/vhybrid/vhybrid run --kernel "$image" --machine "$machine" --cores "$cores" \
		--timeout $((ROUND * 16 + 900)) --log "build/sanitize-$variant-$machine.log" "$@" \
		-- tools/testing/vhybrid/guest/races.sh "$ROUND" > "$tmp/out" 2> "$tmp/err" || status=$?
	quiet
	cat "$tmp/out"
	if [ $status -ne 0 ]; then
		cat "$tmp/err" >&2
		what="$what: FAILED"
		failed="$failed $variant-$machine"
	fi
	echo "$(date +%F) $what" >> "$log"
}

failed=
for v in $VARIANTS; do
	KERNEL=patched-$v scripts/kernel.sh
	for m in $MACHINES; do
		one "$v" "$m"
	done
done
[ -z "$failed" ] || die "there are failures:$failed; kernel logs are in build/sanitize-*.log"
echo "no reports"
