#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# amd-ut.sh [LOADS]: load the kernel's amd-pstate-ut, which lies next to this,
# LOADS times (default 20). Prints TAP. A load is a failure if one of its tests
# fails, none passes, it leaves the driver in another mode, or anything else
# shows up in the kernel log meanwhile.

loads=${1:-20}
dir=$(dirname "$0")
status=/sys/devices/system/cpu/amd_pstate/status
count=0
failed=0

# not_ok NAME REASON LOG
not_ok()
{
	echo "not ok $count - $1: $2"
	printf '%s\n' "$3" | sed 's/^/# /'
	failed=$((failed + 1))
}

# load MODE: one time
load()
{
	name="load $count"
	# A line that is there once, to find the module's lines after it.
	mark="amd-ut.sh: load $count of $loads, pid $$"
	echo "$mark" > /dev/kmsg

	if ! error=$(insmod "$dir/amd-pstate-ut.ko" 2>&1); then
		not_ok "$name" "insmod fails" "$error"
		return
	fi
	if ! error=$(rmmod amd_pstate_ut 2>&1); then
		not_ok "$name" "rmmod fails" "$error"
		return
	fi

	log=$(dmesg | sed "1,/$mark/d")
	passed=$(echo "$log" | grep -c 'amd_pstate_ut: [0-9].*success!')
	skipped=$(echo "$log" | grep -c 'amd_pstate_ut: [0-9].*skipped!')
	bad=$(echo "$log" | grep -v -e 'amd_pstate_ut: [0-9].*success!' \
		-e 'amd_pstate_ut: [0-9].*skipped!' -e '^$')
	now=$(cat $status)

	if [ -n "$bad" ]; then
		not_ok "$name" "the log has more than passed tests" "$bad"
	elif [ "$passed" -eq 0 ]; then
		not_ok "$name" "no test passed" "$log"
	elif [ "$now" != "$1" ]; then
		not_ok "$name" "left amd_pstate in mode $now, not $1" "$log"
	else
		echo "ok $count - $name: $passed tests passed, $skipped skipped"
	fi
}

echo "TAP version 13"
if [ ! -e "$dir/amd-pstate-ut.ko" ]; then
	echo "1..0 # SKIP there is no amd-pstate-ut.ko next to this script"
	exit 0
fi
if [ ! -e $status ]; then
	echo "1..0 # SKIP amd-pstate is not there"
	exit 0
fi

echo "1..$loads"
mode=$(cat $status)
while [ $count -lt "$loads" ]; do
	count=$((count + 1))
	load "$mode"
done
[ $failed -eq 0 ]
