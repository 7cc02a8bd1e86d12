# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC3043	# "local" is there in all shells concerned
# shellcheck disable=SC2013	# there is one word in every line
#
# Helpers for tests of what the energy performance preference (EPP) and scaling
# governors do to Energy-Aware Scheduling (EAS), to be sourced.  They work on all
# online CPUs unless stated otherwise and put everything back on exit.

DIR=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC1091	# it is in the kernel tree
. "$DIR/../kselftest/ktap_helpers.sh"

CPUS=/sys/devices/system/cpu
EAS=/proc/sys/kernel/sched_energy_aware
VERBOSE=/sys/kernel/debug/sched/verbose
# The emulated machine that these tests can be run on says more than the kernel.
VM=/sys/kernel/debug/vhybrid

PREF=energy_performance_preference

tmp=

put()
{
	echo "$2" 2>/dev/null > "$1"
}

get()
{
	cat "$1" 2>/dev/null
}

# The online CPUs with cpufreq policies.
cpus()
{
	local d

	for d in "$CPUS"/cpu[0-9]*; do
		[ "$(get "$d/online" || echo 1)" = 0 ] || [ ! -e "$d/cpufreq/scaling_governor" ] ||
			echo "${d##*/cpu}"
	done | sort -n
}

# CPUs that can be taken offline.
hotplug_cpus()
{
	local c

	for c in $(cpus); do
		[ ! -e "$CPUS/cpu$c/online" ] || echo "$c"
	done
}

attr()
{
	echo "$CPUS/cpu$1/cpufreq/$2"
}

# set_all ATTRIBUTE VALUE: nonzero if it does not work for all CPUs
set_all()
{
	local c ret=0

	for c in $(cpus); do
		put "$(attr "$c" "$1")" "$2" || ret=1
	done
	return $ret
}

epp_all()
{
	set_all $PREF "$1"
}

gov_all()
{
	set_all scaling_governor "$1"
}

# all_are ATTRIBUTE VALUE: does every CPU have it?
all_are()
{
	local c

	for c in $(cpus); do
		[ "$(get "$(attr "$c" "$1")")" = "$2" ] || {
			ktap_print_msg "cpu$c: $1 is '$(get "$(attr "$c" "$1")")', expected '$2'"
			return 1
		}
	done
}

pstate()
{
	get "$CPUS/intel_pstate/status"
}

set_mode()
{
	[ "$(pstate)" = "$1" ] || put "$CPUS/intel_pstate/status" "$1"
}

online()
{
	put "$CPUS/cpu$1/online" "$2"
}

###############################################################################
# Saving and restoring

save_state()
{
	local c

	tmp=$(mktemp -d)
	trap restore_state EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP

	pstate > "$tmp/mode"
	get $EAS > "$tmp/eas"
	get $VERBOSE > "$tmp/verbose"
	cpus > "$tmp/cpus"
	for c in $(cpus); do
		get "$(attr "$c" scaling_governor)" > "$tmp/governor.$c"
		get "$(attr "$c" $PREF)" > "$tmp/epp.$c"
	done
}

restore_state()
{
	local c

	trap '' INT TERM HUP
	for c in $(cat "$tmp/cpus"); do
		[ "$(get "$CPUS/cpu$c/online")" != 0 ] || online "$c" 1
	done
	[ ! -s "$tmp/mode" ] || set_mode "$(cat "$tmp/mode")"
	for c in $(cat "$tmp/cpus"); do
		# EPP cannot be written under some governors.
		put "$(attr "$c" scaling_governor)" powersave
		[ ! -s "$tmp/epp.$c" ] || put "$(attr "$c" $PREF)" "$(cat "$tmp/epp.$c")"
		put "$(attr "$c" scaling_governor)" "$(cat "$tmp/governor.$c")"
	done
	[ ! -s "$tmp/eas" ] || put $EAS "$(cat "$tmp/eas")"
	[ ! -s "$tmp/verbose" ] || put $VERBOSE "$(cat "$tmp/verbose")"
	rm -rf "$tmp"
}

###############################################################################
# What can be tested

require_root()
{
	[ "$(id -u)" -eq 0 ] || {
		ktap_skip_all "must be run as root"
		exit "$KSFT_SKIP"
	}
}

require_cpufreq()
{
	[ -n "$(cpus)" ] || {
		ktap_skip_all "there is no cpufreq driver"
		exit "$KSFT_SKIP"
	}
}

driver()
{
	local c

	for c in $(cpus); do
		get "$(attr "$c" scaling_driver)"
		return
	done
}

# Do CPUs differ in capacity, as EAS requires?
asymmetric()
{
	[ "$(cat "$CPUS"/cpu[0-9]*/cpu_capacity 2>/dev/null | sort -u | wc -l)" -gt 1 ]
}

has_epp()
{
	local c

	for c in $(cpus); do
		[ -e "$(attr "$c" $PREF)" ] || return 1
	done
}

# What "performance" stands for: the number shown as "performance".
performance_epp()
{
	local c n

	for c in $(cpus); do
		put "$(attr "$c" $PREF)" balance_performance || return 1
		n=0
		while [ $n -le 64 ]; do
			put "$(attr "$c" $PREF)" $n
			[ "$(get "$(attr "$c" $PREF)")" != performance ] || break
			n=$((n + 1))
		done
		put "$(attr "$c" $PREF)" balance_performance
		echo $n
		return
	done
}

###############################################################################
# The state of EAS

# Can EAS be used, as far as the kernel knows at the moment?
eas_possible()
{
	[ -n "$(get $EAS)" ] && echo on || echo off
}

# Is it being used?  That changes a bit later.
eas_used()
{
	local line

	if [ -r $VM/eas ]; then
		case $(sed -n 's/^enabled //p' $VM/eas) in
		1) echo on ;;
		0) echo off ;;
		esac
		return
	fi

	line=$(dmesg 2>/dev/null | grep -E 'sched_energy_set: (starting|stopping) EAS' | tail -n 1)
	# It may have been pushed out of the log in the meantime.
	case $line in
	*starting*) echo on > "$tmp/used" ;;
	*stopping*) echo off > "$tmp/used" ;;
	esac
	cat "$tmp/used" 2>/dev/null || echo unknown
}

# eas_is on|off: wait for EAS to get into the state and see if it stays there
#
# The kernel decides when a policy changes, but rebuilds sched domains in
# a work item later.  Poll for that up to 5 s.  Whether or not EAS is possible is
# not subject to such a delay.
#
# To catch a rebuild that leads to something else, the state must be the same for
# 10 readings in a row.
eas_is()
{
	local tries=0 same=0 used

	while [ $tries -lt 100 ]; do
		used=$(eas_used)
		[ "$used" != unknown ] || used=$1
		if [ "$(eas_possible)" = "$1" ] && [ "$used" = "$1" ]; then
			same=$((same + 1))
			[ $same -lt 10 ] || return 0
		else
			same=0
		fi
		tries=$((tries + 1))
		sleep 0.05
	done
	ktap_print_msg "EAS: expected $1, possible: $(eas_possible), used: $(eas_used)"
	return 1
}

###############################################################################
# Tests

failures=0

# expect DESCRIPTION COMMAND...: the current test fails unless COMMAND succeeds
expect()
{
	local what="$1"

	shift
	"$@" || {
		ktap_print_msg "failed: $what"
		failures=$((failures + 1))
	}
}

# run DESCRIPTION FUNCTION: run one test
run()
{
	failures=0
	"$2"
	if [ $failures -eq 0 ]; then
		ktap_test_pass "$1"
	else
		ktap_test_fail "$1"
	fi
}

# write_is FILE STRING LENGTH EXPECTED: one write(2) with this outcome
write_is()
{
	local got

	got=$("$DIR/sysfs_write" "$1" "$2" "$3")
	[ "$got" = "$4" ] || {
		ktap_print_msg "writing '$2' ($3 bytes): $got, expected $4"
		return 1
	}
}
