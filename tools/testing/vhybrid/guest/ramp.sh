#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# The part of demo-ramp that runs in the virtual machine: CPU0 is a P-core, CPU1 an E-core.

VM=/sys/kernel/debug/vhybrid
RUNS=3
BALANCED=active/powersave/balance_performance
PERFORMANCE=active/performance
SCHEDUTIL=passive/schedutil/balance_performance
SCHEDUTIL2=passive/schedutil/performance

# The model, see README.rst: what the publication has for active mode is put into it.
for cpu in 0 1; do
	[ "$(cat $VM/cpu$cpu/type)" = P ] && us=5000 || us=8000
	echo "$us" 2> /dev/null > $VM/cpu$cpu/response_us || {
		echo "The emulated hardware has no response time: build this kernel again (make kernel)."
		exit 1
	}
done

./run-eas-ramp --source cycles --runs $RUNS --duration 1050 --no-cpuset --cpu 0,1 --csv /tmp/csv \
	--config $BALANCED,$PERFORMANCE,$SCHEDUTIL,$SCHEDUTIL2 || exit 1

# found CPU CONFIG COLUMN
found()
{
	tr -d '\r' < /tmp/csv | awk -F, -v cpu="CPU$1" -v config="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
		NR > 1 && $1 ~ cpu "$" && $2 == config { print $column }'
}

wrong=0

# line CPU CONFIG PUBLISHED ORIGIN MIN MAX: time to 95 %, which must be from MIN to MAX
line()
{
	local is

	is=$(found "$1" "$2" ms_to_95)
	printf '%-7s %-40s %8.1f +-%-6.1f %9s   %s\n' "$(cat $VM/cpu"$1"/type)-core" "$2" "$is" \
		"$(found "$1" "$2" ms_to_95_spread)" "$3" "$4"
	echo "${is:-none} $5 $6" | awk '{ exit !($1 != "none" && $1 >= $2 && $1 <= $3) }' || {
		echo "        WRONG: this should be from $5 to $6"
		wrong=$((wrong + 1))
	}
}

echo
echo "ms to 95 % of the steady speed:"
printf '%-7s %-40s %17s %9s   %s\n' core configuration here published 'comes here from'
line 0 $BALANCED	5	'model of HWP, by construction'		3 6
line 0 $PERFORMANCE	0	'model of HWP, by construction'		0 1
line 0 $SCHEDUTIL	52	'schedutil of this kernel, measured'	20 200
line 0 $SCHEDUTIL2	47	'schedutil of this kernel, measured'	20 200
line 1 $BALANCED	8	'model of HWP, by construction'		6 9
line 1 $PERFORMANCE	0	'model of HWP, by construction'		0 1
line 1 $SCHEDUTIL	67	'schedutil of this kernel, measured'	20 200
line 1 $SCHEDUTIL2	72	'schedutil of this kernel, measured'	20 200

cat <<'END'

Published: measurement on the mailing list, 2 July 2026, on real hardware. It has two rows of
schedutil whose difference does not show here: this machine's EPP has no influence in passive
mode, so the two rows here are the same measurement twice, at other times between two ticks.

Modelled: in active mode the hardware chooses the speed, and there is no hardware here. How
long it takes was taken from the published figures (response_us: 5 ms for the P-core, 8 ms
for the E-core at balance_performance). That these rows agree shows that eas-ramp measures
right. It says nothing about HWP. They come out a bit short: the CPU has been awake for some
time when a new task starts on it, and the ms that has 95 % begins below that.

Measured: in passive mode the kernel chooses the speed. That ramp comes from the real code of
schedutil and the scheduler, which sees a new task use the CPU more and more, and from the
registers that intel_pstate writes. It depends on the tick (250 Hz here), on capacities and
frequencies, and on how much the kernel takes for granted that a new task will use. The
published machine differs in all of that, so only the order of magnitude can be compared.
Of how its task started, nothing is known here. A new task, as here, was chosen as the default
of eas-ramp because it comes near these figures: a task that is there already but has hardly
run (--cold) took 150 to 300 ms on this machine.
END
[ $wrong -eq 0 ] || { echo; echo "$wrong of the rows are wrong."; exit 1; }
