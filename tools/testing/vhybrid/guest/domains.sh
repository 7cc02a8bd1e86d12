#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Does building sched domains leak memory?  It is what happens in CPU hotplug (and for
# cpuset partitions), but not for EAS alone: that only takes performance domains.
#
# usage: domains.sh	(with lib.sh in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

T=/sys/kernel/tracing

# again COUNT: take the last CPU offline and online
again()
{
	local i=0

	while [ $i -lt "$1" ]; do
		echo 0 > "$CPUS/cpu$last/online"
		echo 1 > "$CPUS/cpu$last/online"
		i=$((i + 1))
	done
	rebuilds > /dev/null
}

# How many objects that sched domains were built of since tracing began are still there
objects()
{
	awk '
	match($0, / ptr=[^ ]*/) { ptr = substr($0, RSTART, RLENGTH) }
	/ kmalloc: call_site=build_sched_domains\+/ { if (!(ptr in there)) count++; there[ptr] }
	/ kfree: / && ptr in there { delete there[ptr]; count-- }
	END { print count + 0 }' $T/trace
}

# The same when there are no more to be freed, which takes a grace period
objects_left()
{
	local i=0 before now

	before=$(objects)
	while [ $i -lt 20 ]; do
		sleep 1
		now=$(objects)
		[ "$now" -ne "$before" ] || break
		before=$now
		i=$((i + 1))
	done
	echo "$now"
}

echo 8192 > $T/buffer_size_kb
echo > $T/trace
for e in kmalloc kfree; do
	echo 1 > $T/events/kmem/$e/enable || { echo "Bail out! there is no $e tracepoint"; exit 1; }
done
again 1
first=$(objects_left)
again 10
now=$(objects_left)
for e in kmalloc kfree; do
	echo 0 > $T/events/kmem/$e/enable
done
lost=$(sed -n 's/^overrun: //p' $T/per_cpu/cpu*/stats | grep -vc '^0$')

[ "$lost" -eq 0 ] || bad="$bad buffers of $lost CPUs have overrun;"
[ "$first" -gt "$last" ] || bad="$bad there are $first;"
result "the objects of all CPUs have been seen"
[ "$now" -eq "$first" ] || bad="$bad $now objects, $first before;"
result "there are no more after building the domains 20 more times"
echo "1..$n"
[ $failed -eq 0 ]
