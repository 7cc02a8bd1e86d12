#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Change everything that has to do with EPP and EAS at the same time.  Then wait until it
# is over: what is shown, the register and the compatibility with EAS must agree on all
# CPUs, EAS must be in use where it would be after an unconditional rebuild, and
# everything must still work.
#
# usage: races.sh [SECONDS]	(default 60; with lib.sh and test_power.ko in /root, and
#					cpufreq_*.ko of governors that are modules)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

seconds=${1:-60}
PROFILE=/sys/firmware/acpi/platform_profile
SUPPLY=/sys/module/test_power/parameters
AWARE=/proc/sys/kernel/sched_energy_aware

# Whether it works or not depends on the others.
try()
{
	{ echo "$2" > "$1"; } 2> /dev/null
}

# race WHAT: until the time is over
race()
{
	local end v c

	end=$(($(date +%s) + seconds))
	while [ "$(date +%s)" -lt $end ]; do
		case $1 in
		epp)
			for v in performance balance_power 77 default power 0 balance_performance; do
				for c in $cpus; do
					try "$POL$c/$PREF" $v
				done
			done ;;
		dynamic)
			for c in $cpus; do
				try "$POL$c/$PREF" dynamic
				try "$POL$c/$PREF" power
			done ;;
		governor)
			for v in performance powersave schedutil ondemand powersave schedutil; do
				for c in $cpus; do
					try "$POL$c/$GOV" $v
				done
			done ;;
		mode)
			for v in passive active guided active disable active; do
				try $STATUS $v
				usleep 200000
			done ;;
		online)
			try "$CPUS/cpu$last/online" 0
			try "$CPUS/cpu$last/online" 1 ;;
		partition)
			try $CG/race/cpuset.cpus "0-$((last / 2))"
			try $CG/race/cpuset.cpus.partition root
			usleep 50000
			try $CG/race/cpuset.cpus.partition member ;;
		sysctl)
			try $AWARE 0
			try $AWARE 1 ;;
		limits)
			for c in $cpus; do
				try "$POL$c/scaling_max_freq" "$(get "$c" cpuinfo_min_freq)"
				try "$POL$c/scaling_max_freq" "$(get "$c" cpuinfo_max_freq)"
			done
			try $CPUS/intel_pstate/no_turbo 1
			try $CPUS/intel_pstate/no_turbo 0
			try $CPUS/intel_pstate/hwp_dynamic_boost 1
			try $CPUS/intel_pstate/hwp_dynamic_boost 0
			try $CPUS/cpufreq/boost 0
			try "$POL$last/boost" 0
			try $CPUS/cpufreq/boost 1 ;;
		profile)
			for v in low-power balanced performance; do
				try $PROFILE $v
			done ;;
		power)
			for v in off on; do
				try $SUPPLY/ac_online $v
				try $SUPPLY/usb_online $v
			done ;;
		modules)
			for v in conservative ondemand userspace; do
				insmod ./cpufreq_$v.ko 2> /dev/null || :
				rmmod cpufreq_$v 2> /dev/null || :
			done ;;
		read)
			for c in $cpus; do
				get "$c" $PREF
				get "$c" energy_performance_available_preferences
			done > /dev/null
			cat $AWARE > /dev/null ;;
		esac
	done
}

# Where EAS is in use
eas_state()
{
	sed -n -e '/^enabled /p' -e '/^rd /p' $VM/eas
}

# round NAME WHAT...: these at the same time, and governors come and go if they are
# modules; then have a look
round()
{
	local name="$1" r before tries

	shift
	[ ! -e ./cpufreq_ondemand.ko ] || set -- "$@" modules
	for r in "$@"; do
		race "$r" &
	done
	wait
	try "$CPUS/cpu$last/online" 1
	tries=0
	while :; do
		echo settle > $VM/control
		disagreements
		[ -n "$why" ] || break
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { bad="$bad$why"; break; }
		usleep 50000
	done
	before=$(eas_state)
	echo rebuild > $VM/control
	[ "$(eas_state)" = "$before" ] || bad="$bad EAS was '$before', now '$(eas_state)';"

	works
	# It may be 0: the sysctl cannot be written while EAS is not possible.
	[ $vendor = amd ] || put $AWARE 1
	all $GOV performance
	all $GOV powersave
	disagreements
	bad="$bad$why"
	[ $vendor = amd ] || grep -qx 'enabled 1' $VM/eas || bad="$bad EAS is not used;"
	result "$name at the same time, for $seconds s"
}

insmod ./test_power.ko || exit
cpusets
mkdir $CG/race
all $GOV powersave
epp_values

round "EPP, governors, hotplug, limits, sysctl" epp epp governor online limits sysctl read
round "EPP, governors, modes, hotplug, limits" epp governor mode online limits read
round "EPP, governors, modes, partitions, sysctl" epp governor mode partition sysctl limits read
[ $vendor = intel ] || round "EPP, dynamic EPP, profiles, power source, governors, modes, hotplug" \
	epp dynamic profile power governor mode online read
rmdir $CG/race

LEAKS=/sys/kernel/debug/kmemleak
if [ -e $LEAKS ]; then
	# What was allocated a moment ago is not reported, nor what has been seen as a leak
	# only once.
	for _ in 1 2 3; do
		sleep 5
		echo scan > $LEAKS
	done
	bad=$(cat $LEAKS)
	result "no memory has leaked"
fi
echo "1..$n"
[ $failed -eq 0 ]
