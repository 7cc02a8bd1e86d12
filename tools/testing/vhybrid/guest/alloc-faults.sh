#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Let the first, the second, ... allocation of memory fail while a governor is started,
# EPP is written, a CPU comes online or the driver is registered, until there is none
# left to fail.  Whatever comes of it, governor, EPP and the compatibility with EAS must
# agree on all CPUs, and what is written next must work.
#
# usage: alloc-faults.sh	(with lib.sh in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

GOV=scaling_governor
# cpuN/cpufreq is a link that is not there if there was no memory for it, which only
# gives a message.
POL=$CPUS/cpufreq/policy
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

put()
{
	echo "$2" 2> /dev/null > "$1" || bad="$bad writing $2 to $1 fails;"
}

all()
{
	local c

	for c in $cpus; do
		put "$POL$c/$1" "$2"
	done
}

get()
{
	cat "$POL$1/$2" 2> /dev/null
}

mode()
{
	[ "$(cat $CPUS/intel_pstate/status)" = "$1" ] || put $CPUS/intel_pstate/status "$1"
}

# agree EPP: on all CPUs the register holds what is shown, it is what the user wants unless
# governor performance forces something else, and the compatibility is what follows
agree()
{
	local c gov epp hw want ready

	echo settle > $VM/control
	for c in $cpus; do
		ready=$(sed -n "s/^cpu$c ready //p" $VM/eas)
		gov=$(get "$c" $GOV)
		want=0
		if [ -n "$gov" ]; then
			epp=$(get "$c" $PREF)
			hw=$((($(cat "$VM/cpu$c/hwp_request") >> 24) & 255))
			case $(cat $CPUS/intel_pstate/status)-$gov in
			active-performance)
				[ "$epp" = performance ] && [ $hw -eq 0 ] ||
					bad="$bad CPU$c has EPP $epp ($hw) with governor performance;" ;;
			*)
				[ "$epp" = "$1" ] || bad="$bad EPP of CPU$c is $epp, not $1;"
				[ $hw -eq 192 ] || [ "$1" != balance_power ] ||
					bad="$bad the register of CPU$c has $hw;" ;;
			esac
			case $(cat $CPUS/intel_pstate/status)-$gov in
			active-powersave | passive-schedutil) want=1 ;;
			esac
		fi
		[ "${ready:-0}" = $want ] || bad="$bad CPU$c: compatible is $ready, should be $want ($gov);"
	done
}

# governor MODE FROM TO CPU
governor()
{
	local i=1 file="$POL$4/$GOV" gov

	mode "$1"
	all $GOV "$2"
	while :; do
		put "$file" "$2"
		fails_at $i "$file" "$3"
		[ "$left" = 0 ] || break
		gov=$(get "$4" $GOV)
		[ -z "$error" ] && want=$3 || want=$2
		[ "$gov" = "$want" ] || bad="$bad allocation $i: governor is $gov, not $want;"
		agree balance_power
		put "$file" "$3"
		agree balance_power
		i=$((i + 1))
	done
	[ $i -gt 1 ] || bad="$bad no allocation fails;"
	result "$1 mode, governor $2 to $3 on CPU$4, $((i - 1)) failing allocations"
	total=$((total + i - 1))
}

# epp MODE GOVERNOR CPU
epp()
{
	local i=1 file="$POL$3/$PREF"

	mode "$1"
	all $GOV "$2"
	while :; do
		put "$file" balance_power
		fails_at $i "$file" power
		[ "$left" = 0 ] || break
		[ -z "$error" ] && want=power || want=balance_power
		[ "$(get "$3" $PREF)" = "$want" ] || bad="$bad allocation $i: EPP is $(get "$3" $PREF), not $want;"
		put "$file" power
		put "$file" balance_power
		agree balance_power
		i=$((i + 1))
	done
	put "$file" balance_power
	[ $i -gt 1 ] || bad="$bad no allocation fails;"
	result "$1 mode, governor $2, EPP on CPU$3, $((i - 1)) failing allocations"
	total=$((total + i - 1))
}

# online CPU
online()
{
	local i=1 file="$CPUS/cpu$1/online"

	mode active
	all $GOV powersave
	while :; do
		put "$file" 0
		fails_at $i "$file" 1
		agree balance_power
		[ "$(cat "$file")" = 1 ] || put "$file" 1
		# Without a policy, the next time must give it one.
		if [ ! -e "$POL$1/$PREF" ]; then
			put "$file" 0
			put "$file" 1
		fi
		agree balance_power
		[ "$left" = 0 ] || break
		i=$((i + 1))
	done
	[ $i -gt 1 ] || bad="$bad no allocation fails;"
	result "CPU$1 online, $((i - 1)) failing allocations"
	total=$((total + i - 1))
}

# status FROM TO: registration of the driver
status()
{
	local i=1 file=$CPUS/intel_pstate/status


	while :; do
		mode "$1"
		fails_at $i $file "$2"
		agree balance_power
		mode "$2"
		agree balance_power
		mode "$1"
		agree balance_power
		[ "$left" = 0 ] || break
		i=$((i + 1))
	done
	[ $i -gt 1 ] || bad="$bad no allocation fails;"
	result "mode $1 to $2, $((i - 1)) failing allocations"
	total=$((total + i - 1))
}

total=0
last=${cpus##*
}
mode active
all $GOV powersave
all $PREF balance_power
for cpu in 0 "$last"; do
	for g in ondemand performance powersave userspace; do
		governor passive $g schedutil "$cpu"
		governor passive schedutil $g "$cpu"
	done
	governor active powersave performance "$cpu"
	governor active performance powersave "$cpu"
	epp active powersave "$cpu"
	epp passive schedutil "$cpu"
	epp passive ondemand "$cpu"
done
online "$last"
status active passive
# Not from passive to active: the driver warns, on purpose, when there is no memory for
# hwp_dynamic_boost.
echo "# $total allocations have failed"
echo "1..$n"
[ $failed -eq 0 ]
