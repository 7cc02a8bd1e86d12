#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154	# lib.sh sets some
#
# Tests of eas-ramp and eas-sweep in a virtual machine without cpufreq, run by run-nocpufreq.

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

# expect STATUS COMMAND...: it ends with this; what it says is in out and err
expect()
{
	want=$1
	shift
	status=0
	"$@" > out 2> err < /dev/null || status=$?
	[ $status = "$want" ] || bad="$bad $*: exit status $status, $(tail -n 1 err);"
}

# says FILE TEXT
says()
{
	grep -q -- "$2" "$1" || bad="$bad no '$2' in: $(cat "$1");"
}

# refused STATUS TEXT COMMAND...: in one line, with nothing done
refused()
{
	want=$1 text=$2
	shift 2
	expect "$want" "$@"
	says err "$text"
	[ "$(grep -c . err)" = 1 ] || bad="$bad $*: not one line: $(cat err);"
	[ ! -s out ] || bad="$bad $*: prints $(cat out);"
	[ ! -e eas-sweep.state ] || bad="$bad $*: there is a state file;"
}

ramp='./run-eas-ramp --runs 1 --settle 20 --duration 90'
sweep='./run-eas-sweep --rounds 1 --pause 0 --test a=true'

[ ! -e $CPUS/cpu0/cpufreq ] || bad=' there is one'
result "no cpufreq in this machine"

# shellcheck disable=SC2086	# lists
{
	expect 0 $ramp --csv csv
	says out ' CPU[0-9]*, no cpufreq: '
	says csv 'no cpufreq,iterations,1,'
	result "eas-ramp measures what there is"

	for config in all schedutil active/powersave/power; do
		refused 1 "^eas-ramp: --config $config: this machine has no cpufreq" $ramp --config $config
	done
	result "eas-ramp has no configurations to choose from"

	expect 0 $sweep --dry-run
	says out '^  as-is$'
	says err 'no cpufreq'
	expect 0 $sweep --csv csv
	says err 'there is no cpufreq on this machine: measuring the only state there is'
	says csv '^1,a,as-is,.*,ok,'
	rm -f eas-sweep.state
	expect 0 $sweep --as-is --quiet
	[ ! -s err ] || bad="$bad with --as-is, it says: $(cat err);"
	rm -f eas-sweep.state
	result "eas-sweep measures what there is"

	for config in all schedutil active/powersave/power; do
		refused 1 'there is no cpufreq on this machine: leave out --config' $sweep --config $config
	done
	result "eas-sweep has no configurations to choose from"
}

echo "1..$n"
[ "$failed" = 0 ]
