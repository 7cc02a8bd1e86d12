# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2034	# for those who source this
#
# What tests in the virtual machine have in common, to be copied along with them
# (vhybrid run --file) and sourced.

CPUS=/sys/devices/system/cpu
VM=/sys/kernel/debug/vhybrid
PREF=energy_performance_preference

cpus=$(sed -n 's/^cpu\([0-9]*\) ready .*/\1/p' $VM/eas)

n=0		# results so far
failed=0	# ... and how many of them are failures
bad=		# what is wrong in the present test

# result DESCRIPTION: the present test has passed if nothing is $bad
result()
{
	n=$((n + 1))
	if [ -n "$bad" ]; then
		printf 'not '
		failed=$((failed + 1))
	fi
	echo "ok $n $1"
	[ -z "$bad" ] || echo "#$bad"
	bad=
}

# How often sched domains have been rebuilt, when there is none to come
rebuilds()
{
	echo settle > $VM/control
	sed -n 's/^rebuilds //p' $VM/eas
}
