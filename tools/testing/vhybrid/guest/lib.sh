# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2034	# for those who source this
# shellcheck disable=SC3043	# all shells that do so have "local"
#
# What tests in the virtual machine have in common, to be copied along with them
# (vhybrid run --file) and sourced.

CPUS=/sys/devices/system/cpu
VM=/sys/kernel/debug/vhybrid
CG=/sys/fs/cgroup
# Every CPU has a policy of its own.  cpuN/cpufreq is a link that is not there, with just
# a message, if there was no memory for it.
POL=$CPUS/cpufreq/policy
GOV=scaling_governor
PREF=energy_performance_preference
# Where the driver can be told to use another mode, and the register that EPP is in
vendor=intel
STATUS=$CPUS/intel_pstate/status
REQ=hwp_request
if [ -e $CPUS/amd_pstate/status ]; then
	vendor=amd
	STATUS=$CPUS/amd_pstate/status
	REQ=amd_cppc_req
	[ ! -e $VM/cpu0/energy_perf ] || REQ=energy_perf
fi

cpus=$(sed -n 's/^cpu\([0-9]*\) ready .*/\1/p' $VM/eas)
last=${cpus##*
}

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

# write FILE VALUE: error in $error, empty if there is none
write()
{
	error=$({ echo "$2" > "$1"; } 2>&1) || :
	error=${error##*: }
}

# put FILE VALUE: must work
put()
{
	write "$1" "$2"
	[ -z "$error" ] || bad="$bad writing $2 to $1: $error;"
}

# cpusets: control groups with cpusets, in $CG
cpusets()
{
	[ -e $CG/cgroup.controllers ] || mount -t cgroup2 cgroup2 $CG
	put $CG/cgroup.subtree_control +cpuset
}

# all ATTRIBUTE VALUE: on one CPU after the other
all()
{
	local c

	for c in $cpus; do
		put "$POL$c/$1" "$2"
	done
}

# get CPU ATTRIBUTE: empty if it is not there
get()
{
	cat "$POL$1/$2" 2> /dev/null
}

# mode MODE: unless it is that already
mode()
{
	[ "$(cat $STATUS)" = "$1" ] || put $STATUS "$1"
}

# ready CPU: is its policy compatible with EAS?  Empty if it is offline.
ready()
{
	sed -n "s/^cpu$1 ready //p" $VM/eas
}

# register CPU: EPP in effect, as a number
register()
{
	local value

	value=$(cat "$VM/cpu$1/$REQ")
	[ $REQ = energy_perf ] && echo $((value)) || echo $((value >> 24 & 255))
}

# mode_has_epp: is EPP a preference in this mode?  With amd-pstate, only in the active one.
mode_has_epp()
{
	[ $vendor = intel ] || [ "$(cat $STATUS)" = active ]
}

# epp_values: what the words mean, for disagreements
epp_values()
{
	all $PREF performance
	performance=$(register 0)
	all $PREF balance_power
	balance_power=$(register 0)
	all $PREF balance_performance
	balance=$(register 0)
}

# disagreements: those of EPP shown, the register and, unless there is $no_gate, the
# compatibility with EAS, in $why.  A CPU does not need to have a policy.
disagreements()
{
	local c epp ready want shown gov

	why=
	for c in $cpus; do
		ready=$(ready "$c")
		# Without a policy, or offline
		gov=$(get "$c" $GOV) || {
			[ "${ready:-0}" = 0 ] || why="$why CPU$c is compatible, but has no policy;"
			continue
		}
		want=0
		case $gov in
		schedutil) want=1 ;;
		powersave) [ "$(cat $STATUS)" != active ] || want=1 ;;
		esac
		if mode_has_epp; then
			epp=$(register "$c")
			shown=$(get "$c" $PREF)
			shown=${shown#"dynamic(profile:"}
			case ${shown%")"} in
			"$epp") ;;
			performance) [ "$epp" -le "$performance" ] || why="$why CPU$c shows performance for $epp;" ;;
			balance_performance) [ "$epp" = "$balance" ] || why="$why CPU$c shows balance for $epp;" ;;
			balance_power) [ "$epp" = "$balance_power" ] || why="$why CPU$c shows balance_power for $epp;" ;;
			power) [ "$epp" = 255 ] || why="$why CPU$c shows power for $epp;" ;;
			*) why="$why CPU$c shows $shown for $epp;" ;;
			esac
			[ "$gov" != performance ] || [ "$(cat $STATUS)" != active ] || [ "$epp" = 0 ] ||
				why="$why CPU$c has EPP $epp with governor performance;"
			[ "$epp" -gt "$performance" ] || want=0
		fi
		[ -n "${no_gate:-}" ] || [ "$ready" = "$want" ] ||
			why="$why CPU$c: compatible is $ready, should be $want;"
	done
}

# settled: there are no disagreements when there is no rebuild to come
settled()
{
	echo settle > $VM/control
	disagreements
	bad="$bad$why"
}

# works: whatever has been before, EPP can be set, and all of it agrees then
works()
{
	local c v

	mode active
	all $GOV powersave
	for v in power 77 performance balance_performance; do
		all $PREF $v
		for c in $cpus; do
			[ "$(get "$c" $PREF)" = $v ] || bad="$bad EPP of CPU$c is $(get "$c" $PREF), not $v;"
		done
	done
	disagreements
	bad="$bad$why"
}
