#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Run the kernel's own tests of cpufreq.  They look at little but exit statuses, so compare
# here what must be as it was before, on all CPUs.
#
# usage: cpufreq-tests.sh TEST...	(basic, sptest1, ..., modtest; with lib.sh,
#					 cpufreq/main.sh and bash-static in /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

# settings: those of all CPUs
settings()
{
	local c

	for c in $cpus; do
		echo "$c: $(get "$c" $GOV) $(get "$c" $PREF) $(get "$c" scaling_min_freq) $(get "$c" scaling_max_freq)"
	done
}

# run MODE TEST [OPTION...]
run()
{
	local m="$1" t="$2" log="/tmp/$1-$2.out" before

	shift 2
	mode "$m"
	all $GOV powersave
	! mode_has_epp || all $PREF balance_performance
	before=$(settings)
	(cd cpufreq && ./main.sh -t "$t" -o /tmp/dump "$@") > "$log" 2>&1 ||
		bad="$bad it ends with status $?;"
	grep -q '^ok 1 ' "$log" || bad="$bad it does not report success;"
	# Of what was read just before, except for frequencies of governors that are not in use
	[ "$t" != basic ] || ! grep -q 'write error' "$log" ||
		bad="$bad $(grep -m 3 -B 1 'write error' "$log" | tr '\n' ' ');"
	bad="$bad$(grep -E '^(Warning|WARN):|[Ff]ailed|not present in' "$log" | sort | uniq -c | tr '\n' ';')"
	[ "$(settings)" = "$before" ] ||
		bad="$bad settings were '$(echo "$before" | xargs)', now '$(settings | xargs)';"
	settled
	[ -z "$bad" ] || tail -n 40 "$log" >&2
	result "$t${2:+ of $2} in $m mode"
}

ln -s /root/bash-static /bin/bash
epp_values
for t in "$@"; do
	case $t in
	basic)
		run active basic
		run passive basic ;;
	modtest)
		for g in conservative ondemand userspace; do
			cp cpufreq_$g.ko cpufreq/
			run passive modtest -g cpufreq_$g.ko
		done
		# For what needs them
		for g in conservative ondemand userspace; do
			insmod ./cpufreq_$g.ko
		done ;;
	*)
		run passive "$t" ;;
	esac
done

echo "1..$n"
[ $failed -eq 0 ]
