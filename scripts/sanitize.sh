#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Change everything at the same time (see tools/testing/vhybrid/guest/races.sh) under
# KASAN, UBSAN and kmemleak, and under KCSAN, and have the kernel's own tests load
# governors.  With PREEMPT_RT, run a short list of checks.  The results are added to
# build/sanitize.log.
#
# usage: sanitize.sh	(ROUND: seconds for each of three rounds, four on AMD, default 100,
#			 a tenth of it with PREEMPT_RT; VARIANTS: kernels; MACHINES)

. "$(dirname "$0")/lib.sh"

: "${ROUND:=100}" "${VARIANTS:=kasan kcsan rt}"
: "${MACHINES:=lunar-lake=PLP meteor-lake=PEL strix-point=PPE amd-shmem=PE}"
case $ROUND in
''|*[!0-9]*|0) die "ROUND=$ROUND is not a number of seconds" ;;
esac
log=$top/build/sanitize.log

cd "$top"
need_tmp

# note STATUS NAME DESCRIPTION: of what has ended with STATUS
note()
{
	if [ "$1" -ne 0 ]; then
		set -- "$1" "$2" "$3: FAILED"
		failed="$failed $2"
	fi
	echo "$(date +%F) $3" >> "$log"
}

# attempt NAME DESCRIPTION COMMAND...: show what it prints and take note of how it ends
attempt()
{
	name=$1 what=$2
	shift 2
	say "$what"
	every 30 say "still at it"
	status=0
	"$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	quiet
	cat "$tmp/out"
	[ $status -eq 0 ] || cat "$tmp/err" >&2
	note $status "$name" "$what"
}

# races VARIANT MACHINE=CORES SECONDS
races()
{
	variant=$1 machine=${2%=*} cores=${2#*=} seconds=$3
	image=$(KERNEL=patched-$variant scripts/kernel.sh print)
	set -- --file tools/testing/vhybrid/guest/lib.sh
	for f in "${image%/arch/*}"/drivers/power/supply/test_power.ko "${image%/arch/*}"/drivers/cpufreq/cpufreq_*.ko; do
		[ ! -e "$f" ] || set -- "$@" --file "$f"
	done
	attempt "$variant-$machine" "$variant, $machine $cores: races, rounds of $seconds s" \
		tools/testing/vhybrid/vhybrid run --kernel "$image" --machine "$machine" --cores "$cores" \
		--timeout $((seconds * 16 + 900)) --log "build/sanitize-$variant-$machine.log" "$@" \
		-- tools/testing/vhybrid/guest/races.sh "$seconds"
}

# governors VARIANT MACHINE=CORES: as modules
governors()
{
	attempt "$1-${2%=*}" "$1, ${2%=*} ${2#*=}: modtest, sptest1" \
		env LOOPS=20 KERNEL_IMAGE="$(KERNEL=patched-$1 scripts/kernel.sh print)" \
		tools/testing/vhybrid/run-cpufreq-tests "${2%=*}" "${2#*=}" modtest sptest1
}

failed=
for v in $VARIANTS; do
	KERNEL=patched-$v scripts/kernel.sh
	seconds=$ROUND
	if [ "$v" = rt ]; then
		short='kunit gate-lunar-lake own-lunar-lake own-strix-point
			model-lunar-lake model-strix-point'
		status=0
		KERNEL=patched-rt T=$short scripts/check.sh || status=$?
		note $status rt-checks "rt: $(echo "$short" | xargs)"
		seconds=$((ROUND / 10 + 1))
	fi
	for m in $MACHINES; do
		races "$v" "$m" "$seconds"
	done
	if [ "$v" = kasan ]; then
		for m in $MACHINES; do
			governors "$v" "$m"
		done
	fi
done
[ -z "$failed" ] || die "there are failures:$failed; kernel logs are in build/sanitize-*.log"
echo "no reports"
