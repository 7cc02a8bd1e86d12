#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# When Energy-Aware Scheduling (EAS) may be used, depending on scaling governors
# and on the energy performance preference (EPP): the truth table for
# intel_pstate in Documentation/cpu-freq/eas.rst, on all CPUs.

# shellcheck disable=SC3043	# "local" is there in all shells concerned

. "$(dirname "$0")/eas_lib.sh"

# EPP values, prepared by main: at most what "performance" stands for, or more.
veto=
good=

all_epp_values()
{
	local v

	for v in $good; do
		expect "write EPP $v" epp_all "$v"
		expect "EAS on with EPP $v" eas_is on
	done
	for v in $veto; do
		expect "write EPP $v" epp_all "$v"
		expect "EAS off with EPP $v" eas_is off
	done
	expect "write EPP" epp_all balance_performance
	expect "EAS on again" eas_is on
}

# One CPU is enough to keep EAS off.
each_cpu_epp()
{
	local c

	for c in $(cpus); do
		expect "write EPP of CPU$c" put "$(attr "$c" $PREF)" performance
		expect "EAS off because of EPP of CPU$c" eas_is off
		expect "write EPP of CPU$c" put "$(attr "$c" $PREF)" balance_power
		expect "EAS on without it" eas_is on
	done
	epp_all balance_performance
}

each_cpu_governor()
{
	local c

	for c in $(cpus); do
		expect "set governor of CPU$c" put "$(attr "$c" scaling_governor)" "$1"
		expect "EAS off because of $1 on CPU$c" eas_is off
		expect "set governor of CPU$c" put "$(attr "$c" scaling_governor)" "$2"
		expect "EAS on without it" eas_is on
	done
}

active_epp()
{
	all_epp_values
}

active_each_cpu_epp()
{
	each_cpu_epp
}

active_governor()
{
	expect "set performance" gov_all performance
	expect "EAS off with performance" eas_is off
	expect "set powersave" gov_all powersave
	expect "EAS on with powersave" eas_is on

	# There, and back again, with EPP asking for performance.
	expect "write EPP" epp_all performance
	expect "set performance" gov_all performance
	expect "EAS off with performance" eas_is off
	expect "set powersave" gov_all powersave
	expect "EAS off because of EPP" eas_is off
	expect "write EPP" epp_all balance_performance
	expect "EAS on again" eas_is on
}

active_each_cpu_governor()
{
	each_cpu_governor performance powersave
}

passive_governors()
{
	local g

	for g in $(get "$(attr 0 scaling_available_governors)"); do
		[ "$g" != schedutil ] || continue
		expect "set $g" gov_all "$g"
		expect "EAS off with $g" eas_is off
		expect "write EPP" epp_all power
		expect "EAS off with $g whatever EPP is" eas_is off
		expect "write EPP" epp_all performance
		expect "EAS off with $g whatever EPP is" eas_is off
		expect "write EPP" epp_all balance_performance
		expect "EAS off with $g after a veto is gone" eas_is off
	done
	expect "set schedutil" gov_all schedutil
	expect "EAS on with schedutil" eas_is on
}

passive_epp()
{
	all_epp_values
}

passive_each_cpu_epp()
{
	each_cpu_epp
}

passive_each_cpu_governor()
{
	each_cpu_governor ondemand schedutil
}

# schedutil starting must not lift a veto.
veto_then_schedutil()
{
	expect "set ondemand" gov_all ondemand
	expect "write EPP" epp_all performance
	expect "set schedutil" gov_all schedutil
	expect "EAS off because of EPP" eas_is off
	expect "write EPP" epp_all balance_performance
	expect "EAS on again" eas_is on
}

schedutil_then_veto()
{
	expect "write EPP" epp_all performance
	expect "EAS off because of EPP" eas_is off
	expect "set ondemand" gov_all ondemand
	expect "write EPP" epp_all balance_performance
	expect "EAS off because of ondemand" eas_is off
	expect "set schedutil" gov_all schedutil
	expect "EAS on again" eas_is on
}

governor_away_and_back()
{
	expect "write EPP" epp_all performance
	expect "set ondemand" gov_all ondemand
	expect "set schedutil" gov_all schedutil
	expect "EAS still off because of EPP" eas_is off
	expect "write EPP" epp_all power
	expect "EAS on again" eas_is on
	epp_all balance_performance
}

mode_switch()
{
	expect "passive mode" set_mode passive
	expect "set schedutil" gov_all schedutil
	expect "EAS on in the passive mode" eas_is on
	expect "active mode" set_mode active
	expect "set powersave" gov_all powersave
	expect "EAS on in the active mode" eas_is on
	expect "write EPP" epp_all performance
	expect "passive mode" set_mode passive
	expect "set schedutil" gov_all schedutil
	expect "EPP is the same" all_are $PREF performance
	expect "EAS off because of EPP in the passive mode" eas_is off
	expect "active mode" set_mode active
	expect "set powersave" gov_all powersave
	expect "EPP is the same" all_are $PREF performance
	expect "EAS off because of EPP in the active mode" eas_is off
	expect "write EPP" epp_all balance_performance
	expect "EAS on again" eas_is on
}

# A CPU that is offline does not count, until it is back.
hotplug()
{
	local c

	for c in $(hotplug_cpus); do
		expect "CPU$c offline" online "$c" 0
		if asymmetric_online; then
			expect "EAS on without CPU$c" eas_is on
		fi
		expect "CPU$c online" online "$c" 1
		expect "EAS on with CPU$c back" eas_is on

		expect "write EPP of CPU$c" put "$(attr "$c" $PREF)" performance
		expect "EAS off because of CPU$c" eas_is off
		expect "CPU$c offline" online "$c" 0
		if asymmetric_online; then
			expect "EAS on without the veto of CPU$c" eas_is on
		fi
		expect "CPU$c online" online "$c" 1
		expect "EAS off again" eas_is off
		expect "write EPP of CPU$c" put "$(attr "$c" $PREF)" balance_performance
		expect "EAS on again" eas_is on
	done
}

# Do the CPUs that are online differ in capacity?
asymmetric_online()
{
	[ "$(for c in $(cpus); do get "$CPUS/cpu$c/cpu_capacity"; done | sort -u | wc -l)" -gt 1 ]
}

# sched_energy_aware=0 stays in effect whatever changes.
sysctl_off()
{
	expect "disable EAS" put $EAS 0
	expect "write EPP" epp_all performance
	expect "write EPP" epp_all balance_performance
	expect "EAS is still disabled" test "$(get $EAS)" = 0
	expect "EAS is not in use" test "$(eas_used)" != on
	expect "enable EAS" put $EAS 1
	expect "EAS on again" eas_is on
}

# bad_input DESCRIPTION STRING LENGTH ERROR: refused without side effects
bad_input()
{
	local c epp gov epp_before gov_before eas

	eas=$(eas_possible)
	for c in $(cpus); do
		epp=$(attr "$c" $PREF)
		gov=$(attr "$c" scaling_governor)
		epp_before=$(get "$epp")
		gov_before=$(get "$gov")
		expect "$1 is refused" write_is "$epp" "$2" "$3" "$4"
		expect "EPP is the same" test "$(get "$epp")" = "$epp_before"
		expect "governor is the same" test "$(get "$gov")" = "$gov_before"
	done
	expect "EAS is the same" test "$(eas_possible)" = "$eas"
}

newline='
'

epp_input()
{
	local c f

	bad_input "a newline" "$newline" 1 EINVAL
	bad_input "an unknown word" nonsense 8 EINVAL
	bad_input "a word that is too long" balance_performance_and_more 28 EINVAL
	bad_input "a prefix" perf 4 EINVAL
	bad_input "a word in capitals" PERFORMANCE 11 EINVAL
	bad_input "a negative number" -1 2 EINVAL
	bad_input "256" 256 3 EINVAL
	bad_input "4294967296" 4294967296 10 ERANGE
	bad_input "a hexadecimal number" 0x10 4 EINVAL
	bad_input "a number and something" 77x 3 EINVAL
	bad_input "two numbers" "77${newline}78" 5 EINVAL
	bad_input "NUL bytes" "" 30 EINVAL

	for c in $(cpus); do
		f=$(attr "$c" $PREF)
		# There is nothing to write, so nothing happens.
		expect "nothing" write_is "$f" "" 0 0
		expect "EPP is the same" test "$(get "$f")" = balance_performance
		# cpupower does it like this.
		expect "a padded word" write_is "$f" balance_power 30 30
		expect "EPP is balance_power" test "$(get "$f")" = balance_power
		expect "a padded number" write_is "$f" 77 30 30
		expect "EPP is 77" test "$(get "$f")" = 77
		# Only the first word counts.
		expect "two lines" write_is "$f" "power${newline}performance" 17 17
		expect "EPP is power" test "$(get "$f")" = power
		expect "a word with a newline" write_is "$f" "balance_performance$newline" 20 20
		expect "EPP is balance_performance" test "$(get "$f")" = balance_performance
	done
	expect "EAS still on" eas_is on
}

# Whatever is set, EAS cannot be used if CPUs do not differ in capacity.
never_on()
{
	local g

	for g in $(get "$(attr 0 scaling_available_governors)"); do
		expect "set $g" gov_all "$g"
		expect "EAS off with $g" eas_is off
	done
	if has_epp; then
		gov_all powersave
		expect "write EPP" epp_all performance
		expect "EAS off" eas_is off
		expect "write EPP" epp_all balance_performance
		expect "EAS off" eas_is off
	fi
	[ -n "$(pstate)" ] || return
	for g in passive active; do
		expect "$g mode" set_mode $g
		expect "EAS off in the $g mode" eas_is off
	done
}

# What the tests of one mode need.
enter()
{
	case $1 in
	active)
		set_mode active && gov_all powersave && epp_all balance_performance ;;
	passive)
		set_mode passive && gov_all schedutil && epp_all balance_performance ;;
	esac
}

tests="active|EPP in the active mode|active_epp
active|EPP of every CPU in the active mode|active_each_cpu_epp
active|governor in the active mode|active_governor
active|governor of every CPU in the active mode|active_each_cpu_governor
active|EPP input in the active mode|epp_input
active|CPU hotplug in the active mode|hotplug
active|sched_energy_aware in the active mode|sysctl_off
passive|governors in the passive mode|passive_governors
passive|EPP in the passive mode|passive_epp
passive|EPP of every CPU in the passive mode|passive_each_cpu_epp
passive|governor of every CPU in the passive mode|passive_each_cpu_governor
passive|EPP veto, then schedutil|veto_then_schedutil
passive|schedutil, then EPP veto|schedutil_then_veto
passive|schedutil stops and starts under EPP veto|governor_away_and_back
passive|EPP input in the passive mode|epp_input
passive|CPU hotplug in the passive mode|hotplug
active|mode switches|mode_switch
none|no asymmetric CPU capacity, no EAS|never_on"

ktap_print_header
require_root
require_cpufreq
[ -x "$DIR/sysfs_write" ] || {
	ktap_skip_all "sysfs_write has not been built, run make"
	exit "$KSFT_SKIP"
}
save_state

why=
if ! has_epp || [ -z "$(pstate)" ]; then
	why="needs intel_pstate with EPP"
elif [ ! -e $EAS ]; then
	why="needs a kernel with EAS"
else
	# On hybrid processors, CPU capacity is there from the beginning.
	asymmetric || why="needs CPUs of different capacity"
fi

if [ -z "$why" ]; then
	set_mode active
	gov_all powersave
	perf=$(performance_epp)
	ktap_print_msg "$(driver), performance is EPP $perf, CPUs: $(cpus | tr '\n' ' ')"
	veto="performance 0 $perf"
	good="power balance_power balance_performance default $((perf + 1)) 77 255"
	if [ "$perf" -gt 0 ]; then
		veto="$veto 1 $((perf - 1))"
	else
		good="$good 1"
	fi
	# To see when EAS starts and stops.
	put $VERBOSE Y
	epp_all performance
	eas_is off >/dev/null
	epp_all balance_performance
	eas_is on >/dev/null
fi

ktap_set_plan "$(echo "$tests" | wc -l)"
while IFS='|' read -r mode what function <&3; do
	if [ "$mode" = none ]; then
		if asymmetric; then
			ktap_test_skip "$what: CPUs differ in capacity"
		else
			run "$what" "$function"
		fi
		continue
	fi
	if [ -n "$why" ]; then
		ktap_test_skip "$what: $why"
		continue
	fi
	if ! enter "$mode"; then
		ktap_print_msg "cannot enter the $mode mode"
		ktap_test_fail "$what"
		continue
	fi
	run "$what" "$function"
done 3<<END
$tests
END

ktap_finished
