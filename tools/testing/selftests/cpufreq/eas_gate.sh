#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# "local" is there in all shells concerned
#
# When Energy-Aware Scheduling (EAS) may be used, depending on scaling governors
# and the energy performance preference (EPP): every row for intel_pstate of the
# table in Documentation/cpu-freq/eas.rst, on all CPUs, in every order of events.
# Also, bad input changes nothing.
#
# usage: eas_gate.sh [PATTERN]		only run tests with such names, e.g. '*hotplug*'

. "$(dirname -- "$0")/eas_lib.sh"

performance=	# what "performance" stands for as a number
boot_cpu=	# a CPU of which to read what is the same for all
eas=		# the state of EAS that a test began with
newline='
'

###############################################################################
# The table, all CPUs alike

# epp_value MODE VALUE: VALUE can also be "performance value [+ 1]"
epp_value()
{
	local v="$2" want=on

	case $v in
	"performance value") v=$performance ;;
	"performance value + 1") v=$((performance + 1)) ;;
	esac
	expect "enter the base state" base "$1"
	expect_on "EPP is balance_performance"
	expect "write EPP $v" put_all $EPP "$v"
	get_attr "$boot_cpu" $EPP
	case $v in
	# That depends on the processor.
	default) v=$val ;;
	esac
	case $v in
	# Some kernels call 0 "default".
	performance | default) want=off ;;
	[0-9]*) [ "$v" -gt "$performance" ] || want=off ;;
	esac
	expect "EAS $want: EPP $v" eas_is $want
	expect "write EPP" put_all $EPP balance_performance
	expect_on "EPP is balance_performance again"
}

active_performance()
{
	expect "enter the base state" base active
	expect "set performance" put_all $GOV performance
	expect_off "governor performance"
	expect "set powersave" put_all $GOV powersave
	expect_on "governor powersave"
}

active_performance_veto()
{
	expect "enter the base state" base active
	expect "write EPP" put_all $EPP performance
	expect_off "EPP performance"
	expect "set performance" put_all $GOV performance
	expect_off "governor and EPP performance"
	expect "set powersave" put_all $GOV powersave
	expect_off "EPP performance from before"
	expect "write EPP" put_all $EPP balance_performance
	expect_on "EPP balance_performance"
}

# What is refused under governor performance must leave nothing behind.
active_performance_refused()
{
	local c

	expect "enter the base state" base active
	expect "set performance" put_all $GOV performance
	for c in $cpus; do
		attr "$c" $EPP
		expect "EPP power is refused on CPU$c" write_is "$val" power 5 EBUSY
	done
	expect "EPP is the same" all_are $EPP performance
	expect_off "governor performance"
	expect "set powersave" put_all $GOV powersave
	expect "EPP is the same as before" all_are $EPP balance_performance
	expect_on "governor powersave"
}

passive_governor()
{
	if ! base passive; then
		expect "enter the base state" false
		return
	fi
	governor "$1" || { skip "there is no governor $1"; return; }
	expect "set $1" put_all $GOV "$1"
	expect_off "governor $1"
	if [ -z "$no_epp" ]; then
		expect "write EPP" put_all $EPP power
		expect_off "governor $1, EPP power"
		expect "write EPP" put_all $EPP performance
		expect_off "governor $1, EPP performance"
		expect "write EPP" put_all $EPP balance_performance
		expect_off "governor $1 though the EPP veto has been lifted"
	fi
	expect "set schedutil" put_all $GOV schedutil
	expect_on "governor schedutil"
}

###############################################################################
# One CPU that is different is enough

# each_cpu MODE ATTRIBUTE VALUE GOOD
each_cpu()
{
	local c

	expect "enter the base state" base "$1"
	expect_on "base state"
	if [ "$2" = $GOV ] && ! governor "$3"; then
		skip "there is no governor $3"
		return
	fi
	for c in $cpus; do
		expect "CPU$c: write $3" put_attr "$c" "$2" "$3"
		expect_off "$3 on CPU$c"
		expect "CPU$c: write $4" put_attr "$c" "$2" "$4"
		expect_on "$4 on CPU$c"
	done
}

# EAS is off from the first CPU on, and until the last one is done.
one_after_the_other()
{
	local c

	expect "enter the base state" base "$1"
	expect_on "base state"
	for c in $cpus; do
		expect "CPU$c: write EPP" put_attr "$c" $EPP performance
		expect_off "EPP performance up to CPU$c"
	done
	for c in $cpus; do
		expect_off "EPP performance on CPU$c"
		expect "CPU$c: write EPP" put_attr "$c" $EPP balance_performance
	done
	expect_on "EPP balance_performance on all CPUs"
}

# An EPP veto of one CPU and the governor of another one
two_reasons()
{
	local c first='' last=''

	expect "enter the base state" base passive
	for c in $cpus; do
		first=${first:-$c} last=$c
	done
	expect "CPU$first: write EPP" put_attr "$first" $EPP performance
	expect "CPU$last: set $1" put_attr "$last" $GOV "$1"
	expect_off "EPP of CPU$first, governor of CPU$last"
	expect "CPU$last: set schedutil" put_attr "$last" $GOV schedutil
	expect_off "EPP of CPU$first"
	expect "CPU$last: set $1" put_attr "$last" $GOV "$1"
	expect "CPU$first: write EPP" put_attr "$first" $EPP power
	expect_off "governor of CPU$last"
	expect "CPU$last: set schedutil" put_attr "$last" $GOV schedutil
	expect_on "no reason is left"
}

###############################################################################
# Governor and EPP in every order

# other_governor: one that is not compatible with EAS, in $other
other_governor()
{
	for other in ondemand conservative userspace powersave performance; do
		! governor $other || return 0
	done
}

veto_then_schedutil()
{
	expect "enter the base state" base passive
	other_governor
	expect "set $other" put_all $GOV "$other"
	expect "write EPP" put_all $EPP performance
	expect_off "$other and EPP performance"
	expect "set schedutil" put_all $GOV schedutil
	expect_off "EPP performance, schedutil starting must not lift that"
	expect "write EPP" put_all $EPP balance_performance
	expect_on "EPP balance_performance"
}

schedutil_then_veto()
{
	expect "enter the base state" base passive
	other_governor
	expect "set $other" put_all $GOV "$other"
	expect_off "$other"
	expect "set schedutil" put_all $GOV schedutil
	expect_on "schedutil"
	expect "write EPP" put_all $EPP performance
	expect_off "EPP performance"
	expect "write EPP" put_all $EPP balance_power
	expect_on "EPP balance_power"
}

governor_away_and_back()
{
	expect "enter the base state" base passive
	other_governor
	expect "write EPP" put_all $EPP performance
	expect_off "EPP performance"
	expect "set $other" put_all $GOV "$other"
	expect_off "$other and EPP performance"
	expect "set schedutil" put_all $GOV schedutil
	expect "EPP is the same" all_are $EPP performance
	expect_off "EPP performance from before"
	expect "write EPP" put_all $EPP power
	expect_on "EPP power"
}

lifted_under_other()
{
	expect "enter the base state" base passive
	other_governor
	expect "write EPP" put_all $EPP performance
	expect_off "EPP performance"
	expect "set $other" put_all $GOV "$other"
	expect "write EPP" put_all $EPP balance_performance
	expect_off "$other, an EPP write must not make that compatible"
	expect "set schedutil" put_all $GOV schedutil
	expect_on "schedutil and EPP balance_performance"
}

###############################################################################
# Mode switches

# mode_switch EPP on|off: there and back twice
mode_switch()
{
	local round

	expect "enter the base state" base active
	expect "write EPP" put_all $EPP "$1"
	expect "EAS $2: active, EPP $1" eas_is "$2"
	for round in 1 2; do
		expect "switch to passive mode" set_mode passive
		expect "set schedutil" put_all $GOV schedutil
		expect "EPP is the same" all_are $EPP "$1"
		expect "EAS $2: passive, schedutil, EPP $1, round $round" eas_is "$2"
		expect "switch to active mode" set_mode active
		expect "set powersave" put_all $GOV powersave
		expect "EPP is the same" all_are $EPP "$1"
		expect "EAS $2: active, powersave, EPP $1, round $round" eas_is "$2"
	done
	expect "write EPP" put_all $EPP balance_performance
	expect_on "EPP balance_performance"
}

# A veto from one mode is lifted in the other one.
mode_switch_lift()
{
	local to=passive

	[ "$1" = active ] || to=active
	expect "enter the base state" base "$1"
	expect "write EPP" put_all $EPP performance
	expect_off "$1, EPP performance"
	expect "switch to $to mode" set_mode $to
	[ $to = active ] && expect "set powersave" put_all $GOV powersave
	[ $to = active ] || expect "set schedutil" put_all $GOV schedutil
	expect_off "$to, EPP performance from before"
	expect "write EPP" put_all $EPP balance_performance
	expect_on "$to, EPP balance_performance"
}

# The governor that a mode starts with need not be the one from before.
mode_switch_governor()
{
	expect "enter the base state" base passive
	other_governor
	expect "set $other" put_all $GOV "$other"
	expect_off "passive, $other"
	expect "switch to active mode" set_mode active
	expect "set powersave" put_all $GOV powersave
	expect_on "active, powersave"
	expect "set performance" put_all $GOV performance
	expect_off "active, performance"
	expect "switch to passive mode" set_mode passive
	expect "set schedutil" put_all $GOV schedutil
	expect_on "passive, schedutil"
}

# The driver cannot be turned off if HWP is in use, else it takes EAS along.
driver_off()
{
	local before="$mode"

	if [ -z "$no_epp" ]; then
		in_state active
		expect "'off' is refused" write_is $PSTATE/status off 3 EBUSY
		expect "the mode is the same" test "$(cat $PSTATE/status)" = active
		expect "EPP is the same" all_are $EPP balance_performance
		expect "EAS $eas: nothing has changed" eas_is "$eas"
		return
	fi
	if ! set_mode off; then
		expect "'off' is refused because HWP is in use" write_is $PSTATE/status off 3 EBUSY
		expect "the mode is the same" test "$(cat $PSTATE/status)" = "$before"
		return
	fi
	expect "no CPU has a policy" test -z "${cpus# }"
	expect_off "there is no driver"
	expect "switch to $before mode" set_mode "$before"
	expect_off "the driver is back, but still no EPP"
}

###############################################################################
# CPU hotplug

# A CPU that is offline does not count, whatever its settings are.
hotplug()
{
	local c all="$cpus" count=0

	expect "enter the base state" base "$1"
	expect_on "base state"
	for c in $all; do
		can_hotplug "$c" || continue
		count=$((count + 1))
		expect "CPU$c offline" online "$c" 0
		attr "$c" $EPP
		expect "EPP of CPU$c cannot be written" write_is "$val" power 5 EBUSY
		if asymmetric; then
			expect_on "CPU$c is offline"
		else
			expect_off "CPU$c is offline, the rest have the same capacity"
		fi
		expect "CPU$c online" online "$c" 1
		expect_on "CPU$c is back"
	done
	[ $count -gt 0 ] || skip "no CPU can be taken offline"
	expect "EPP is the same" all_are $EPP balance_performance
}

hotplug_veto()
{
	local c all="$cpus" count=0 attribute="$2" value="$3" good="$4"

	expect "enter the base state" base "$1"
	expect_on "base state"
	for c in $all; do
		can_hotplug "$c" || continue
		count=$((count + 1))
		expect "CPU$c: write $value" put_attr "$c" "$attribute" "$value"
		expect_off "$value on CPU$c"
		expect "CPU$c offline" online "$c" 0
		if asymmetric; then
			expect_on "CPU$c has taken $value offline"
		else
			expect_off "CPU$c is offline, the rest have the same capacity"
		fi
		expect "CPU$c online" online "$c" 1
		get_attr "$c" "$attribute"
		expect "it still is $value on CPU$c, not $val" test "$val" = "$value"
		expect_off "CPU$c is back with $value"
		expect "CPU$c: write $good" put_attr "$c" "$attribute" "$good"
		expect_on "$good on CPU$c"
	done
	[ $count -gt 0 ] || skip "no CPU can be taken offline"
}

# A CPU that is compatible does not make up for others.
hotplug_compatible()
{
	local c vetoer="$boot_cpu" count=0 all="$cpus"

	expect "enter the base state" base "$1"
	expect "CPU$vetoer: write EPP" put_attr "$vetoer" $EPP performance
	expect_off "EPP performance on CPU$vetoer"
	for c in $all; do
		[ "$c" != "$vetoer" ] || continue
		can_hotplug "$c" || continue
		count=$((count + 1))
		expect "CPU$c offline" online "$c" 0
		expect_off "EPP performance on CPU$vetoer, CPU$c offline"
		expect "CPU$c online" online "$c" 1
		expect_off "EPP performance on CPU$vetoer, CPU$c online"
	done
	[ $count -gt 0 ] || skip "no CPU can be taken offline"
	expect "CPU$vetoer: write EPP" put_attr "$vetoer" $EPP balance_performance
	expect_on "EPP balance_performance on CPU$vetoer"
}

###############################################################################
# Others

# sched_energy_aware=0 stays in effect whatever changes.
sysctl_off()
{
	expect "enter the base state" base "$1"
	expect_on "base state"
	expect "disable EAS" put $AWARE 0
	expect "write EPP" put_all $EPP performance
	expect "sched domains are rebuilt" eas_settle
	expect "write EPP" put_all $EPP balance_performance
	expect "sched domains are rebuilt" eas_settle
	get $AWARE
	expect "EAS is possible and disabled" test "$val" = 0
	[ -z "$trace" ] || expect "EAS is not used" test "$used" = off
	expect "enable EAS" put $AWARE 1
	expect_on "sched_energy_aware is 1"
}

# Writing what is there already does not have sched domains rebuilt.
no_change()
{
	local c

	in_state "$1"
	eas_forget
	[ -n "$trace" ] || { skip "needs kprobes and tracing"; return; }
	for c in $cpus; do
		expect "CPU$c: write EPP" put_attr "$c" $EPP balance_performance
		get_attr "$c" $GOV
		expect "CPU$c: set $val" put_attr "$c" $GOV "$val"
	done
	expect "set the mode to $1" put $PSTATE/status "$1"
	eas_settle
	expect "no rebuild has been requested, but $requests" test "$requests" -eq 0
	expect "EAS $eas: nothing has changed" eas_is "$eas"
}

# Whatever is set, EAS cannot be used if CPUs do not differ in capacity.
never_on()
{
	local g v

	[ -n "$no_eas" ] || { skip "EAS can be used"; return; }
	expect "switch to $1 mode" set_mode "$1"
	expect_off "$1 mode"
	for g in performance powersave schedutil ondemand conservative userspace; do
		governor $g || continue
		expect "set $g" put_all $GOV $g
		expect_off "governor $g"
		[ -z "$no_epp" ] || continue
		[ "$1/$g" != active/performance ] || continue
		for v in performance balance_performance balance_power power default 0 128 255; do
			expect "write EPP $v" put_all $EPP $v
			expect_off "governor $g, EPP $v"
		done
	done
	[ -n "$no_epp" ] || put_all $EPP balance_performance
}

# Where the hardware has no EPP, there is none in sysfs.
epp_missing()
{
	local c

	[ -n "$no_epp" ] || { skip "there is EPP"; return; }
	expect "switch to $1 mode" set_mode "$1"
	for c in $cpus; do
		attr "$c" $EPP
		[ -e "$val" ] || continue
		expect "EPP of CPU$c cannot be written" write_is "$val" power 5 EOPNOTSUPP
	done
}

###############################################################################
# Bad input

# in_state MODE: go there, and see what the state of EAS is, in $eas
in_state()
{
	expect "enter the base state" base "$1"
	expect "sched domains are rebuilt" eas_settle
	eas=$used
}

# bad_input FILE INPUT LENGTH OUTCOME: the same error as ever, no side effects
bad_input()
{
	local file="$1" input="$2" length="${3:-${#2}}" outcome="$4" c epp gov path

	for c in $cpus; do
		get_attr "$c" $EPP
		epp=$val
		get_attr "$c" $GOV
		gov=$val
		case $file in
		status) path=$PSTATE/status ;;
		*) attr "$c" "$file"; path=$val ;;
		esac
		expect "'$input' is refused on CPU$c" write_is "$path" "$input" "$length" "$outcome"
		get_attr "$c" $EPP
		expect "EPP of CPU$c is the same, not $val" test "$val" = "$epp"
		get_attr "$c" $GOV
		expect "governor of CPU$c is the same, not $val" test "$val" = "$gov"
		[ "$file" != status ] || break
	done
	get $PSTATE/status
	expect "the mode is the same, not $val" test "$val" = "$mode"
	expect "EAS $eas: '$input' must not matter" eas_is "$eas"
}

# good_input INPUT LENGTH SHOWN: odd, but always has been accepted
good_input()
{
	local c path

	for c in $cpus; do
		attr "$c" $EPP
		path=$val
		expect "'$1' is accepted on CPU$c" write_is "$path" "$1" "$2" "$2"
		get "$path"
		expect "EPP is $3, not $val" test "$val" = "$3"
	done
	expect "EAS $eas: EPP $3" eas_is "$eas"
}

epp_input()
{
	in_state "$1"
	bad_input $EPP "" 0 0
	bad_input $EPP "$newline" "" EINVAL
	bad_input $EPP " " "" EINVAL
	bad_input $EPP "" 30 EINVAL
	bad_input $EPP nonsense "" EINVAL
	bad_input $EPP perf "" EINVAL
	bad_input $EPP PERFORMANCE "" EINVAL
	bad_input $EPP balance-performance "" EINVAL
	bad_input $EPP balance_performance_and_more "" EINVAL
	bad_input $EPP nonsense 5000 EINVAL
	bad_input $EPP -1 "" EINVAL
	bad_input $EPP 256 "" EINVAL
	bad_input $EPP 4294967295 "" EINVAL
	bad_input $EPP 4294967296 "" ERANGE
	bad_input $EPP 18446744073709551616 "" ERANGE
	bad_input $EPP 0x10 "" EINVAL
	bad_input $EPP 77x "" EINVAL
	bad_input $EPP 77.5 "" EINVAL
	bad_input $EPP "77 78" "" EINVAL
	bad_input $EPP "77${newline}78" "" EINVAL
	bad_input $EPP " 77" "" EINVAL
	expect "EPP is the same" all_are $EPP balance_performance
}

epp_input_accepted()
{
	in_state "$1"
	# Only the first word counts.  cpupower pads it.
	good_input balance_power 30 balance_power
	good_input 77 30 77
	good_input "power$newline" 6 power
	good_input "78$newline" 3 78
	good_input " balance_power" 14 balance_power
	good_input "power performance" 17 power
	good_input "balance_power${newline}performance" 25 balance_power
	good_input 077 3 77
	good_input +78 3 78
	good_input balance_performance 19 balance_performance
}

governor_input()
{
	in_state "$1"
	bad_input $GOV "" 0 0
	bad_input $GOV "$newline" "" EINVAL
	bad_input $GOV "" 30 EINVAL
	bad_input $GOV nonsense "" EINVAL
	bad_input $GOV a_governor_name_that_is_too_long "" EINVAL
	bad_input $GOV 0 "" EINVAL
	bad_input $GOV "nonsense${newline}powersave" "" EINVAL
	case $1 in
	active) bad_input $GOV schedutil "" EINVAL ;;
	passive) bad_input $GOV schedutilx "" EINVAL ;;
	esac
}

status_input()
{
	in_state "$1"
	bad_input status "" 0 0
	bad_input status "$newline" "" EINVAL
	bad_input status "" 30 EINVAL
	bad_input status nonsense "" EINVAL
	bad_input status ACTIVE "" EINVAL
	bad_input status "passive " "" EINVAL
	bad_input status passive 30 EINVAL
	bad_input status "nonsense${newline}active" "" EINVAL
}

###############################################################################

# Name, what is needed, command.  The number does not depend on the system.
list()
{
	local m v g good

	for m in active passive; do
		for v in performance balance_performance balance_power power default \
			 0 1 "performance value" "performance value + 1" 77 255; do
			echo "$m: EPP $v|eas epp|epp_value $m '$v'"
		done
		echo "$m: EPP performance on one CPU|eas epp|" \
			"each_cpu $m $EPP performance balance_performance"
		echo "$m: EPP 0 on one CPU|eas epp|each_cpu $m $EPP 0 balance_power"
		echo "$m: EPP of one CPU after the other|eas epp|one_after_the_other $m"
		if [ $m = active ]; then
			good=powersave
			echo "$m: governor performance|eas|active_performance"
			echo "$m: governor performance, EPP performance|eas epp|" \
				"active_performance_veto"
			echo "$m: EPP refused under performance|eas epp|active_performance_refused"
			echo "$m: governor performance on one CPU|eas|" \
				"each_cpu $m $GOV performance powersave"
		else
			good=schedutil
			for g in ondemand conservative userspace performance powersave; do
				echo "$m: governor $g|eas|passive_governor $g"
			done
			for g in ondemand performance; do
				echo "$m: governor $g on one CPU|eas|each_cpu $m $GOV $g schedutil"
			done
			echo "$m: EPP of one CPU, governor of another|eas epp|" \
				"two_reasons performance"
			echo "$m: EPP veto, then schedutil|eas epp|veto_then_schedutil"
			echo "$m: schedutil, then EPP veto|eas epp|schedutil_then_veto"
			echo "$m: governor away and back under a veto|eas epp|" \
				"governor_away_and_back"
			echo "$m: veto lifted under another governor|eas epp|lifted_under_other"
		fi
		echo "$m: CPU hotplug|eas epp|hotplug $m"
		echo "$m: hotplug of a CPU with EPP performance|eas epp|" \
			"hotplug_veto $m $EPP performance balance_power"
		echo "$m: hotplug of a CPU with governor performance|eas|" \
			"hotplug_veto $m $GOV performance $good"
		echo "$m: hotplug of other CPUs under a veto|eas epp|hotplug_compatible $m"
		echo "$m: sched_energy_aware=0|eas epp|sysctl_off $m"
		echo "$m: writes without a change|eas epp|no_change $m"
		echo "$m: never on without asymmetric capacity|-|never_on $m"
		echo "$m: no EPP|-|epp_missing $m"
		echo "$m: bad EPP input|epp|epp_input $m"
		echo "$m: odd EPP input|epp|epp_input_accepted $m"
		echo "$m: bad governor input|-|governor_input $m"
		echo "$m: bad status input|-|status_input $m"
	done
	echo "mode switch with EPP balance_power|eas epp|mode_switch balance_power on"
	echo "mode switch with EPP performance|eas epp|mode_switch performance off"
	echo "mode switch, veto lifted in passive mode|eas epp|mode_switch_lift active"
	echo "mode switch, veto lifted in active mode|eas epp|mode_switch_lift passive"
	echo "mode switch with other governors|eas|mode_switch_governor"
	echo "driver off|-|driver_off"
}

# needs WHAT: skips unless it is there
needs()
{
	local n

	for n in $1; do
		case $n in
		eas) [ -z "$no_eas" ] || { skip "$no_eas"; return 1; } ;;
		epp) [ -z "$no_epp" ] || { skip "$no_epp"; return 1; } ;;
		esac
	done
}

one()
{
	needs "$1" || return 0
	eval "$2"
}

pattern=${1:-*}
eas_init
for c in $cpus; do
	boot_cpu=$c
	break
done
if [ -z "$no_epp" ]; then
	base "$mode"
	if performance_epp; then
		performance=$val
		ktap_print_msg "EPP performance is $performance"
	else
		ktap_exit_fail_msg "no number is shown as EPP performance"
	fi
	base "$mode"
fi
if [ -z "$no_eas" ]; then
	base passive
	eas_settle
	eas_enable
fi

list > "$tmp/list"
eas_select "$pattern" < "$tmp/list"

while IFS='|' read -r name need command <&3; do
	run "$name" one "$need" "$command"
done 3< "$tmp/tests"

eas_finish
