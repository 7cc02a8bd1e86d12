#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# What it costs to change EPP and governors on all CPUs: reads and writes of HWP
# registers, and function calls on other CPUs (IPIs) made for them, as a table.
# In the passive mode, the governor writes to HWP_REQUEST all the time, so these
# writes do not count.
#
# usage: cost.sh

CPUS=/sys/devices/system/cpu
VM=/sys/kernel/debug/vhybrid
T=/sys/kernel/tracing
PREF=energy_performance_preference

# all ATTRIBUTE VALUE
all()
{
	local f

	for f in "$CPUS"/cpufreq/policy*/"$1"; do
		{ echo "$2" > "$f"; } 2>/dev/null
	done
}

mode()
{
	echo "$1" > $CPUS/intel_pstate/status
}

# measure NAME COMMAND...
measure()
{
	local name="$1" ipis

	shift
	echo settle > $VM/control
	echo 1 > $VM/reset_access
	echo > $T/trace
	echo 1 > $T/tracing_on
	"$@"
	echo 0 > $T/tracing_on
	echo settle > $VM/control
	ipis=$(grep -c 'func=__[rw].*msr' $T/trace)
	cat $VM/cpu*/access | awk -v name="$name" -v ipis="$ipis" -v OFS='\t' '
		$1 ~ /^hwp_/ { sub(/reads=/, "", $3); sub(/writes=/, "", $4); r += $3; w += $4 }
		END { print name, r, name ~ /passive/ ? "-" : w, ipis }'
}

{ echo 1 > $T/events/csd/csd_queue_cpu/enable; } 2>/dev/null ||
	{ echo "the csd_queue_cpu event is not in this kernel" >&2; exit 1; }
echo 0 > $T/tracing_on
# A call on the CPU the caller runs on is not sent anywhere.
taskset -p 1 $$ > /dev/null

all scaling_governor powersave
all $PREF balance_performance
measure "EPP: no change"			all $PREF balance_performance
measure "EPP: balance_power"			all $PREF balance_power
measure "EPP: performance"			all $PREF performance
measure "EPP: balance_performance"		all $PREF balance_performance
measure "EPP: raw value"			all $PREF 77
measure "EPP: not valid"			all $PREF nonsense
measure "governor: no change"			all scaling_governor powersave
measure "governor: performance"			all scaling_governor performance
measure "governor performance, no change"	all scaling_governor performance
measure "governor performance, EPP refused"	all $PREF power
measure "governor: powersave"			all scaling_governor powersave
measure "scaling_max_freq"			all scaling_max_freq 2000000
measure "passive mode"				mode passive
all $PREF balance_performance
measure "passive, EPP: no change"		all $PREF balance_performance
measure "passive, EPP: performance"		all $PREF performance
measure "passive, governor: powersave"		all scaling_governor powersave
measure "passive, governor: schedutil"		all scaling_governor schedutil
measure "active mode"				mode active
