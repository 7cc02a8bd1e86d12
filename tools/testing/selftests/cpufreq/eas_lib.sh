# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC3043	# "local" is there in all shells concerned
#
# Helpers for tests of what scaling governors and the energy performance
# preference (EPP) do to Energy-Aware Scheduling (EAS), to be sourced.  They need
# no more than a POSIX shell with "local", so that busybox will do.
#
# A test program calls eas_init, eas_select, run for each test, and eas_finish.
# Settings are put back by eas_finish, and also if the program is interrupted.

# shellcheck disable=SC1007	# CDPATH is to be empty
DIR=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
# shellcheck disable=SC1091	# it is in the kernel tree
. "$DIR/../kselftest/ktap_helpers.sh"

SYS=/sys/devices/system/cpu
PSTATE=$SYS/intel_pstate	# or amd_pstate, from eas_init on
AWARE=/proc/sys/kernel/sched_energy_aware
PM_TEST=/sys/power/pm_test
PM_TEST_DELAY=/sys/module/suspend/parameters/pm_test_delay
EPP=energy_performance_preference
GOV=scaling_governor

# How long to wait for something that must happen, in steps of 50 ms
TRIES=200

tmp=		# a directory for our files, there from eas_init on
cpus=		# online CPUs with cpufreq policies
vendor=		# whose driver it is: intel or amd
mode=		# the driver's operation mode
no_eas=		# why EAS cannot be used on this system, empty if it can
no_epp=		# why there is no EPP, empty if there is

###############################################################################
# Reading and writing of sysfs files
#
# Commands are expensive on slow systems, so values are read by the shell itself
# and returned in $val where that matters.

# get FILE: the first line of FILE in $val, which is empty if there is none
get()
{
	val=
	# There may be no newline.
	read -r val 2>/dev/null < "$1" || :
}

# put FILE VALUE
put()
{
	# The outer redirection is for failures of the inner one.
	{ echo "$2" > "$1"; } 2>/dev/null
}

# write_is FILE STRING LENGTH OUTCOME: one write(2) of STRING, padded with NUL
# bytes up to LENGTH, returns the number or fails with the error OUTCOME.
write_is()
{
	local got

	got=$("$DIR/sysfs_write" "$1" "$2" "$3") || got="exit status $?"
	[ "$got" = "$4" ] && return
	ktap_print_msg "writing '$2' ($3 bytes) to $1: $got, expected $4"
	return 1
}

# attr CPU ATTRIBUTE: path of a cpufreq attribute in $val
attr()
{
	val=$SYS/cpu$1/cpufreq/$2
}

get_attr()
{
	get "$SYS/cpu$1/cpufreq/$2"
}

put_attr()
{
	put "$SYS/cpu$1/cpufreq/$2" "$3"
}

# put_all ATTRIBUTE VALUE: on all online CPUs, one after the other.  Fails unless
# it works on all of them.
put_all()
{
	local c ret=0

	for c in $cpus; do
		put_attr "$c" "$1" "$2" || ret=1
	done
	return $ret
}

# all_are ATTRIBUTE VALUE: does every online CPU have it?
all_are()
{
	local c

	for c in $cpus; do
		get_attr "$c" "$1"
		[ "$val" = "$2" ] && continue
		ktap_print_msg "cpu$c: $1 is '$val', expected '$2'"
		return 1
	done
}

# find_cpus: set $cpus
find_cpus()
{
	local d

	cpus=
	for d in "$SYS"/cpu[0-9]*; do
		get "$d/online"
		[ "$val" = 0 ] || [ ! -e "$d/cpufreq/$GOV" ] || cpus="$cpus ${d##*/cpu}"
	done
	# In ascending order, the shell has sorted them like words.
	# shellcheck disable=SC2086	# they are words
	cpus=$(printf '%s\n' $cpus | sort -n | tr '\n' ' ')
}

# online CPU 0|1
online()
{
	put "$SYS/cpu$1/online" "$2" || return
	find_cpus
}

can_hotplug()
{
	[ -w "$SYS/cpu$1/online" ]
}

# set_mode MODE: active, passive, off (Intel), guided or disable (AMD)
set_mode()
{
	if [ "$mode" != "$1" ]; then
		put $PSTATE/status "$1" || return
	fi
	get $PSTATE/status
	mode=$val
	find_cpus
	[ "$mode" = "$1" ]
}

# governor NAME: is that available?
governor()
{
	local c

	for c in $cpus; do
		get_attr "$c" scaling_available_governors
		case " $val " in
		*" $1 "*) return 0 ;;
		esac
		return 1
	done
}

# mode_has_epp: is there a preference in the present mode?
mode_has_epp()
{
	[ "$vendor" = intel ] || [ "$mode" = active ]
}

# base active|passive: what tests in that mode start from, EAS is compatible
base()
{
	case $1 in
	active) set_mode active && put_all $GOV powersave ;;
	passive) set_mode passive && put_all $GOV schedutil ;;
	esac || return
	[ -n "$no_epp" ] || ! mode_has_epp || put_all $EPP balance_performance
}

# asymmetric: do CPUs that are online differ in capacity, as EAS requires?
asymmetric()
{
	local c first=

	for c in $cpus; do
		get "$SYS/cpu$c/cpu_capacity"
		first=${first:-$val}
		[ "$val" = "$first" ] || return 0
	done
	return 1
}

# performance_epp: the number that "performance" stands for in $val, fails if
# there is none.  The number is set on the first CPU and left there.
performance_epp()
{
	local c n=0

	# Numbers are shown as numbers there.
	if [ "$vendor" = amd ]; then
		val=0
		return
	fi
	for c in $cpus; do
		while [ $n -le 255 ]; do
			put_attr "$c" $EPP $n || return
			get_attr "$c" $EPP
			if [ "$val" = performance ]; then
				val=$n
				return 0
			fi
			n=$((n + 1))
		done
		return 1
	done
}

###############################################################################
# The state of EAS
#
# Whether EAS can be used at present shows in sched_energy_aware, which is empty
# if it cannot.  That is computed whenever the file is read.
#
# Whether EAS is being used is up to the last rebuild of sched domains.  User
# space is not told, but a kprobe can read the static key: every time that
# sched_energy_aware is read, so there can be an answer at any time.
#
# A change that matters to EAS queues a work item before the write that caused it
# returns, which rebuilds sched domains later.  Before looking at the result, or
# finding that there is none, wait for it: every queueing of the work item that
# has been traced is followed by its end.  So "EAS stays on" is not a matter of
# how long one waits.  The work items are those of em_rebuild_sched_domains() and
# em_update_sched_domains(); not every kernel has the latter.
#
# Without kprobes or tracing (lockdown, kernel configuration), rely on
# sched_energy_aware and on it not changing for a while.

WORK='rebuild_sd_workfn update_sd_workfn'

tracing=	# the tracefs directory
trace=		# our instance in there, empty if tracing is not available

trace_start()
{
	local d w name=eas_selftest_$$ events filter=

	for d in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		[ -w $d/kprobe_events ] && [ -d $d/instances ] && break
		d=
	done
	[ -n "$d" ] || return

	tracing=$d
	trace=$d/instances/$name
	mkdir "$trace" 2>/dev/null || { trace=; return 1; }
	events="events/workqueue/workqueue_queue_work events/workqueue/workqueue_execute_end"

	# Events are in the order of that clock, whatever CPUs they come from.
	if ! put "$trace/trace_clock" counter ||
	   ! { echo "p:$name/key sched_energy_aware_handler on=@sched_energy_present:s32" \
		>> "$tracing/kprobe_events"; } 2>/dev/null; then
		trace_stop
		return 1
	fi
	for w in $WORK; do
		if grep -q " $w\$" /proc/kallsyms; then
			filter="${filter:+$filter || }function.function == $w"
		fi
	done
	[ -n "$filter" ] || { trace_stop; return 1; }
	for d in $events; do
		if ! put "$trace/$d/filter" "$filter" ||
		   ! put "$trace/$d/enable" 1; then
			trace_stop
			return 1
		fi
	done
	put "$trace/events/$name/key/enable" 1 || { trace_stop; return 1; }
}

trace_stop()
{
	local name=${trace##*/}

	[ -n "$trace" ] || return 0
	[ ! -e "$trace/events/$name/key" ] || put "$trace/events/$name/key/enable" 0
	rmdir "$trace"
	[ ! -e "$tracing/events/$name" ] || echo "-:$name/key" >> "$tracing/kprobe_events"
	trace=
}

# eas_read: what can be said now in $possible and $used, both on or off, and in
# $requests, the number of rebuilds requested since eas_forget.  Fails if there
# still are requested ones, which have not been done.
eas_read()
{
	local reply

	get $AWARE
	[ -n "$val" ] && possible=on || possible=off
	used=$possible requests=
	[ -n "$trace" ] || return 0

	# The key must have been read after the last rebuild.
	reply=$(awk '
		/ workqueue_queue_work: / { queued++ }
		/ workqueue_execute_end: / { ended++; key = "?" }
		/ key: .* on=/ { key = $0; sub(/.* on=/, "", key) }
		END { print key != "" ? key : "?", queued + 0, ended + 0 }' "$trace/trace")
	# shellcheck disable=SC2086	# there are three words
	set -- $reply
	# shellcheck disable=SC2034	# for test programs
	requests=$2
	# More may have ended if eas_forget came in between.
	[ "$1" != '?' ] && [ "$2" -le "$3" ] || return
	[ "$1" -gt 0 ] && used=on || used=off
}

# eas_forget: forget about requested rebuilds
eas_forget()
{
	[ -z "$trace" ] || : > "$trace/trace"
}

# eas_settle: wait for rebuilds of sched domains, then eas_read
eas_settle()
{
	local tries=0

	until eas_read; do
		tries=$((tries + 1))
		if [ $tries -gt $TRIES ]; then
			ktap_print_msg "sched domains are not rebuilt though that was requested"
			return 1
		fi
		sleep 0.05
	done
}

# eas_is on|off: is EAS in that state, possible and used?
eas_is()
{
	local tries=0 same=0

	if [ -n "$trace" ]; then
		eas_settle || return
		eas_forget
	else
		# Become so, and stay so for half a second.
		while [ $tries -lt $TRIES ] && [ $same -lt 10 ]; do
			eas_read
			[ "$possible" = "$1" ] && same=$((same + 1)) || same=0
			tries=$((tries + 1))
			sleep 0.05
		done
	fi

	if [ "$possible" = "$1" ] && [ "$used" = "$1" ]; then
		witness "$1"
		return
	fi
	ktap_print_msg "EAS is expected to be $1, it is possible: $possible, used: $used"
	return 1
}

# witness on|off: does a file named by EAS_WITNESS say the same?  Emulated
# machines have one, with a line "enabled 0|1" and lines "rd CPUS pd 0|1" for root
# domains.
witness()
{
	local want=0

	[ -n "${EAS_WITNESS:-}" ] || return 0
	[ "$1" = off ] || want=1
	if grep -qx "enabled $want" "$EAS_WITNESS" && grep -q "^rd .* pd $want\$" "$EAS_WITNESS" &&
	   ! grep -q "^rd .* pd $((1 - want))\$" "$EAS_WITNESS"; then
		return 0
	fi
	ktap_print_msg "EAS is expected to be $1, $EAS_WITNESS: $(tr '\n' ' ' < "$EAS_WITNESS")"
	return 1
}

###############################################################################
# Saving and restoring of settings

# chosen: where $val is a list with one word in brackets, only that
chosen()
{
	case $val in
	*\[*\]*)
		val=${val#*\[}
		val=${val%%\]*} ;;
	esac
}

# snapshot: lines "FILE VALUE" with all settings that tests may change, even
# indirectly: a mode switch resets some.  In the order to restore them in.
snapshot()
{
	local f c

	for f in "$SYS"/cpu[0-9]*/online "$PSTATE"/status "$PSTATE"/no_turbo \
		 "$PSTATE"/max_perf_pct "$PSTATE"/min_perf_pct \
		 "$PSTATE"/hwp_dynamic_boost "$PM_TEST" "$PM_TEST_DELAY"; do
		[ ! -f "$f" ] || { get "$f"; chosen; echo "$f $val"; }
	done
	for c in $cpus; do
		for f in scaling_max_freq scaling_min_freq $EPP $GOV; do
			attr "$c" "$f"
			f=$val
			get "$f"
			[ -z "$val" ] || echo "$f $val"
		done
		case $val in
		userspace)
			get_attr "$c" scaling_setspeed
			attr_speed=$val
			attr "$c" scaling_setspeed
			echo "$val $attr_speed"
			;;
		esac
	done
}

# Under governor performance, EPP does not show what the user wants it to be.
# Leave that governor to see it.
save_epp()
{
	local c

	for c in $cpus; do
		[ "$mode" != active ] || put_attr "$c" $GOV powersave
		get_attr "$c" $EPP
		# Some kernels show 0 like this, and mean something else when it is written.
		[ "$val" != default ] || val=0
		# ... or do not accept what they show.
		[ "${val#dynamic}" = "$val" ] || val=dynamic
		attr_epp=$val
		attr "$c" $EPP
		[ -z "$attr_epp" ] || echo "$val $attr_epp"
	done
}

restore()
{
	local f v

	# This is the only time that the file accepts it.
	if [ -e "$tmp/aware" ]; then
		while read -r f v; do
			case $f in
			*/online) put "$f" "$v" ;;
			esac
		done < "$tmp/settings"
		find_cpus
		base "${mode:-active}"
		put $AWARE 0 || ktap_print_msg "$AWARE could not be set to 0 again"
	fi

	while read -r f v; do
		case $f in
		*/$EPP | */$GOV | */scaling_setspeed)
			;;
		*)
			get "$f"
			chosen
			[ "$val" = "$v" ] || put "$f" "$v"
			;;
		esac
	done < "$tmp/settings"
	get $PSTATE/status
	mode=$val
	find_cpus
	# EPP cannot be written under governor performance.
	[ ! -s "$tmp/epp" ] || [ "$mode" != active ] || put_all $GOV powersave
	while read -r f v; do
		put "$f" "$v"
	done < "$tmp/epp"
	while read -r f v; do
		case $f in
		*/$GOV | */scaling_setspeed) put "$f" "$v" ;;
		esac
	done < "$tmp/settings"
}

cleanup()
{
	trap '' INT TERM HUP
	[ -n "$tmp" ] || return
	[ ! -s "$tmp/settings" ] || restore
	trace_stop
	rm -rf "$tmp"
	tmp=
}

interrupted()
{
	trap '' INT TERM HUP
	echo "Bail out! interrupted by SIG$1"
	exit "$2"
}

###############################################################################
# The frame of test programs

skip_all()
{
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# eas_init: see what there is, skip everything if there is nothing to test
eas_init()
{
	local c

	ktap_print_header
	[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
	[ -d "$SYS" ] || skip_all "sysfs is not mounted"
	find_cpus
	vendor=intel
	if [ ! -d $PSTATE ]; then
		vendor=amd
		PSTATE=$SYS/amd_pstate
	fi
	[ -d $PSTATE ] || skip_all "needs the intel_pstate or amd-pstate driver"
	get $PSTATE/status
	mode=$val
	case $mode in
	off | disable) skip_all "the $vendor driver is disabled" ;;
	esac
	[ -n "$cpus" ] || skip_all "there are no cpufreq policies"
	[ -x "$DIR/sysfs_write" ] || skip_all "sysfs_write has not been built, run make"

	for c in $cpus; do
		get_attr "$c" $EPP
		[ -n "$val" ] || no_epp="there is no EPP"
	done
	get $SYS/smt/active
	if [ ! -e $AWARE ]; then
		no_eas="the kernel has no EAS"
	elif [ "$val" = 1 ]; then
		no_eas="SMT is in use"
	elif ! asymmetric; then
		no_eas="CPUs do not differ in capacity"
	elif [ -d /sys/kernel/debug/energy_model ] &&
	     [ ! -d /sys/kernel/debug/energy_model/cpu0 ]; then
		no_eas="CPUs have no energy model"
	fi

	trap cleanup EXIT
	trap 'interrupted INT 130' INT
	trap 'interrupted TERM 143' TERM
	trap 'interrupted HUP 129' HUP
	tmp=$(mktemp -d) || exit "$KSFT_FAIL"
	snapshot > "$tmp/new" && mv "$tmp/new" "$tmp/settings"
	: > "$tmp/epp"
	save_epp > "$tmp/new" && mv "$tmp/new" "$tmp/epp"

	get "$SYS/cpu${cpus%% *}/cpufreq/scaling_driver"
	ktap_print_msg "driver $val, CPUs $cpus"
	[ ! -e $AWARE ] || [ "${EAS_NO_TRACE:-0}" != 0 ] || trace_start || :
	[ -n "$trace" ] ||
		ktap_print_msg "no kprobes or tracing: only see if EAS can be used"
	[ -z "$no_eas" ] || ktap_print_msg "EAS cannot be used: $no_eas"
}

# eas_enable: if EAS has been disabled by sched_energy_aware, change that.  To be
# called when it is possible.
eas_enable()
{
	get $AWARE
	[ "$val" = 0 ] || return 0
	: > "$tmp/aware"
	put $AWARE 1
}

# eas_select PATTERN: read lines "NAME|REST", put those with matching names in
# $tmp/tests and plan for them and for the test that eas_finish does
eas_select()
{
	local name rest

	while IFS='|' read -r name rest; do
		# shellcheck disable=SC2254	# it is a pattern
		case $name in
		$1) echo "$name|$rest" ;;
		esac
	done > "$tmp/tests"
	ktap_set_plan $(($(grep -c . "$tmp/tests") + 1))
}

eas_restored()
{
	restore
	snapshot > "$tmp/after"
	cmp -s "$tmp/settings" "$tmp/after" && return
	awk '
		FNR == 1 { n++ }
		n == 1 { before[$1] = $2; next }
		{ after[$1] = $2 }
		before[$1] != $2 { print "#", $1 " is " $2 ", was " before[$1] }
		END { for (f in before) if (!(f in after)) print "#", f " is gone" }
	' "$tmp/settings" "$tmp/after"
	return 1
}

eas_finish()
{
	ktap_test_result "settings are as they were before" eas_restored
	: > "$tmp/settings"
	cleanup
	ktap_finished
}

failures=0
skipped=

# expect DESCRIPTION COMMAND...: the present test fails unless COMMAND succeeds
expect()
{
	local what="$1"

	shift
	"$@" && return
	ktap_print_msg "failed: $what"
	failures=$((failures + 1))
}

# expect_on/expect_off WHY
expect_on()
{
	expect "EAS on: $1" eas_is on
}

expect_off()
{
	expect "EAS off: $1" eas_is off
}

# skip REASON: there is nothing to test in the present test
skip()
{
	skipped=$*
}

# run DESCRIPTION COMMAND...: run one test
run()
{
	local what="$1"

	shift
	failures=0 skipped=
	"$@"
	if [ $failures -gt 0 ]; then
		ktap_test_fail "$what"
	elif [ -n "$skipped" ]; then
		ktap_test_skip "$what: $skipped"
	else
		ktap_test_pass "$what"
	fi
}
