#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Accesses of MSR_HWP_REQUEST that fail: the error is returned, EPP shown, the
# register and the compatibility with EAS agree afterward on all CPUs, and what is
# written next works.
#
# usage: epp-faults.sh [epp]	(epp: regardless of EAS; with lib.sh in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

what=${1:-all}

base()
{
	echo clear > $VM/fail
	# Where there had been an error at the wrong time, there is no policy.  The driver
	# must be able to get over it.
	for c in $cpus; do
		[ -e "$CPUS/cpu$c/cpufreq/$PREF" ] || {
			[ "$1" = active ] && other=passive || other=active
			put $CPUS/intel_pstate/status "$other"
			break
		}
	done
	[ "$(cat $CPUS/intel_pstate/status)" = "$1" ] || put $CPUS/intel_pstate/status "$1"
	if [ "$1" = active ]; then
		all scaling_governor powersave
	else
		all scaling_governor schedutil
	fi
	all $PREF balance_performance
}

# What the register of a CPU says, as a number
register()
{
	echo $((($(cat "$VM/cpu$1/hwp_request") >> 24) & 255))
}

shown()
{
	cat "$CPUS/cpu$1/cpufreq/$PREF"
}

# agree [GOVERNOR-FOLLOWS-UTILIZATION]: EPP shown, register and gate of all CPUs
agree()
{
	local c epp ready want

	echo clear > $VM/fail
	for c in $cpus; do
		ready=$(sed -n "s/^cpu$c ready //p" $VM/eas)
		if [ ! -e "$CPUS/cpu$c/cpufreq/$PREF" ]; then
			[ "${ready:-0}" = 0 ] || bad="$bad CPU$c is compatible, but has no policy;"
			continue
		fi
		epp=$(register "$c")
		case $(shown "$c") in
		"$epp") ;;
		performance) [ "$epp" -le "$performance" ] || bad="$bad CPU$c shows performance for $epp;" ;;
		balance_performance) [ "$epp" = "$balance" ] || bad="$bad CPU$c shows balance for $epp;" ;;
		power) [ "$epp" = 255 ] || bad="$bad CPU$c shows power for $epp;" ;;
		*) bad="$bad CPU$c shows $(shown "$c") for $epp;" ;;
		esac
		[ "$what" = all ] || continue
		want=0
		case $(cat "$CPUS/cpu$c/cpufreq/scaling_governor") in
		schedutil) want=1 ;;
		powersave) [ "$(cat $CPUS/intel_pstate/status)" != active ] || want=1 ;;
		esac
		[ "$epp" -gt "$performance" ] || want=0
		[ "$ready" = "$want" ] || bad="$bad CPU$c: compatible is $ready, should be $want;"
	done
}

# epp_is CPU EPP
epp_is()
{
	[ "$(shown "$1")" = "$2" ] || bad="$bad EPP of CPU$1 is $(shown "$1"), should be $2;"
}

error_is()
{
	[ "$error" = "$1" ] || bad="$bad error is '$error', should be '$1';"
}

IO='Input/output error'

# epp_write MODE ACCESS VALUE CPU
epp_write()
{
	base "$1"
	echo "$4 $2 hwp_request" > $VM/fail
	write "$CPUS/cpu$4/cpufreq/$PREF" "$3"
	error_is "$IO"
	agree
	epp_is "$4" balance_performance
	put "$CPUS/cpu$4/cpufreq/$PREF" "$3"
	epp_is "$4" "$3"
	agree
	# Others have not been affected.
	put "$CPUS/cpu$4/cpufreq/$PREF" balance_performance
	for c in $cpus; do
		epp_is "$c" balance_performance
	done
	result "$1 mode, EPP $3 on CPU$4, $2 fails"
}

# governor_fails FROM TO ACCESS CPU
governor_fails()
{
	base active
	all scaling_governor "$1"
	echo "$4 $3 hwp_request" > $VM/fail
	write "$CPUS/cpu$4/cpufreq/scaling_governor" "$2"
	error_is "$IO"
	agree
	[ "$(cat "$CPUS/cpu$4/cpufreq/scaling_governor")" = "$1" ] ||
		bad="$bad governor is $(cat "$CPUS/cpu$4/cpufreq/scaling_governor");"
	put "$CPUS/cpu$4/cpufreq/scaling_governor" "$2"
	agree
	all scaling_governor powersave
	agree
	epp_is "$4" balance_performance
	result "governor $1 to $2 on CPU$4, $3 fails"
}

last=${cpus##*
}
base active
all $PREF performance
performance=$(register 0)
all $PREF balance_performance
balance=$(register 0)

for cpu in 0 "$last"; do
	epp_write active write performance "$cpu"
	epp_write active write power "$cpu"
	epp_write active write 77 "$cpu"
	epp_write passive write performance "$cpu"
	epp_write passive write power "$cpu"
	for a in read write; do
		governor_fails powersave performance $a "$cpu"
		governor_fails performance powersave $a "$cpu"
	done

	# Under governor performance, 0 stays in effect.
	base active
	all scaling_governor performance
	echo "$cpu write hwp_request" > $VM/fail
	write "$CPUS/cpu$cpu/cpufreq/$PREF" performance
	error_is "$IO"
	agree
	all scaling_governor powersave
	epp_is "$cpu" balance_performance
	agree
	result "EPP performance under governor performance on CPU$cpu, write fails"

	# Reading the file says so.
	base active
	echo "$cpu read hwp_request" > $VM/fail
	got=$(cat "$CPUS/cpu$cpu/cpufreq/$PREF" 2>&1) && bad="$bad reading EPP works: $got;"
	agree
	result "EPP of CPU$cpu, read fails"
done

# The first, second, ... access of all CPUs fails while everything is set up again.
# Whatever comes of it, what is shown must be what is in effect, and it must be
# possible to go on.
for a in read write; do
	for k in 0 1 2 3 4 5 8 12; do
		base active
		all $PREF power
		echo "all $a hwp_request $k 1" > $VM/fail
		write $CPUS/intel_pstate/status passive
		agree
		base active
		agree
		result "passive mode, $a $k fails"

		base passive
		echo "all $a hwp_request $k 1" > $VM/fail
		write $CPUS/intel_pstate/status active
		agree
		base active
		agree
		result "active mode, $a $k fails"

		base active
		echo "$last $a hwp_request $k 1" > $VM/fail
		write "$CPUS/cpu$last/online" 0
		write "$CPUS/cpu$last/online" 1
		agree
		base active
		agree
		result "CPU$last offline and online, $a $k fails"
	done
done

echo "1..$n"
[ $failed -eq 0 ]
