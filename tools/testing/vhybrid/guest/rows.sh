#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
# shellcheck disable=SC2013	# there is one word in every line
#
# The rows for Intel of the truth table in Documentation/cpu-freq/eas.rst, as
# cpufreq_ready_for_eas() answers for each CPU.  That works on machines where EAS
# is never used too, which is where the kselftest cannot see anything.
#
# usage: rows.sh hybrid|hwp|nohwp	(hwp: HWP with EPP, but not hybrid)

CPUS=/sys/devices/system/cpu
PREF=energy_performance_preference

n=0
failed=0

all()
{
	local f

	for f in "$CPUS"/cpufreq/policy*/"$1"; do
		echo "$2" > "$f" || return 1
	done
}

# row EXPECTED DESCRIPTION: what cpufreq says about all CPUs
row()
{
	local want got

	n=$((n + 1))
	want=$(for f in "$CPUS"/cpufreq/policy*; do echo "$1"; done)
	got=$(sed -n 's/^cpu[0-9]* ready //p' /sys/kernel/debug/vhybrid/eas)
	if [ "$got" = "$want" ]; then
		echo "ok $n $2: $1"
	else
		echo "not ok $n $2: $1"
		echo "# CPUs are: $(echo "$got" | tr "\n" " ")"
		failed=$((failed + 1))
	fi
}

# The first number above what "performance" stands for.
above()
{
	local f v=1

	f=$CPUS/cpufreq/policy0/$PREF
	for v in 1 2 4 8 16 32; do
		echo "$v" > "$f"
		[ "$(cat "$f")" != performance ] || { echo $((v + 1)); return; }
	done
	echo 1
}

machine=$1
mode()
{
	[ "$(cat "$CPUS/intel_pstate/status")" = "$1" ] || echo "$1" > "$CPUS/intel_pstate/status"
}

mode active
all scaling_governor powersave
if [ "$machine" = nohwp ]; then
	[ ! -e "$CPUS/cpufreq/policy0/$PREF" ] || { echo "not ok 1 there is EPP"; exit 1; }
	row 0 "active, no HWP, powersave"
	all scaling_governor performance
	row 0 "active, no HWP, performance"
	mode passive
	for g in $(cat "$CPUS/cpufreq/policy0/scaling_available_governors"); do
		all scaling_governor "$g"
		[ "$g" = schedutil ] && yes=1 || yes=0
		row "$yes" "passive, no EPP, $g"
	done
else
	[ "$machine" = hybrid ] && yes=1 || yes=0
	more=$(above)
	for v in balance_performance balance_power power "$more" 77 255; do
		all $PREF "$v"
		row "$yes" "active, powersave, EPP $v"
	done
	for v in performance 0 $((more - 1)); do
		all $PREF "$v"
		row 0 "active, powersave, EPP $v"
		all scaling_governor performance
		row 0 "active, performance, EPP $v"
		all scaling_governor powersave
	done
	all $PREF balance_performance
	all scaling_governor performance
	row 0 "active, performance, EPP balance_performance"
	all scaling_governor powersave
	row "$yes" "active, powersave, EPP balance_performance again"
	mode passive
	for g in $(cat "$CPUS/cpufreq/policy0/scaling_available_governors"); do
		all scaling_governor "$g"
		[ "$g" = schedutil ] && yes=1 || yes=0
		for v in balance_performance "$more" 255; do
			all $PREF "$v"
			row "$yes" "passive, $g, EPP $v"
		done
		for v in performance 0 $((more - 1)); do
			all $PREF "$v"
			row 0 "passive, $g, EPP $v"
		done
		all $PREF balance_performance
	done
fi
mode active
echo "1..$n"
[ $failed -eq 0 ]
