#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Accesses of the register that EPP is in which fail: the error is returned, EPP shown,
# the register and the compatibility with EAS agree afterward on all CPUs, and what is
# written next works.
#
# usage: epp-faults.sh [epp]	(epp: regardless of EAS; with lib.sh in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

# shellcheck disable=SC2034	# for disagreements()
no_gate=${1:-}

base()
{
	echo clear > $VM/fail
	# Where there had been an error at the wrong time, there is no policy.  The driver
	# must be able to get over it.
	for c in $cpus; do
		[ -e "$POL$c/$GOV" ] || {
			[ "$1" = active ] && other=passive || other=active
			put $STATUS "$other"
			break
		}
	done
	mode "$1"
	if [ "$1" = active ]; then
		all $GOV powersave
	else
		all $GOV schedutil
	fi
	! mode_has_epp || all $PREF balance_performance
}

# agree: EPP shown, register and gate of all CPUs
agree()
{
	echo clear > $VM/fail
	disagreements
	bad="$bad$why"
}

# epp_is CPU EPP
epp_is()
{
	[ "$(get "$1" $PREF)" = "$2" ] || bad="$bad EPP of CPU$1 is $(get "$1" $PREF), should be $2;"
}

error_is()
{
	[ "$error" = "$1" ] || bad="$bad error is '$error', should be '$1';"
}

IO='Input/output error'

# epp_write MODE VALUE CPU
epp_write()
{
	base "$1"
	echo "$3 write $REQ" > $VM/fail
	write "$POL$3/$PREF" "$2"
	error_is "$IO"
	agree
	epp_is "$3" balance_performance
	put "$POL$3/$PREF" "$2"
	epp_is "$3" "$2"
	agree
	# Others have not been affected.
	put "$POL$3/$PREF" balance_performance
	for c in $cpus; do
		epp_is "$c" balance_performance
	done
	result "$1 mode, EPP $2 on CPU$3, write fails"
}

# governor_fails FROM TO ACCESS CPU
governor_fails()
{
	base active
	all $GOV "$1"
	was=$(get "$4" $PREF)
	echo "$4 $3 $REQ" > $VM/fail
	write "$POL$4/$GOV" "$2"
	error_is "$IO"
	agree
	[ "$(get "$4" $GOV)" = "$1" ] || bad="$bad governor is $(get "$4" $GOV), not $1;"
	epp_is "$4" "$was"
	put "$POL$4/$GOV" "$2"
	agree
	all $GOV powersave
	agree
	epp_is "$4" balance_performance
	result "governor $1 to $2 on CPU$4, $3 fails"
}

base active
epp_values

modes=active accesses=write
if [ $vendor = intel ]; then
	modes="active passive"
	# The other driver relies on what it has written last.
	accesses="read write"
fi

for cpu in 0 "$last"; do
	for m in $modes; do
		for e in performance power 77; do
			epp_write "$m" "$e" "$cpu"
		done
	done
	for a in $accesses; do
		governor_fails powersave performance "$a" "$cpu"
		governor_fails performance powersave "$a" "$cpu"
	done
	[ $vendor = intel ] || continue

	# Under governor performance, 0 stays in effect.
	base active
	all $GOV performance
	echo "$cpu write $REQ" > $VM/fail
	write "$POL$cpu/$PREF" performance
	error_is "$IO"
	agree
	all $GOV powersave
	epp_is "$cpu" balance_performance
	agree
	result "EPP performance under governor performance on CPU$cpu, write fails"

	# Reading the file says so.
	base active
	echo "$cpu read $REQ" > $VM/fail
	got=$(cat "$POL$cpu/$PREF" 2>&1) && bad="$bad reading EPP works: $got;"
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
		echo "all $a $REQ $k 1" > $VM/fail
		write $STATUS passive
		agree
		base active
		agree
		result "passive mode, $a $k fails"

		base passive
		echo "all $a $REQ $k 1" > $VM/fail
		write $STATUS active
		agree
		base active
		agree
		result "active mode, $a $k fails"

		base active
		echo "$last $a $REQ $k 1" > $VM/fail
		write "$CPUS/cpu$last/online" 0
		write "$CPUS/cpu$last/online" 1
		agree
		base active
		agree
		result "CPU$last offline and online, $a $k fails"
	done
done

# Likewise while dynamic EPP is set up and ended: either it is or nothing has changed.
if [ $vendor = amd ]; then
	for cpu in 0 "$last"; do
		for k in 0 1 2; do
			base active
			put "$POL$cpu/$PREF" balance_power
			echo "$cpu write $REQ $k 1" > $VM/fail
			write "$POL$cpu/$PREF" dynamic
			agree
			case $(get "$cpu" $PREF) in
			dynamic*) [ -z "$error" ] || bad="$bad EPP is dynamic despite '$error';" ;;
			*) [ -n "$error" ] || bad="$bad EPP is not dynamic;" ;;
			esac
			[ -z "$error" ] || epp_is "$cpu" balance_power
			put "$POL$cpu/$PREF" dynamic
			agree
			echo "$cpu write $REQ $k 1" > $VM/fail
			write "$POL$cpu/$PREF" power
			agree
			[ -n "$error" ] || epp_is "$cpu" power
			put "$POL$cpu/$PREF" balance_performance
			epp_is "$cpu" balance_performance
			agree
			result "dynamic EPP on CPU$cpu, write $k fails"
		done
	done
fi

echo "1..$n"
[ $failed -eq 0 ]
