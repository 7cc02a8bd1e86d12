#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# End-to-end tests of eas-status, to be run in a virtual machine by run-status.  What it
# says is compared with what the kernel has, which the emulation tells.
#
# usage: guest-status.sh MACHINE [SCENARIO]
#
# Results are in KTAP, without a plan: run-status adds results of its own, based on
# comments with what has been printed ("#@ NAME", then "#T" text and "#J" JSON).

# shellcheck disable=SC3043	# busybox sh and dash have "local"
# shellcheck source=../../../testing/vhybrid/guest/lib.sh
. ./lib.sh

machine=$1
scenario=${2:-states}

TRACING=/sys/kernel/tracing
NR=/proc/sys/kernel/sched_energy_aware
out=/tmp/status.out
err=/tmp/status.err

series=no
[ ! -e $TRACING/events/power/cpu_eas_compatible ] || series=yes
case $machine in
lunar-lake | meteor-lake | raptor-lake) hybrid=yes ;;
*) hybrid=no ;;
esac
has_status=no
[ ! -e "$STATUS" ] || has_status=yes
has_epp=no
[ ! -e "${POL}0/$PREF" ] || has_epp=yes

# What can be on: exit status if all else is as it should be
on=1
[ $hybrid = no ] || on=0
# ... in the default state
default_on=$on
[ $series = yes ] || default_on=1

# For tests as another user
echo 'nobody:x:65534:65534::/:/bin/sh' > /etc/passwd
chmod 755 /root

# status [OPTION...]: run it; sets $got
status()
{
	got=0
	./run-eas-status "$@" > $out 2> $err || got=$?
}

# unprivileged: the same as user nobody
unprivileged()
{
	got=0
	su -s /bin/sh nobody -c "cd /root && exec ./run-eas-status" > $out 2> $err || got=$?
}

# says PATTERN: it is in the output
says()
{
	grep -q -e "$1" $out || bad="$bad does not say '$1';"
}

# says_not PATTERN
says_not()
{
	! grep -q -e "$1" $out || bad="$bad says '$1';"
}

# cell CPU COLUMN: of the table in the output; NF is the last column
cell()
{
	awk -v c="$1" "table && \$1 == c { print \$$2 } \$1 == \"CPU\" { table = 1 }" $out
}

# compare: output in $out with the truth.  Sets $unknown if something is not known.
compare()
{
	local rd pd word c ready shown

	unknown=
	while read -r _ rd _ pd; do
		word=off
		[ "$pd" = 0 ] || word=on
		shown=$(sed -n "s/^Root domain of CPUs* $rd: EAS is //p" $out)
		case $shown in
		"$word") ;;
		unknown) unknown="$unknown domain $rd" ;;
		# The kernel has root domains for isolated CPUs, too, but nothing is balanced there.
		'') [ "$word" = off ] && grep -q "^Isolated, .*: CPU $rd\$" $out ||
			bad="$bad root domain $rd is missing;" ;;
		*) bad="$bad EAS in root domain $rd is $word, not '$shown';" ;;
		esac
	done <<-END
	$(grep '^rd ' $VM/eas)
	END
	for c in $cpus; do
		ready=$(ready "$c")
		[ -n "$ready" ] || continue
		word=no
		[ "$ready" = 0 ] || word=yes
		shown=$(cell "$c" NF)
		case $shown in
		"$word") ;;
		-) unknown="$unknown CPU$c" ;;
		*) bad="$bad compatible of CPU$c is $word, not '$shown';" ;;
		esac
	done
	[ ! -s $err ] || bad="$bad errors: $(cat $err);"
}

# known NAME STATUS: nothing may be unknown
known()
{
	check "$1" "$2"
	[ -z "$unknown" ] || bad="$bad unknown:$unknown;"
}

# check NAME STATUS: text against the truth; run-status looks at the JSON
check()
{
	rebuilds > /dev/null
	status --json
	[ "$got" = "$2" ] || bad="$bad exit status with --json is $got, not $2;"
	echo "#@ $1"
	sed 's/^/#J /' $out
	status
	sed 's/^/#T /' $out
	[ "$got" = "$2" ] || bad="$bad exit status is $got, not $2;"
	compare
}

# usage_error NAME PATTERN [OPTION...]: status 2, one line that says what to do
usage_error()
{
	local name="$1" pattern="$2"

	shift 2
	status "$@"
	[ "$got" = 2 ] || bad="$bad exit status is $got;"
	[ ! -s $out ] || bad="$bad there is output;"
	grep -q "^eas-status: .*$pattern" $err || bad="$bad message is '$(cat $err)';"
	result "$name"
}

# ---- states ----

types()
{
	local c want shown

	status
	for c in $cpus; do
		case $(cat "$VM/cpu$c/type") in
		P) want=P ;;
		E) want=E ;;
		L) want=LPE ;;
		*) want=core ;;
		esac
		# There is no CPUID for it.
		if [ "$machine" = amd-shmem ]; then
			[ $want = P ] && want=type0 || want=type1
		fi
		shown=$(cell "$c" 2)
		[ "$shown" = "$want" ] || bad="$bad type of CPU$c is $want, not '$shown';"
		want=$(cat "$CPUS/cpu$c/cpu_capacity")
		shown=$(cell "$c" 3)
		[ "$shown" = "$want" ] || bad="$bad capacity of CPU$c is $want, not '$shown';"
	done
	result "types and capacities of CPUs"
}

# Back to what it was at the beginning
defaults()
{
	if [ $has_status = yes ]; then
		mode "$first_mode"
	fi
	all $GOV "$first_governor"
	[ $has_epp = no ] || all $PREF "$first_epp"
}

governors()
{
	local g want

	# shellcheck disable=SC2013	# words, on one line
	for g in $(cat ${POL}0/scaling_available_governors); do
		[ "$g" != userspace ] || continue
		all $GOV "$g"
		want=1
		[ "$g" != "$good_governor" ] || want=$1
		known "governor $g" "$want"
		if [ $hybrid = yes ] && [ "$want" = 1 ]; then
			says "EAS does not accept governor $g on CPUs 0-$last\$"
		fi
		result "$2governor $g on all CPUs"

		[ "$g" != "$good_governor" ] || continue
		all $GOV "$good_governor"
		put "$POL$last/$GOV" "$g"
		known "governor $g on the last CPU" 1
		if [ $hybrid = yes ] && [ "$1" = 0 ]; then
			says "EAS does not accept governor $g on CPU $last\$"
			says "remedy: as root, echo $good_governor | tee ${POL}$last/$GOV\$"
		fi
		result "$2governor $g on the last CPU"
	done
	all $GOV "$good_governor"
}

# epps STATUS PREFIX: with a good governor in effect; STATUS of EAS if EPP is fine
epps()
{
	local v want

	for v in performance balance_power power 0 10 77 255 balance_performance; do
		all $PREF $v
		want=$1
		if [ $series = yes ]; then
			case $v in
			performance | 0) want=1 ;;
			10) [ "$machine" != meteor-lake ] || want=1 ;;
			esac
		fi
		check "$2EPP $v" "$want"
		# The kernel does not tell if it is this, or frequency invariance.
		[ "$v,$want" = 10,1 ] || [ -z "$unknown" ] || bad="$bad unknown:$unknown;"
		case $hybrid,$want,$v in
		yes,1,10) [ $series = no ] || says "? whether the EPP asks for performance on" ;;
		yes,1,*) [ $series = no ] || says "- EPP asks for performance on CPUs 0-$last\$" ;;
		esac
		result "$2EPP $v on all CPUs"
	done

	put "$POL$last/$PREF" performance
	want=$1
	[ $series = no ] || want=1
	known "$2EPP performance on the last CPU" "$want"
	if [ $series$hybrid = yesyes ]; then
		says "- EPP asks for performance on CPU $last\$"
		says "tee ${POL}$last/$PREF\$"
	fi
	result "$2EPP performance on the last CPU"
	put "$POL$last/$PREF" balance_performance
}

states()
{
	local m

	first_governor=$(get 0 $GOV)
	first_epp=$(get 0 $PREF) || first_epp=
	first_mode=
	[ $has_status = no ] || first_mode=$(cat "$STATUS")

	known "after boot" $default_on
	if [ $hybrid = yes ] && [ $default_on = 1 ]; then
		says "EAS does not accept governor powersave on CPUs 0-$last\$"
		says 'remedy: as root, echo passive > /sys/devices/system/cpu/intel_pstate/status'
	elif [ $hybrid = no ]; then
		says 'CPUs .*\(have the same\|count as equal in\) capacity'
		says "there is no Energy Model for CPUs 0-$last\$"
		says_not remedy:
	fi
	result "after boot"
	types

	if [ $has_status = yes ] && [ "$machine" != intel-noepp ]; then
		good_governor=powersave
		mode active
		governors "$default_on" "active, "
		epps "$default_on" "active, "
		put "$POL$last/$PREF" performance
		all $GOV performance
		known "governor performance with EPP performance" 1
		says_not 'EPP asks'
		result "EPP that the governor forces is not the reason"
		all $GOV powersave
		put "$POL$last/$PREF" balance_performance
		if [ $vendor = amd ]; then
			all $PREF dynamic
			known "dynamic EPP" "$default_on"
			case $(get 0 $PREF) in
			'dynamic(profile:'*) says ' dynamic(profile:[a-z0-9_]*)  ' ;;
			*) bad="$bad EPP is $(get 0 $PREF);" ;;
			esac
			result "dynamic EPP"
			all $PREF balance_performance
		fi
	fi
	good_governor=schedutil
	for m in passive guided; do
		[ $has_status = yes ] || continue
		[ $m = passive ] || [ $vendor = amd ] || continue
		mode $m
		all $GOV schedutil
		known "mode $m, governor schedutil" "$on"
		result "mode $m"
		governors "$on" "$m, "
		[ $vendor = amd ] || [ $has_epp = no ] || epps "$on" "$m, "
	done
	defaults
}

# EPP that cannot be read.  The plain kernel shows something in this case.
unreadable()
{
	[ -e $VM/cpu0/hwp_request ] && [ $has_epp$series = yesyes ] || return 0
	put $VM/fail "1 read hwp_request"
	known "EPP that cannot be read" $default_on
	says '^ *1 .*  powersave  *-  *\(yes\|no\)$'
	result "EPP that cannot be read"
	if [ $hybrid = yes ]; then
		put ${POL}0/$GOV performance
		check "EPP that cannot be read, and another reason" 1
		[ "$unknown" = " CPU1" ] || bad="$bad unknown is '$unknown', not CPU1;"
		says '? the EPP of CPU 1$'
		result "compatible is unknown without EPP"
		put ${POL}0/$GOV powersave
	fi
	put $VM/fail clear
}

sysctl()
{
	# Where EAS is possible
	if [ $hybrid = yes ] && [ $series = no ]; then
		mode passive
		all $GOV schedutil
		rebuilds > /dev/null
	fi
	write $NR 0
	if [ $hybrid = no ]; then
		[ -n "$error" ] || bad="$bad it can be written;"
		result "the sysctl cannot be written where EAS is not possible"
		return
	fi
	known "sysctl is 0" 1
	says '- EAS is switched off by sysctl kernel.sched_energy_aware$'
	says 'remedy: as root, sysctl kernel.sched_energy_aware=1$'
	result "EAS is switched off by sysctl"

	# Then there is one more reason, but the sysctl is hidden.
	put "${POL}0/$GOV" performance
	known "sysctl is hidden" 1
	says_not '- EAS is switched off'
	says_not '? whether sysctl'
	put "${POL}0/$GOV" "$([ $series = yes ] && echo powersave || echo schedutil)"
	[ "$series" = no ] || put "${POL}0/$PREF" balance_performance
	rebuilds > /dev/null
	result "what the sysctl is does not matter if there are other reasons"

	put $NR 1
	known "sysctl is 1" 0
	result "EAS is switched on again"
	defaults
}

hotplug()
{
	put "$CPUS/cpu$last/online" 0
	known "last CPU offline" $default_on
	says "^ *$last  offline  *-  .*  -  *-  *-  *-  *-\$"
	says_not "^Root domain.*[-, ]$last:"
	result "CPU $last is offline"
	status -c "0,$last"
	[ "$got" = $default_on ] || bad="$bad exit status is $got;"
	says "^ *$last  offline "
	says_not '^ *1 '
	result "some of the CPUs asked for are offline"
	usage_error "the only CPU asked for is offline" \
		"CPU $last: offline, put it online first" --cpus "$last"
	put "$CPUS/cpu$last/online" 1
	known "last CPU online again" $default_on
	result "CPU $last is online again"
}

partitions()
{
	cpusets
	mkdir $CG/a
	# The first CPU and the last one, which are of different types
	put $CG/a/cpuset.cpus "0,$last"
	put $CG/a/cpuset.cpus.partition root
	known "two root domains" $default_on
	says "^Root domain of CPUs 0,$last: EAS is"
	[ "$(grep -c '^Root domain' $out)" = 2 ] || bad="$bad not 2 root domains;"
	result "two root domains"
	status --cpus "$last"
	[ "$(grep -c '^Root domain' $out)" = 1 ] || bad="$bad not 1 root domain;"
	says "^Root domain of CPUs 0,$last: "
	result "only one of them"

	if [ $hybrid$series = yesyes ]; then
		put "${POL}1/$PREF" performance
		check "EPP in one of two root domains" 1
		says "^Root domain of CPUs 0,$last: EAS is unknown"
		says '? whether sysctl kernel.sched_energy_aware allows EAS$'
		result "EPP in one of two root domains"
		put "${POL}1/$PREF" balance_performance
	fi

	put $CG/a/cpuset.cpus.partition member
	known "an invalid partition is none" $default_on
	[ "$(grep -c '^Root domain' $out)" = 1 ] || bad="$bad not 1 root domain;"
	result "back to one root domain"

	put $CG/a/cpuset.cpus "$last"
	put $CG/a/cpuset.cpus.partition isolated
	known "an isolated partition" $default_on
	[ "$(grep -c '^Root domain' $out)" = 1 ] || bad="$bad not 1 root domain;"
	says "^Isolated, .*: CPU $last\$"
	result "an isolated partition"

	put $CG/a/cpuset.cpus.partition member
	rmdir $CG/a
	rebuilds > /dev/null
}

# agree: another user is told the same of EAS as root, or less
other_user()
{
	local word

	status
	word=$(sed -n 's/^Root domain.*: EAS is //p' $out)
	unprivileged
	compare
	[ -z "$unknown" ] || bad="$bad unknown:$unknown;"
	says ": EAS is $word\$"
	if grep -q ' type0 ' $out && [ "$machine" != amd-shmem ]; then
		says '^Root would be told in addition: types of CPUs$'
	fi
	[ $hybrid = no ] || says '^Root would be told in addition: types of CPUs$'
	result "another user is told the same of EAS"

	# Without names of functions, there is nothing that tells the kernel apart.
	mount --bind /dev/null /proc/kallsyms
	unprivileged
	compare
	says ": EAS is $word\$"
	case $hybrid$series in
	yesyes) [ -z "$unknown" ] || bad="$bad unknown:$unknown;" ;;
	yesno)
		says 'what tells: run this as root, or use a kernel with CONFIG_KALLSYMS=y$'
		says '^Root would be told in addition: .*whether the kernel accepts powersave'
		;;
	esac
	result "another user, without names of functions"

	mount --bind "$(mktemp -d)" /proc/sys/kernel
	unprivileged
	compare
	if [ $hybrid = yes ]; then
		[ "$got" = 3 ] || bad="$bad exit status is $got;"
		says ': EAS is unknown$'
		says 'what tells: /proc/sys/kernel/sched_energy_aware, if readable'
	else
		[ "$got" = 1 ] || bad="$bad exit status is $got;"
		says '? whether the kernel can do EAS$'
	fi
	umount /proc/sys/kernel
	umount /proc/kallsyms
	result "another user, without the sysctl"
}

bad_input()
{
	usage_error "a CPU that does not exist" "there is no CPU 99, there are 0-$last" -c 99
	usage_error "not a list of CPUs" "'x' is not a list of CPUs, write something like" -c x
	usage_error "an interval that is too short" "'0' is not an interval, write seconds" -w -i 0
	usage_error "an interval that is no number" "'1s' is not an interval" -w -i 1s
	usage_error "an interval without --watch" '--interval is of no use without --watch' -i 2
	usage_error "too many words" "'3' is too much: CPUs are given with --cpus" 3
	status --nonsense
	[ "$got" = 2 ] || bad="$bad exit status is $got;"
	grep -q "Try 'eas-status --help'" $err || bad="$bad message is '$(cat $err)';"
	result "an unknown option"
	got=0
	./run-eas-status > /dev/full 2> $err || got=$?
	[ "$got" = 3 ] || bad="$bad exit status is $got;"
	[ "$(cat $err)" = 'eas-status: cannot write the output, is there space left?' ] ||
		bad="$bad message is '$(cat $err)';"
	result "no space left for the output"
	status --help
	[ "$got" = 0 ] || bad="$bad exit status is $got;"
	says '^usage: eas-status'
	result "--help"
	status --version
	[ "$got" = 0 ] || bad="$bad exit status is $got;"
	says '^eas-status [0-9.]*$'
	result "--version"
}

# ---- other boots ----

nocpufreq()
{
	known "no cpufreq" 1
	says "no cpufreq driver is in use on CPUs 0-$last\$"
	says 'remedy: load one; .* /proc/cmdline may prevent it$'
	result "no cpufreq"
	bad_input
}

# With isolcpus=
isolcpus()
{
	known "isolated CPUs" $default_on
	says "^Isolated, .*: CPU $last\$"
	says_not "^Root domain.*[-, ]$last:"
	result "CPUs isolated at boot"
	if [ $hybrid$series = yesyes ]; then
		put "$POL$last/$PREF" performance
		check "EPP of an isolated CPU" 3
		says "^Root domain of CPUs 0-$((last - 1)): EAS is unknown\$"
		result "EPP of an isolated CPU hides the sysctl"
		put "$POL$last/$PREF" balance_performance
	fi
}

echo "# $machine, series: $series, scenario: $scenario"
case $scenario in
states)
	states
	unreadable
	sysctl
	hotplug
	partitions
	other_user
	bad_input
	;;
watch)
	# shellcheck source=guest-status-watch.sh
	. ./guest-status-watch.sh
	;;
nocpufreq | isolcpus)
	$scenario
	;;
*)
	echo "guest-status.sh: there is no scenario '$scenario'" >&2
	exit 2
	;;
esac
echo "#END $n"
[ $failed = 0 ]
