#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Let the first, the second, ... allocation of memory fail while a governor is started,
# EPP is written, dynamic EPP is set up, a CPU comes online or the driver is registered,
# until there is none left to fail.  Whatever comes of it, governor, EPP and the
# compatibility with EAS must agree on all CPUs, and what is written next must work.
#
# usage: alloc-faults.sh [quick]	(quick: no mode switches; with lib.sh in /root;
#				 amd-pstate needs amd_prefcore=disable: mode switches
#				 rebuild sched domains otherwise, see below)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

F=/sys/kernel/debug/failslab

echo N > $F/ignore-gfp-wait
echo 0 > $F/verbose

# fails_at NTH FILE VALUE: sets $error, empty if the write succeeds, and $left, which is
# not 0 if less than NTH allocations have been made.
# shellcheck disable=SC2094	# two descriptors for fail-nth are on purpose
fails_at()
{
	left=$(
		{
			exec 3> "$2" 4> /proc/self/fail-nth 5< /proc/self/fail-nth || exit
			echo "$1" >&4
			echo "$3" >&3 && status=0 || status=1
			read -r left <&5
			echo 0 >&4
		} 2> /tmp/error
		echo "$left $status"
	)
	error=$(cat /tmp/error)
	[ "${left#* }" != 0 ] || error=''
	left=${left% *}
}

# On all CPUs the register holds what is shown, it is what the user wants, balance_power,
# unless governor performance forces something else, and the compatibility is what follows.
agree()
{
	local c gov epp

	settled
	mode_has_epp || return 0
	for c in $cpus; do
		gov=$(get "$c" $GOV)
		[ -n "$gov" ] || continue
		epp=$(get "$c" $PREF)
		case $(cat $STATUS)-$gov in
		active-performance)
			[ "$epp" = performance ] || bad="$bad CPU$c has EPP $epp with governor performance;" ;;
		*)
			[ "$epp" = balance_power ] || bad="$bad CPU$c has EPP $epp, not balance_power;" ;;
		esac
	done
}

# each_fails FILE VALUE BEFORE AFTER DESCRIPTION: with every single allocation failing that
# is made while VALUE is written to FILE, and with none, run BEFORE before it and AFTER
# after it.
each_fails()
{
	i=1
	while :; do
		$3
		fails_at $i "$1" "$2"
		$4
		[ "$left" = 0 ] || break
		i=$((i + 1))
	done
	[ $i -gt 1 ] || bad="$bad no allocation fails;"
	result "$5, $((i - 1)) failing allocations"
	total=$((total + i - 1))
}

# Before and after writing $to where $from has been

from_is_set()
{
	put "$file" "$from"
}

# Either it has worked or nothing has changed.
either()
{
	local now want="$from"

	[ -n "$error" ] || want=$to
	now=$(cat "$file")
	[ "$now" = "$want" ] || bad="$bad allocation $i: $file is $now, not $want;"
}

governor_agrees()
{
	either
	agree
	put "$file" "$to"
	agree
}

epp_agrees()
{
	either
	put "$file" "$to"
	put "$file" "$from"
	agree
}

# governor MODE FROM TO CPU
governor()
{
	mode "$1"
	all $GOV "$2"
	file=$POL$4/$GOV from=$2 to=$3
	each_fails "$file" "$to" from_is_set governor_agrees "$1 mode, governor $2 to $3 on CPU$4"
}

# epp MODE GOVERNOR CPU
epp()
{
	mode "$1"
	all $GOV "$2"
	file=$POL$3/$PREF from=balance_power to=power
	each_fails "$file" "$to" from_is_set epp_agrees "$1 mode, governor $2, EPP on CPU$3"
}

# Either it has worked or nothing has changed, and then it works.
dynamic_agrees()
{
	local epp

	epp=$(cat "$file")
	if [ -n "$error" ]; then
		[ "$epp" = balance_power ] || bad="$bad allocation $i: EPP is $epp, not balance_power;"
	else
		[ "$epp" != "${epp#dynamic}" ] || bad="$bad allocation $i: EPP is $epp, not dynamic;"
	fi
	settled
	put "$file" dynamic
	disagreements
	bad="$bad$why"
	put "$file" "$from"
	agree
}

cpu_online()
{
	agree
	[ "$(cat "$file")" = 1 ] || put "$file" 1
	# Without a policy, the next time must give it one.
	if [ ! -e "$POL$last/$PREF" ]; then
		put "$file" 0
		put "$file" 1
	fi
	agree
}

mode_is_set()
{
	mode "$from"
}

mode_switches()
{
	agree
	mode "$to"
	agree
	mode "$from"
	agree
}

# switch FROM TO
switch()
{
	from=$1 to=$2
	each_fails $STATUS "$to" mode_is_set mode_switches "mode $from to $to"
}

total=0
mode active
all $GOV powersave
epp_values
all $PREF balance_power
for cpu in 0 "$last"; do
	for g in ondemand performance powersave userspace; do
		governor passive $g schedutil "$cpu"
		governor passive schedutil $g "$cpu"
	done
	governor active powersave performance "$cpu"
	governor active performance powersave "$cpu"
	epp active powersave "$cpu"
	if [ $vendor = intel ]; then
		epp passive schedutil "$cpu"
		epp passive ondemand "$cpu"
	else
		mode active
		all $GOV powersave
		file=$POL$cpu/$PREF from=balance_power
		each_fails "$file" dynamic from_is_set dynamic_agrees "dynamic EPP on CPU$cpu"
	fi
done

# The scheduler warns, on purpose, when there is no memory for a list of capacities.  It
# throws the list away where all CPUs have the same one, and makes it again for each CPU.
if [ $vendor = intel ]; then
	mode active
	all $GOV powersave
	file=$CPUS/cpu$last/online from=0 to=1
	each_fails "$file" 1 from_is_set cpu_online "CPU$last online"
fi

[ "${1:-}" = quick ] || {
	switch active passive
	# Not from passive to active with the other driver: it warns, on purpose, when there
	# is no memory for hwp_dynamic_boost.  Between guided and others it is the same code.
	if [ $vendor = amd ]; then
		switch passive active
		switch passive guided
		switch disable active
	fi
}
echo "# $total allocations have failed"
echo "1..$n"
[ $failed -eq 0 ]
