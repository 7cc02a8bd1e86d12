#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# How often sched domains are rebuilt when EPP and governors change: once if EAS
# has to be started or stopped, for any number of CPUs, and not at all otherwise.
# The tracepoints must tell the same.
#
# usage: economy.sh hybrid|other	(with lib.sh in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

T=/sys/kernel/tracing
AWARE=/proc/sys/kernel/sched_energy_aware

kind=$1
ncpus=$(grep -c ' ready ' $VM/eas)

# all ATTRIBUTE VALUE [FIRST LAST]
all()
{
	local c="${3:-0}"

	while [ "$c" -le "${4:-$((ncpus - 1))}" ]; do
		{ echo "$2" > "$CPUS/cpu$c/cpufreq/$1"; } 2>/dev/null
		c=$((c + 1))
	done
}

# Just like daemons do it: governor and EPP of one CPU after the other.
profile()
{
	local c=0

	while [ $c -lt "$ncpus" ]; do
		echo "$1" > "$CPUS/cpu$c/cpufreq/scaling_governor"
		{ echo "$2" > "$CPUS/cpu$c/cpufreq/$PREF"; } 2>/dev/null
		c=$((c + 1))
	done
}

put()
{
	echo "$2" > "$1"
}

mode()
{
	echo "$1" > $CPUS/intel_pstate/status
}

# costs REBUILDS EAS DESCRIPTION COMMAND...: root domains with and without EAS
costs()
{
	local want="$1" eas="$2" what="$3" before after pd got

	shift 3
	[ "$kind" = hybrid ] || want=0
	[ "$kind" = hybrid ] || eas=0
	before=$(rebuilds)
	echo > $T/trace
	"$@"
	after=$(rebuilds)
	pd=$(sed -n 's/^rd .* pd //p' $VM/eas | tr -d '\n')
	[ ${#pd} -eq ${#eas} ] || eas=$(echo "$pd" | sed "s/./$eas/g")
	[ $((after - before)) -eq "$want" ] || bad="$bad there were $((after - before));"
	[ "$pd" = "$eas" ] || bad="$bad EAS in root domains: $pd, expected $eas;"
	result "$what: $want rebuilds"

	# Sysctl does without a check.
	[ "$what" = "${what#sched_energy_aware=[01]}" ] || [ "$want" -eq 0 ] || return
	# One check may tell of more than one root domain.
	got=$(grep -c 'eas_root_domain: .* rebuild=1' $T/trace)
	[ "$((got > 0))" -eq "$want" ] || bad="$bad it tells of $got rebuilds;"
	result "$what: tracepoint agrees"
}

# traced COUNT PATTERN
traced()
{
	local got

	got=$(grep -c "cpu_eas_compatible: $2" $T/trace)
	[ "$got" -eq "$1" ] || bad="$bad $got times: $(grep cpu_eas_compatible $T/trace | head -n 4 | tr '\n' ';')"
	result "$1 times cpu_eas_compatible: $2"
}

echo "# $ncpus CPUs"
for e in cpu_eas_compatible eas_root_domain; do
	echo 1 > $T/events/power/$e/enable || { echo "Bail out! there is no $e tracepoint"; exit 1; }
done

if [ -e $CPUS/cpu0/cpufreq/$PREF ]; then
	all scaling_governor powersave
	all $PREF balance_performance
	costs 1 0 "EPP performance" all $PREF performance
	if [ "$kind" = hybrid ]; then
		traced "$ncpus" "old=1 new=0 active=1 governor=1 epp_veto=1 epp=[0-9]* "
	fi
	costs 0 0 "EPP performance again" all $PREF performance
	costs 1 1 "EPP balance_performance" all $PREF balance_performance
	if [ "$kind" = hybrid ]; then
		traced "$ncpus" "old=0 new=1 active=1 governor=1 epp_veto=0 epp=$((($(cat $VM/cpu0/hwp_request) >> 24) & 255)) "
	fi
	costs 0 1 "EPP balance_performance again" all $PREF balance_performance
	costs 0 1 "EPP balance_power" all $PREF balance_power
	costs 0 1 "EPP not valid" all $PREF nonsense
	costs 1 0 "profile for performance" profile performance performance
	costs 1 1 "profile for balance" profile powersave balance_performance
	costs 1 0 "governor performance" all scaling_governor performance
	costs 0 0 "governor performance again" all scaling_governor performance
	costs 1 1 "governor powersave" all scaling_governor powersave
	costs 0 1 "governor powersave again" all scaling_governor powersave
fi

# All policies are created again, so EAS stops and starts while that is going on.
mode passive
all scaling_governor schedutil
costs 1 0 "passive mode, governor ondemand" all scaling_governor ondemand
if [ "$kind" = hybrid ]; then
	traced "$ncpus" "old=1 new=0 active=1 governor=0 epp_veto=0 "
fi
costs 0 0 "passive mode, governor powersave" all scaling_governor powersave
costs 1 1 "passive mode, governor schedutil" all scaling_governor schedutil
costs 0 1 "passive mode, governor schedutil again" all scaling_governor schedutil
mode active

if [ "$kind" = hybrid ]; then
	all scaling_governor powersave
	all $PREF balance_performance
	costs 1 0 "sched_energy_aware=0" put $AWARE 0
	costs 0 0 "sched_energy_aware=0, EPP performance" all $PREF performance
	costs 0 0 "sched_energy_aware=0, EPP balance_performance" all $PREF balance_performance
	costs 0 0 "sched_energy_aware=0, governor performance" all scaling_governor performance
	costs 0 0 "sched_energy_aware=0, governor powersave" all scaling_governor powersave
	costs 1 1 "sched_energy_aware=1" put $AWARE 1
fi

# Partitions: root domains follow the order of CPUs.  Both are hybrid.
if [ "$kind" = hybrid ] && [ "$ncpus" -ge 8 ]; then
	cpusets
	mkdir $CG/part
	half=$((ncpus / 2))
	quarter=$((ncpus / 4))
	put $CG/part/cpuset.cpus "$quarter-$((quarter + half - 1))"
	put $CG/part/cpuset.cpus.partition root
	if [ "$(cat $CG/part/cpuset.cpus.partition)" != root ] ||
	   [ "$(grep -c '^rd .* pd 1' $VM/eas)" -ne 2 ]; then
		bad=" there are: $(grep '^rd ' $VM/eas | tr '\n' ';')"
	fi
	result "two root domains with EAS"
	first=$quarter last=$((quarter + half - 1))
	costs 1 10 "EPP performance in the partition" all $PREF performance $first $last
	costs 1 00 "EPP performance everywhere" all $PREF performance
	all $PREF balance_performance 0 $((first - 1))
	costs 1 10 "EPP balance_performance outside" all $PREF balance_performance $((last + 1))
	all $PREF balance_performance
	costs 1 01 "EPP performance of CPU0" all $PREF performance 0 0
	costs 1 11 "EPP balance_performance of CPU0" all $PREF balance_performance 0 0
	put $CG/part/cpuset.cpus.partition member
	rmdir $CG/part
fi

echo "1..$n"
[ $failed -eq 0 ]
