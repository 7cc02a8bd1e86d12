#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# The part of the demo that runs in the virtual machine: a table of states of
# EAS, then what tasks do about it.  The exit status is the number of lines in
# the table that are not as expected, or 1 if EAS does not act.

CPUS=/sys/devices/system/cpu
VM=/sys/kernel/debug/vhybrid
T=/sys/kernel/tracing
PREF=energy_performance_preference

wrong=0

# CPUs with cpufreq that are online
cpus()
{
	local d

	for d in "$CPUS"/cpu[0-9]*; do
		[ "$(cat "$d/online" 2>/dev/null)" = 0 ] || echo "${d##*/cpu}"
	done | sort -n
}

each()
{
	local c

	for c in $(cpus); do
		echo "$2" > "$CPUS/cpu$c/cpufreq/$1"
	done
}

# The values of an attribute on all CPUs: one, if they are the same
values()
{
	local c

	for c in $(cpus); do
		cat "$CPUS/cpu$c/cpufreq/$1"
	done | uniq -c | awk '
		{ n++; v = v (n > 1 ? "," : "") $2 ($1 > 1 ? "x" $1 : "") ; one = $2 }
		END { print n == 1 ? one : v }'
}

eas()
{
	[ "$(sed -n 's/^enabled //p' $VM/eas)" = 1 ] && echo on || echo off
}

rebuilds()
{
	sed -n 's/^rebuilds //p' $VM/eas
}

# Wait for EAS to be as expected, 5 s at most, and for rebuilds to come to an end.
settle()
{
	local tries=0 same=0 last='' now

	while [ $tries -lt 100 ] && [ $same -lt 5 ]; do
		now=$(eas)/$(rebuilds)
		if [ "$now" = "$last" ] && [ "${now%/*}" = "$1" ]; then
			same=$((same + 1))
		else
			same=0
		fi
		last=$now
		tries=$((tries + 1))
		usleep 40000
	done
}

# step EXPECTED DESCRIPTION [COMMAND...]
step()
{
	local expected="$1" what="$2" before state mark=

	shift 2
	before=$(rebuilds)
	[ $# -eq 0 ] || "$@"
	settle "$expected"
	state=$(eas)
	if [ "$state" != "$expected" ]; then
		mark="  <-- WRONG, should be $expected"
		wrong=$((wrong + 1))
	fi
	printf '%-36s %-8s %-12s %-3s %8d %s%s\n' "$what" "$(cat "$CPUS/intel_pstate/status")" \
		"$(values scaling_governor)" "$state" "$(($(rebuilds) - before))" \
		"$(values $PREF)" "$mark"
}

online()
{
	echo "$2" > "$CPUS/cpu$1/online"
}

mode()
{
	echo "$1" > "$CPUS/intel_pstate/status"
}

one_epp()
{
	echo "$2" > "$CPUS/cpu$1/cpufreq/$PREF"
}

last=$(cpus | tail -n 1)

printf '%-36s %-8s %-12s %-3s %8s %s\n' step mode governor EAS rebuilds 'EPP of all CPUs'
step on  "boot"
step off "EPP performance"			each $PREF performance
step on  "EPP balance_performance"		each $PREF balance_performance
step off "EPP performance on CPU$last only"	one_epp "$last" performance
step on  "EPP balance_power on CPU$last"	one_epp "$last" balance_power
step on  "EPP 77 (raw value)"			each $PREF 77
step off "EPP 0 (raw value)"			each $PREF 0
step on  "EPP balance_performance"		each $PREF balance_performance
step off "governor performance"			each scaling_governor performance
step on  "governor powersave"			each scaling_governor powersave
step on  "passive mode, schedutil"		mode passive
step off "governor ondemand"			each scaling_governor ondemand
step on  "governor schedutil"			each scaling_governor schedutil
step off "EPP performance"			each $PREF performance
step off "governor ondemand"			each scaling_governor ondemand
step off "governor schedutil, EPP veto"		each scaling_governor schedutil
step on  "EPP balance_performance, veto lifted"	each $PREF balance_performance
step on  "CPU$last offline"			online "$last" 0
step on  "CPU$last online"			online "$last" 1
step off "EPP performance on CPU$last only"	one_epp "$last" performance
step on  "CPU$last offline, takes the veto along"	online "$last" 0
step off "CPU$last online, brings it back"	online "$last" 1
step off "active mode"				mode active
step on  "EPP balance_performance"		each $PREF balance_performance

echo
if [ $wrong -gt 0 ]; then
	echo "$wrong of the states are wrong."
	exit $((wrong > 100 ? 100 : wrong))
fi
echo "All states are as expected."
echo

# calls FUNCTION: how often it has been called
calls()
{
	cat $T/trace_stat/function* | awk -v f="$1" '$1 == f { n += $2 } END { print n + 0 }'
}

# What tasks do: share of wakeups on small cores, calls of functions.
measure()
{
	local energy_before all_before

	energy_before=$(calls find_energy_efficient_cpu)
	all_before=$(calls select_task_rq_fair)
	/root/duty 12 6 16 "$1" > /tmp/duty
	energy=$(($(calls find_energy_efficient_cpu) - energy_before))
	all=$(($(calls select_task_rq_fair) - all_before))
	share=$(while read -r _ cpu n; do
		[ "$(cat "$VM/cpu${cpu%:}/type")" = P ] && echo "0 $n" || echo "1 $n"
	done < /tmp/duty | awk '{ all += $2; if ($1) small += $2 } END { printf "%d", 100 * small / all }')
}

echo "12 tasks using 6 % of a CPU each, six times:"
printf '%-4s %30s %28s %22s\n' EAS 'wakeups on E- or LPE-cores' 'find_energy_efficient_cpu()' 'select_task_rq_fair()'
printf 'select_task_rq_fair\nfind_energy_efficient_cpu\n' > $T/set_ftrace_filter ||
	{ echo "The functions cannot be traced in this kernel."; exit 1; }
[ "$(grep -c . $T/set_ftrace_filter)" -eq 2 ] ||
	{ echo "find_energy_efficient_cpu() cannot be traced in this kernel."; exit 1; }
# Once, while there is little to do: emulation without KVM has been seen to execute the
# breakpoint of such a change of the code after it was gone ("Oops: int3").
echo 0 > $T/function_profile_enabled
echo 1 > $T/function_profile_enabled

on=0 off=0 calls_on=0 calls_off=0
for _ in 1 2 3; do
	for state in on off; do
		case $state in
		on) each $PREF balance_performance ;;
		off) each $PREF performance ;;
		esac
		settle $state
		measure 3
		printf '%-4s %28d %% %28d %22d\n' "$(eas)" "$share" "$energy" "$all"
		eval "$state=\$(($state + share)) calls_$state=\$((calls_$state + energy))"
		[ "$(eas)" = $state ] || { echo "EAS should be $state."; exit 1; }
	done
done
echo 0 > $T/function_profile_enabled
echo > $T/set_ftrace_filter
each $PREF balance_performance

echo
echo "On average $((on / 3)) % of wakeups were on small cores with EAS and $((off / 3)) % without it."
if [ $calls_on -eq 0 ] || [ $calls_off -ne 0 ]; then
	echo "find_energy_efficient_cpu() should be called with EAS only."
	exit 1
fi
if [ $on -le $off ]; then
	echo "EAS should have moved light tasks to small cores."
	exit 1
fi
