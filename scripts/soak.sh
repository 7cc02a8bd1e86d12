#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Take many random steps in virtual machines and compare them with the model: see
# tools/testing/selftests/cpufreq/eas_model.c.  The results are added to build/soak.log.
#
# usage: soak.sh	(STEPS: how many of them on each machine, default 20000; SEED: of
#			 the first part, default from the clock; MACHINES)

. "$(dirname "$0")/lib.sh"

: "${STEPS:=20000}" "${SEED:=$(date +%s)}"
: "${MACHINES:=lunar-lake=PLPL meteor-lake=PPEELL raptor-lake=PPEE strix-point=PPEE epyc=CCC amd-shmem=PE}"
case $STEPS in
''|*[!0-9]*|0) die "STEPS=$STEPS is not a number of steps" ;;
esac
# As many as fit in the time that a part has, on a slow machine, too.
part=2000
log=$top/build/soak.log

cd "$top"
need_tmp
total=0 seed=$SEED
for m in $MACHINES; do
	left=$STEPS
	while [ "$left" -gt 0 ]; do
		[ "$left" -lt $part ] && n=$left || n=$part
		say "${m%=*}: $n steps, seed $seed, $left left there"
		every 30 say "still at it"
		status=0
		TIMEOUT=3600 tools/testing/vhybrid/run-model "${m%=*}" "${m#*=}" "$n" "$seed" \
			> "$tmp/out" 2> "$tmp/err" || status=$?
		quiet
		if [ $status -ne 0 ]; then
			cat "$tmp/out" "$tmp/err" >&2
			echo "$(date +%F) ${m%=*} ${m#*=}: $n steps, seed $seed: FAILED" >> "$log"
			die "${m%=*} does not agree with the model, 'run-model ${m%=*} ${m#*=} $n $seed' shows it again"
		fi
		total=$((total + n))
		echo "$(date +%F) ${m%=*} ${m#*=}: $n steps, seed $seed" >> "$log"
		left=$((left - n))
		seed=$((seed + 1))
	done
done
echo "$total random steps agree with the model"
