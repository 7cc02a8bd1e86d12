#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# amd-pstate: EPP and the compatibility with EAS of all CPUs in every mode, with dynamic
# EPP, platform profiles and changes of the power source.
#
# usage: amd-gate.sh	(with lib.sh and test_power.ko in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

PROFILE=/sys/firmware/acpi/platform_profile
SUPPLY=/sys/module/test_power/parameters

# power on|off: on AC or on battery
power()
{
	put $SUPPLY/usb_online "$1"
	put $SUPPLY/ac_online "$1"
}

# level NAME: a performance level that the processor has, the same for all CPUs
level()
{
	local cap

	if [ $REQ = energy_perf ]; then
		echo $(($(cat "$VM/cpu0/${1}_perf")))
		return
	fi
	cap=$(($(cat $VM/cpu0/amd_cppc_cap1)))
	case $1 in
	nominal) echo $((cap >> 16 & 255)) ;;
	lowest_nonlinear) echo $((cap >> 8 & 255)) ;;
	esac
}

# min_perf_is LEVEL: or the next one, which is what mainline makes of scaling_min_freq by
# rounding up twice
min_perf_is()
{
	local c min want

	want=$(level "$1")
	for c in $cpus; do
		if [ $REQ = energy_perf ]; then
			min=$(($(cat "$VM/cpu$c/min_perf")))
		else
			min=$(($(cat "$VM/cpu$c/amd_cppc_req") >> 8 & 255))
		fi
		[ "$min" -eq "$want" ] || [ "$min" -eq $((want + 1)) ] ||
			bad="$bad CPU$c has min_perf $min, not $1 ($want);"
	done
}

# now EPP-NUMBER|- COMPATIBLE
now()
{
	local c epp ready tries

	for c in $cpus; do
		# The power supply notifies asynchronously.
		tries=0
		while :; do
			epp=$(register "$c")
			ready=$(ready "$c")
			[ "$1" != - ] || epp=-
			[ "$epp" = "$1" ] && [ "${ready:-0}" = "$2" ] && break
			tries=$((tries + 1))
			if [ $tries -gt 100 ]; then
				bad="$bad CPU$c has EPP $epp, compatible $ready, should be $1, $2;"
				break
			fi
			usleep 50000
		done
	done
}

insmod ./test_power.ko || exit
power on
mode active
before=$(rebuilds)

for e in 0=0 1=1 77=1 128=1 255=1; do
	all $GOV powersave
	all $PREF "${e%=*}"
	now "${e%=*}" "${e#*=}"
	for _ in 1 2; do
		all $GOV performance
		now 0 0
		min_perf_is nominal
		all $GOV powersave
		now "${e%=*}" "${e#*=}"
		min_perf_is lowest_nonlinear
	done
	result "active mode, EPP ${e%=*}"
done

# Not for mode switches, which change priorities of cores.
none_rebuilt()
{
	[ "$(rebuilds)" -eq "$before" ] || bad="$bad $(($(rebuilds) - before)) times;"
	result "sched domains are not rebuilt without an Energy Model, $1"
}

none_rebuilt "EPP and governors"

for m in passive guided; do
	mode $m
	for g in schedutil ondemand performance powersave schedutil; do
		all $GOV $g
		[ $g = schedutil ] && want=1 || want=0
		now - "$want"
	done
	result "$m mode, governors"
done

# Without fast switching, schedutil has a SCHED_DEADLINE kthread for each policy.  It is
# not created where it will run.
bandwidth()
{
	sed -n 's/.*dl_bw->total_bw *: *//p' /sys/kernel/debug/sched/debug
}

if [ $REQ = energy_perf ]; then
	cpusets
	mkdir $CG/dl
	put $CG/dl/cpuset.cpus "$last"
	put $CG/dl/cpuset.cpus.partition isolated
	mode passive
	all $GOV performance
	total=$(bandwidth)
	[ -n "$total" ] || bad="$bad there is no dl_bw->total_bw;"
	for _ in 1 2 3 4; do
		put "$POL$last/$GOV" schedutil
		put "$POL$last/$GOV" performance
	done
	[ "$(bandwidth)" = "$total" ] ||
		bad="$bad total_bw was $(echo "$total" | xargs), now $(bandwidth | xargs);"
	put $CG/dl/cpuset.cpus.partition member
	rmdir $CG/dl
	result "bandwidth of deadline tasks is the same after starting schedutil on an isolated CPU"
fi

mode disable
now - 0
result "no driver"
mode active
all $GOV powersave
before=$(rebuilds)

# Client machines ask for performance on AC.
all $PREF power
all $PREF dynamic
case $(cat $VM/machine) in
epyc*)
	# A server's defaults do not depend on the power source.
	;;
*)
	now 0 0
	power off
	now 128 1
	power on
	now 0 0
	put $PROFILE low-power
	now 255 1
	power off
	now 255 1
	put $PROFILE performance
	now 0 0
	put $PROFILE balanced
	now 128 1
	all $GOV performance
	now 0 0
	power on
	power off
	now 0 0
	all $GOV powersave
	now 255 1
	result "dynamic EPP"
	;;
esac

none_rebuilt "dynamic EPP"

echo "1..$n"
[ $failed -eq 0 ]
