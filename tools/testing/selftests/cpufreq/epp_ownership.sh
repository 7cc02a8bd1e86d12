#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# "local" is there in all shells concerned
#
# An energy performance preference (EPP) that a user has chosen is not lost: every
# line of the table "Who owns the EPP" in Documentation/cpu-freq/eas.rst and what
# goes with it, on all CPUs, in sysfs and in the register.
#
# usage: epp_ownership.sh [-e] [PATTERN]
#
# With -e, EAS is not looked at, only EPP is.  With PATTERN, only tests with such
# names are run, e.g. '*S1?*'.

. "$(dirname -- "$0")/eas_lib.sh"

BOOST=$PSTATE/hwp_dynamic_boost
STATE=/sys/power/state

performance=	# what "performance" stands for as a number
default=	# how "default" is shown
no_msr=		# why the register cannot be read, empty if it can
no_suspend=	# why suspend cannot be tested, empty if it can
late=		# CPUs that had not been online when the test was started

###############################################################################
# What to do and what to see

# The steps that sequences are made of
epp()
{
	expect "write EPP $1" put_all $EPP "$1"
}

gov()
{
	expect "set governor $1" put_all $GOV "$1"
}

mode()
{
	expect "set mode $1" set_mode "$1"
}

# refused VALUE: EPP is busy on all CPUs
refused()
{
	local c

	for c in $cpus; do
		attr "$c" $EPP
		expect "EPP $1 is refused on CPU$c" write_is "$val" "$1" ${#1} EBUSY
	done
}

# behind VALUE: change the register, but do not tell the driver
behind()
{
	# shellcheck disable=SC2086	# a list
	expect "set EPP in the register to $1" "$DIR/hwp_epp" set "$1" $cpus
}

cycle()
{
	expect "CPU$1 offline" online "$1" 0
	expect "CPU$1 online" online "$1" 1
}

# hotplug: one CPU after the other, then all of them at the same time
hotplug()
{
	local c all="$cpus"

	for c in $all; do
		! can_hotplug "$c" || cycle "$c"
	done
	for c in $all; do
		! can_hotplug "$c" || expect "CPU$c offline" online "$c" 0
	done
	for c in $all; do
		! can_hotplug "$c" || expect "CPU$c online" online "$c" 1
	done
}

# suspend_to STATE LEVEL: to STATE and back, nothing depends on the firmware
suspend_to()
{
	[ -z "$no_suspend" ] || { skip "$no_suspend"; return 1; }
	get $STATE
	case " $val " in
	*" $1 "*) ;;
	*) skip "the system cannot enter $1"; return 1 ;;
	esac
	put $PM_TEST "$2"
	expect "suspend and resume" put $STATE "$1"
	put $PM_TEST none
}

# register VALUE: is that in the registers of all CPUs?
register()
{
	local got v

	[ -z "$no_msr" ] || return 0
	# shellcheck disable=SC2086	# a list
	got=$("$DIR/hwp_epp" get $cpus) || return
	for v in $got; do
		[ "$v" = "$1" ] && continue
		ktap_print_msg "EPP in registers: $got, expected $1"
		return 1
	done
}

# is EPP [REGISTER]: EPP of all CPUs, and what is in the register if that is not
# what the word stands for
is()
{
	local want

	expect "EPP is $1" all_are $EPP "$1"
	[ -z "$no_msr" ] || return 0
	if [ -n "${2:-}" ]; then
		want=$2
	else
		number "$1"
		want=$val
	fi
	expect "EPP in the register is $want" register "$want"
}

# number EPP: what a word stands for, in $val, according to the table made before
number()
{
	case $1 in
	[0-9]*) val=$1 ;;
	*) val=$(sed -n "s/^$1 //p" "$tmp/words") ;;
	esac
}

# eas on|off: unless there cannot be any
eas()
{
	[ -n "$no_eas" ] || expect "EAS $1" eas_is "$1"
}

# Where governor performance is in effect: 0 is, whatever is to come back.
forced()
{
	is performance 0
	eas off
}

start()
{
	expect "enter the base state" base active
	is balance_performance
	eas on
}

###############################################################################
# The table

S1()
{
	start
	gov performance; forced
	gov powersave; is balance_performance; eas on
}

S2()
{
	start
	gov performance; epp performance; forced
	gov powersave; is performance; eas off
}

S3()
{
	start
	gov performance; refused power; forced
	gov powersave; is balance_performance; eas on
}

S4()
{
	start
	epp performance; is performance; eas off
	gov performance; forced
	gov powersave; is performance; eas off
}

S5()
{
	start
	gov performance; hotplug; forced
	gov powersave; is balance_performance; eas on
}

S6()
{
	start
	gov performance; epp performance; hotplug; forced
	gov powersave; is performance; eas off
}

S7()
{
	start
	gov performance; forced
	mode passive
	if mode_has_epp; then
		is balance_performance
		gov schedutil; eas on
		gov performance; is balance_performance; eas off
	fi
	mode active; gov powersave; is balance_performance; eas on
}

S8()
{
	start
	gov performance; epp performance
	mode passive
	! mode_has_epp || { is performance; gov schedutil; eas off; }
	mode active; gov powersave; is performance; eas off
}

S9()
{
	start
	gov performance; forced
	suspend_to "$1" "$2" || return
	forced
	gov powersave; is balance_performance; eas on
}

S10()
{
	[ "$vendor" = intel ] || { skip "there is nothing like that on AMD"; return; }
	[ -z "$no_msr" ] || { skip "$no_msr"; return; }
	start
	gov performance; behind 100
	gov powersave; is 100; eas on
}

S11()
{
	[ "$performance" -gt 0 ] || { skip "performance is 0 here"; return; }
	start
	gov performance; epp performance; forced
	gov powersave; is performance "$performance"; eas off
}

S12()
{
	start
	epp 77; is 77
	gov performance; forced
	gov powersave; is 77; eas on
}

S13()
{
	start
	epp default
	get_attr "${cpus%% *}" $EPP
	if [ "$val" = performance ]; then
		epp balance_performance
		gov performance; epp default; forced
		gov powersave; is performance
	else
		epp balance_performance
		gov performance; refused default; forced
		gov powersave; is balance_performance; eas on
	fi
}

###############################################################################
# What goes with it

# Every number, and every word that is shown for one, is taken back.
round_trip()
{
	local c last n shown

	start
	for c in $cpus; do
		last=$c
	done
	# One is like another, except for those of another type.
	for c in ${cpus%% *} $last; do
		n=0
		while [ $n -lt 256 ]; do
			expect "write $n" put_attr "$c" $EPP $n
			get_attr "$c" $EPP
			shown=$val
			expect "write back $shown" put_attr "$c" $EPP "$shown"
			get_attr "$c" $EPP
			expect "$n is shown as $shown, then as $val" test "$val" = "$shown"
			number "$shown"
			[ -n "$no_msr" ] || expect "$shown stands for $n" test "$val" = "$n"
			n=$((n + 1))
		done
	done
	for n in 0 1 "$performance" $((performance + 1)) 128 254 255; do
		epp "$n"
		expect "register" register "$n"
	done
}

# All that means performance is taken under governor performance and comes later.
below_performance()
{
	local n

	for n in 0 "$performance" $((performance / 2)); do
		start
		gov performance; epp "$n"; forced
		gov powersave
		expect "EPP in the register is $n" register "$n"
		eas off
	done
	start
	gov performance; refused $((performance + 1)); refused 255; forced
	gov powersave; is balance_performance; eas on
}

# What is written last counts.
last_one()
{
	start
	epp balance_power
	gov performance; epp performance; refused power
	gov powersave; is performance; eas off
	epp power
	gov performance; gov performance; forced
	gov powersave; gov powersave; is power; eas on
}

# Two CPUs need not have the same EPP.
each_its_own()
{
	local c n=30

	start
	for c in $cpus; do
		expect "CPU$c: EPP $n" put_attr "$c" $EPP $n
		n=$((n + 2))
	done
	gov performance; forced
	hotplug
	gov powersave
	n=30
	for c in $cpus; do
		get_attr "$c" $EPP
		expect "EPP of CPU$c is $val, was $n" test "$val" = $n
		n=$((n + 2))
	done
}

hotplug_agree()
{
	start
	epp balance_power; hotplug; is balance_power; eas on
	epp performance; hotplug; is performance; eas off
	epp 77; hotplug; is 77; eas on
}

suspend_agree()
{
	local v

	start
	for v in balance_power performance 77; do
		epp $v
		suspend_to mem processors || return
		is $v
	done
}

# EPP that has been chosen under one mode is in effect in the other one.
mode_keeps()
{
	local v

	start
	for v in power performance 77; do
		epp $v
		mode passive
		! mode_has_epp || is $v
		mode active; gov powersave; is $v
	done
	gov performance
	mode passive
	mode_has_epp || return 0
	epp balance_power; is balance_power
	mode active; gov powersave; is balance_power; eas on
}

# From every mode to every other one, including none at all
mode_pairs()
{
	local from to v=30

	start
	for from in active passive guided disable; do
		for to in active passive guided disable; do
			[ "$from" != "$to" ] || continue
			mode active
			gov performance; forced
			gov powersave; epp $v; is $v
			mode $from; mode $to; mode active
			gov powersave; is $v
			epp default
			get_attr "${cpus%% *}" $EPP
			expect "EPP default is $val, was $default" test "$val" = "$default"
			v=$((v + 1))
		done
	done
	gov performance; epp performance
	mode disable; mode guided; mode active
	gov powersave; is performance
}

# Dynamic EPP ends under governor performance, then the static preference is back.
dynamic()
{
	local c v

	start
	for v in balance_power 77; do
		epp $v
		epp dynamic
		for c in $cpus; do
			get_attr "$c" $EPP
			case $val in
			"dynamic(profile:"*")") ;;
			*) expect "EPP of CPU$c is dynamic, not $val" false ;;
			esac
			expect "$val can be written back" put_attr "$c" $EPP "$val"
			expect "... with 40 bytes" write_is "$SYS/cpu$c/cpufreq/$EPP" "$val" 40 40
			expect "... without the end" write_is "$SYS/cpu$c/cpufreq/$EPP" \
				"dynamic(profile:power" 21 EINVAL
		done
		hotplug
		gov performance; forced
		refused dynamic
		gov powersave; is $v
		epp dynamic
		mode passive; mode active
		gov powersave; is $v
		epp dynamic; epp balance_performance; is balance_performance
	done
	epp balance_power
	epp dynamic
	watched 11 gov performance
	is performance 0
}

# Starting the governor again is expensive, so do not do it in vain.
passive_same()
{
	local c name=epp_selftest_$$ d

	expect "enter the base state" base passive
	d=$tracing/instances/$name
	if [ -z "$trace" ] || ! mkdir "$d"; then
		skip "needs kprobes and tracing"
		return
	fi
	if echo "p:$name/start sugov_start" >> "$tracing/kprobe_events" 2>/dev/null; then
		put "$d/events/$name/start/enable" 1
		for c in $cpus; do
			attr "$c" $EPP
			expect "write all bytes" write_is "$val" balance_performance 19 19
			attr "$c" $EPP
			expect "write all of 30 bytes" write_is "$val" balance_performance 30 30
		done
		expect "governor has not been started" test "$(grep -c start: "$d/trace")" = 0
		epp power
		expect "governor has been started again" test "$(grep -c start: "$d/trace")" != 0
		is power
		put "$d/events/$name/start/enable" 0
	else
		skip "schedutil cannot be traced"
	fi
	rmdir "$d"
	[ ! -e "$tracing/events/$name" ] || echo "-:$name/start" >> "$tracing/kprobe_events"
}

# Governor and EPP in either order
passive_orders()
{
	expect "enter the base state" base passive
	eas on
	epp performance; eas off
	gov powersave; eas off
	epp balance_performance; eas off
	gov schedutil; eas on
	gov powersave; epp performance; gov schedutil; eas off
	epp power; eas on; is power
	gov performance; is power; eas off
	gov schedutil; is power; eas on
}

###############################################################################
# Notification

# watched EXPECTED STEP...: does every file wake its watchers, "11", or none, "00"?
watched()
{
	local want="$1" c tries=0 pid files=

	shift
	for c in $cpus; do
		attr "$c" $EPP
		files="$files $val"
	done
	rm -f "$tmp/ready"
	# Wait for what must come, but not long for what must not.
	# shellcheck disable=SC2086	# a list
	"$DIR/sysfs_watch" "$tmp/ready" "$([ "$want" = 11 ] && echo 10000 || echo 700)" \
		$files > "$tmp/woken" &
	pid=$!
	until [ -e "$tmp/ready" ]; do
		tries=$((tries + 1))
		[ $tries -le $TRIES ] || break
		sleep 0.05
	done
	"$@"
	wait $pid
	expect "$*: woken are $(tr '\n' ' ' < "$tmp/woken"), expected $want" \
		test "$(sort -u "$tmp/woken")" = "$want"
}

notify()
{
	start
	watched 11 gov performance
	watched 00 gov performance
	watched 00 refused power
	watched 11 gov powersave
	watched 00 gov powersave
	# EPP does not change with the governor if it is 0 anyway.
	epp 0
	watched 00 gov performance
	watched 00 gov powersave
	# Who writes does not need to be notified, except by inotify.
	watched 01 epp balance_power
	watched 01 epp balance_power
	is balance_power
}

###############################################################################

# Firmware's EPP is what CPUs start with, even if they do so late.
late_cpus()
{
	local first c

	[ -n "$late" ] || { skip "all CPUs are online"; return; }
	get_attr "${cpus%% *}" $EPP
	first=$val
	for c in $late; do
		expect "CPU$c online" online "$c" 1
		get_attr "$c" $EPP
		expect "EPP of CPU$c is $val, of others $first" test "$val" = "$first"
	done
	if [ -z "$no_msr" ]; then
		# shellcheck disable=SC2086	# a list
		val=$("$DIR/hwp_epp" get $cpus)
		# shellcheck disable=SC2086	# a list
		c=$(printf '%s\n' $val | sort -u | wc -l)
		expect "registers agree: $val" test "$c" -eq 1
	fi
	prepare
	start
	gov performance; forced
	gov powersave; is balance_performance
}

sequences()
{
	local boost="$1"

	echo "S1${boost}|S1"
	echo "S2, performance written under governor performance${boost}|S2"
	echo "S3, something else written under governor performance${boost}|S3"
	echo "S4, performance written before${boost}|S4"
	echo "S5, CPU hotplug${boost}|S5"
	echo "S6, performance written, CPU hotplug${boost}|S6"
	echo "S7, passive mode${boost}|S7"
	echo "S8, performance written, modes${boost}|S8"
	echo "S9, suspend to idle${boost}|S9 freeze devices"
	echo "S9, suspend to RAM${boost}|S9 mem processors"
	echo "S10, register changed${boost}|S10"
	echo "S11, performance is not 0${boost}|S11"
	echo "S12, raw value${boost}|S12"
	echo "S13, default${boost}|S13"
}

list()
{
	echo "CPUs that come late|late_cpus"
	if [ -e $BOOST ]; then
		echo "disable hwp_dynamic_boost|expect 'boost off' put $BOOST 0"
		sequences ""
		echo "enable hwp_dynamic_boost|expect 'boost on' put $BOOST 1"
		sequences ", with hwp_dynamic_boost"
		echo "disable hwp_dynamic_boost again|expect 'boost off' put $BOOST 0"
	else
		sequences ""
	fi
	echo "what is shown can be written|round_trip"
	echo "values up to performance|below_performance"
	echo "the last choice counts|last_one"
	echo "each CPU has its own EPP|each_its_own"
	echo "EPP after CPU hotplug|hotplug_agree"
	echo "EPP after suspend|suspend_agree"
	echo "EPP after mode switches|mode_keeps"
	if [ "$vendor" = amd ]; then
		echo "EPP after switches between all modes|mode_pairs"
		echo "dynamic EPP|dynamic"
	else
		echo "passive mode, same value|passive_same"
		echo "passive mode, order of governor and EPP|passive_orders"
	fi
	echo "notification|notify"
}

# words: lines "WORD NUMBER", from what is in the register after writing a word
words()
{
	local w

	for w in performance balance_performance balance_power power; do
		put_all $EPP $w || return
		echo "$w $("$DIR/hwp_epp" get "${cpus%% *}")"
	done
}

epp_only=
if [ "${1:-}" = -e ]; then
	epp_only=yes
	shift
fi
pattern=${1:-*}
eas_init
[ -z "$epp_only" ] || no_eas="of -e"
[ -z "$no_epp" ] || skip_all "$no_epp"
for d in hwp_epp sysfs_watch; do
	[ -x "$DIR/$d" ] || skip_all "$d has not been built, run make"
done
for d in "$SYS"/cpu[0-9]*; do
	get "$d/online"
	[ "$val" != 0 ] || late="$late ${d##*/cpu}"
done

# shellcheck disable=SC2086	# a list
"$DIR/hwp_epp" get $cpus > "$tmp/epps" 2> "$tmp/why" || no_msr=$(cat "$tmp/why")
[ -z "$no_msr" ] || ktap_print_msg "registers are not looked at: $no_msr"
[ -w $PM_TEST ] || no_suspend="there is no pm_test"
# The default of five seconds is not needed.
[ ! -w $PM_TEST_DELAY ] || put $PM_TEST_DELAY 1

list > "$tmp/list"
eas_select "$pattern" < "$tmp/list"

prepare()
{
	base active
	if [ -z "$no_msr" ]; then
		words > "$tmp/words"
		number performance
		performance=$val
	elif performance_epp; then
		performance=$val
	else
		ktap_exit_fail_msg "no number is shown as EPP performance"
	fi
	put_all $EPP default
	get_attr "${cpus%% *}" $EPP
	default=$val
	base active
	[ -n "$no_eas" ] || { eas_settle; eas_enable; }
	ktap_print_msg "EPP performance is $performance"
}

# What is about CPUs that come late needs everything as it has been found.
[ -n "$late" ] || prepare
while IFS='|' read -r name command <&3; do
	run "$name" eval "$command"
	[ -n "$performance" ] || prepare
done 3< "$tmp/tests"

eas_finish
