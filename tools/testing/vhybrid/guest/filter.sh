#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Sched domains are only rebuilt for EAS if that makes a difference.  Is it so in
# random sequences of events?  After each of them, EAS must be in use in the very
# root domains in which it is in use after an unconditional rebuild.
#
# usage: filter.sh STEPS SEED

CPUS=/sys/devices/system/cpu
VM=/sys/kernel/debug/vhybrid
CG=/sys/fs/cgroup
PREF=energy_performance_preference
AWARE=/proc/sys/kernel/sched_energy_aware

steps=$1
seed=$2
echo "# $steps steps, seed $seed"

# random N: a number below N in $r
random()
{
	seed=$(((seed * 1103515245 + 12345) & 2147483647))
	r=$(((seed >> 8) % $1))
}

# pick WORD...: one of them in $picked
pick()
{
	random $#
	shift "$r"
	picked=$1
}

put()
{
	{ echo "$2" > "$1"; } 2>/dev/null
}

last=0
for d in "$CPUS"/cpu[0-9]*; do
	[ "${d##*/cpu}" -le "$last" ] || last=${d##*/cpu}
done

# on_some FILE VALUE: on all CPUs or on one of them
on_some()
{
	local c

	random 3
	if [ "$r" -eq 0 ]; then
		for c in "$CPUS"/cpu[0-9]*; do
			put "$c/cpufreq/$1" "$2"
		done
		what="$1 of all CPUs: $2"
	else
		random $((last + 1))
		c=$r
		put "$CPUS/cpu$c/cpufreq/$1" "$2"
		what="$1 of CPU$c: $2"
	fi
	return 0
}

# Two partitions, or one, or none, with CPUs moving between them.
partition()
{
	local g first end state

	pick a b
	g=$CG/$picked
	random "$last"
	first=$((r + 1))
	random $((last - first + 1))
	end=$((first + r))
	pick root root member
	state=$picked
	put "$g/cpuset.cpus" "$first-$end"
	put "$g/cpuset.cpus.partition" "$state"
	what="partition ${g##*/}: CPUs $first-$end, $state"
}

# Where EAS is in use
state()
{
	sed -n -e '/^enabled /p' -e '/^rd /p' $VM/eas
}

[ -e $CG/cgroup.controllers ] || mount -t cgroup2 cgroup2 $CG
put $CG/cgroup.subtree_control +cpuset || { echo "Bail out! there are no cpusets"; exit 1; }
mkdir -p $CG/a $CG/b

n=0
failed=0
on=0
while [ $n -lt "$steps" ]; do
	n=$((n + 1))
	random 20
	case $r in
	0|1|2|3|4|5|6)
		pick performance balance_performance balance_power power 0 1 77 255 \
			balance_performance balance_power
		on_some $PREF "$picked" ;;
	7|8|9)
		get=$(cat $CPUS/cpu0/cpufreq/scaling_available_governors)
		# shellcheck disable=SC2086	# words
		pick $get powersave schedutil
		on_some scaling_governor "$picked" ;;
	10)
		pick active passive
		[ "$(cat $CPUS/intel_pstate/status)" = "$picked" ] || put $CPUS/intel_pstate/status "$picked"
		what="mode: $picked" ;;
	11|12)
		random "$last"
		c=$((r + 1))
		pick 0 1 1
		# Without partitions, because cpusets of Linux 7.3 can end up with
		# overlapping ones (WARNING in generate_sched_domains()) otherwise.
		put $CG/a/cpuset.cpus.partition member
		put $CG/b/cpuset.cpus.partition member
		put $CPUS/cpu$c/online "$picked"
		what="CPU$c online: $picked" ;;
	13|14|15)
		partition ;;
	16)
		pick 0 1 1
		put $AWARE "$picked"
		what="sched_energy_aware: $picked" ;;
	*)
		# So that there are times when EAS can be used.
		for c in "$CPUS"/cpu[0-9]*; do
			put "$c/cpufreq/$PREF" balance_performance
			put "$c/cpufreq/scaling_governor" powersave
			[ "$(cat $CPUS/intel_pstate/status)" = active ] ||
				put "$c/cpufreq/scaling_governor" schedutil
		done
		what="all CPUs suitable" ;;
	esac
	echo settle > $VM/control
	got=$(state)
	echo rebuild > $VM/control
	want=$(state)
	case $got in *'pd 1'*) on=$((on + 1)) ;; esac
	if [ "$got" != "$want" ]; then
		failed=$((failed + 1))
		echo "# step $n, $what: $got"
		echo "# after a rebuild: $want"
	fi
done

[ $failed -eq 0 ] || printf 'not '
echo "ok 1 the state of EAS is the same as after a rebuild, $steps times"
# Otherwise nothing has been tested.
if [ $on -le $((steps / 10)) ] || [ $on -ge $((steps * 9 / 10)) ]; then
	printf 'not '
	failed=1
fi
echo "ok 2 EAS has been in use, but not all of the time"
echo "# EAS in use after $on steps, $(($(sed -n 's/^rebuilds //p' $VM/eas) - n)) rebuilds that were not forced"
echo "1..2"
[ $failed -eq 0 ]
