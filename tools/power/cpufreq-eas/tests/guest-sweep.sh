#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# the shell here has "local"
#
# End-to-end tests of eas-sweep, in the virtual machine: see run-sweep.

set -eu

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

# Numbers of CPUs, on one line
list=$(echo "$cpus" | tr '\n' ' ')

mkdir -p /tmp/sweep
here=$PWD
cd /tmp/sweep

# sweep ARGUMENT...: in the foreground; output in out and err, exit status in $status
sweep()
{
	status=0
	"$here/run-eas-sweep" --pause 0 "$@" > out 2> err < /dev/null || status=$?
}

# wrong TEXT
wrong()
{
	bad="$bad $1;"
}

# expect STATUS: of the last sweep
expect()
{
	[ "$status" = "$1" ] || wrong "exit status is $status, not $1: $(tail -n 1 err)"
}

# says TEXT: on stderr
says()
{
	grep -q -- "$1" err || wrong "it does not say '$1' but: $(tail -n 1 err)"
}

# one_line: it says a single line
one_line()
{
	[ "$(wc -l < err)" = 1 ] || wrong "it says $(wc -l < err) lines, not one: $(head -n 3 err | tr '\n' '|')"
}

# settings: of all CPUs, with what is in the registers
settings()
{
	local c a

	cat $STATUS
	for c in $cpus; do
		for a in "$GOV" "$PREF" scaling_min_freq scaling_max_freq; do
			echo "$c $a $(get "$c" "$a")"
		done
		[ ! -e "$VM/cpu$c/$REQ" ] || echo "$c register $(register "$c")"
	done
}

# same_settings: as they were
same_settings()
{
	settings > now
	cmp -s before now || wrong "settings have changed: $(diff before now | tr '\n' ' ')"
}

# soon COMMAND...: it succeeds within half a minute
soon()
{
	local i=0

	until "$@"; do
		i=$((i + 1))
		if [ $i -ge 300 ]; then
			wrong "waited in vain: $*"
			return 0
		fi
		usleep 100000
	done
}

# gone FILE: the process whose number is in it has ended
gone()
{
	local pid

	pid=$(cat "$1")
	[ -n "$pid" ] && { [ ! -e "/proc/$pid" ] || grep -q '^State:.*Z' "/proc/$pid/status"; }
}

settings_are_back()
{
	settings > now
	cmp -s before now
}

# offered: all configurations, found out in another way than by the program
offered()
{
	local mode g e first

	first=$(cat $STATUS)
	for mode in active passive guided; do
		echo $mode > $STATUS 2> /dev/null || continue
		for g in $(get 0 scaling_available_governors); do
			[ "$g" != userspace ] || continue
			if [ ! -e "$POL"0/$PREF ] || [ "$mode$g" = activeperformance ]; then
				echo $mode/"$g"
				continue
			fi
			# With governor performance, AMD's driver offers nothing else.
			echo "$g" > "$POL"0/$GOV
			for e in $(get 0 energy_performance_available_preferences); do
				case $e in
				# These are names for one of the others, or for a number.
				default | dynamic | custom) ;;
				*) echo $mode/"$g/$e" ;;
				esac
			done
		done
	done
	echo "$first" > $STATUS
}

# A test that writes down under which settings of which CPUs it runs
cat > record <<END
#!/bin/sh
line="\$EAS_SWEEP_ROUND \$EAS_SWEEP_CONFIG"
read -r mode < $STATUS
for c in $list; do
	epp=
	read -r governor < $POL\$c/$GOV
	[ ! -e $POL\$c/$PREF ] || read -r epp < $POL\$c/$PREF
	line="\$line \$mode/\$governor/\$epp"
done
echo "\$line" >> /tmp/sweep/records
END
chmod +x record

# A test that waits in the middle of the third run, with something in the background
cat > wait-in-third <<END
#!/bin/sh
echo "\$EAS_SWEEP_ROUND \$EAS_SWEEP_CONFIG" >> /tmp/sweep/runs
[ \$(wc -l < /tmp/sweep/runs) = 3 ] || exit 0
echo \$PPID > /tmp/sweep/sweep
sleep 1000 &
echo \$! > /tmp/sweep/pid.tmp
mv /tmp/sweep/pid.tmp /tmp/sweep/pid
wait
END
chmod +x wait-in-third

# Before: CPUs are not alike, and nothing is as it was at boot.
offered > unsorted
sort unsorted > offered
mode passive
sweep --dry-run --test a=true
expect 0
sed -n 's/^  \([a-z]*\/.*\)/\1/p' out | sort | cmp -s - offered || wrong "other configurations"
result "dry run in passive mode: lists what is offered in all modes"

case $(cat offered) in
*active/powersave/*)
	mode active
	all $GOV powersave
	all $PREF balance_power
	put "$POL$last/$PREF" 77
	two=active/powersave/performance,active/powersave/power
	;;
*)
	all $GOV ondemand
	put "$POL$last/$GOV" performance
	two=passive/ondemand,passive/performance
	;;
esac
settings > before
configs=$(wc -l < offered)
result "settings to begin with"

# ---- What is run -----------------------------------------------------------------------

sweep --dry-run --rounds 3 --test a=true
expect 0
grep -q "^runs: $((3 * configs)), $((3 * configs)) of them" out || wrong "$(tail -n 1 out)"
sed -n 's/^  \([a-z]*\/.*\)/\1/p' out | sort | cmp -s - offered || wrong "other configurations"
cp out plan
sweep --dry-run --rounds 3 --test a=true --config all
cmp -s out plan || wrong "another list with --config all"
[ ! -e eas-sweep.state ] || wrong "it has written a state file"
same_settings
result "dry run: lists what is offered, changes nothing"

sweep --rounds 2 --test record=./record --test other=true --csv csv
expect 0
same_settings
result "all configurations: works, settings of all CPUs are as before"

tr -d '\r' < csv > samples
[ "$(wc -l < samples)" = $((2 * 2 * configs + 1)) ] || wrong "CSV has $(wc -l < samples) lines"
[ "$(grep -c ',ok,' samples)" = $((2 * 2 * configs)) ] || wrong "not all are ok"
for r in 1 2; do
	for t in record other; do
		sed -n "s/^$r,$t,\([^,]*\),.*/\1/p" samples | sort | cmp -s - offered ||
			wrong "test $t in round $r has not been run once in each configuration"
	done
done
result "CSV: each test once in each round and configuration that is offered"

sed -n 's/^\([12]\),record,.*/\1/p' samples > rounds
sort -n rounds | cmp -s - rounds || wrong "rounds are not one after the other"
sed -n 's/^1,record,\([^,]*\),.*/\1/p' samples > first
sed -n 's/^2,record,\([^,]*\),.*/\1/p' samples > second
! cmp -s first second || wrong "both rounds have the same order"
! cmp -s first offered || wrong "the order is not random"
result "order: interleaved, random"

# Without EPP, or with governor performance in active mode, a name has no EPP.
awk -v cpus="$(echo "$cpus" | wc -w)" '
	NF != cpus + 2 { print "fields: " $0; next }
	{
		for (i = 3; i <= NF; i++) {
			split($2, want, "/")
			split($i, is, "/")
			if (want[1] != is[1] || want[2] != is[2] || (want[3] != "" && want[3] != is[3]))
				print "CPU" i - 3 ": " $0
		}
	}' records > mismatches
[ ! -s mismatches ] || wrong "$(wc -l < mismatches) records do not fit, the first: $(head -n 1 mismatches)"
[ "$(wc -l < records)" = $((2 * configs)) ] || wrong "$(wc -l < records) records"
result "each configuration was in effect on all CPUs while the command ran"

for text in '^other: time' '^geometric mean' 'Mann-Whitney' 'Energy is unavailable: '; do
	grep -q "$text" out || wrong "there is no '$text'"
done
says 'no difference can be significant'
result "output: bars, mean, test, energy is unavailable"

sweep --test a=true
expect 1
says 'go on with --resume, remove it'
one_line
same_settings
result "state file of an earlier sweep: one line, not overwritten"

rm records
sweep --resume
expect 0
[ ! -e records ] || wrong "something was run again"
result "resume: nothing to be done, prints the results"

sweep --resume --seed 2
expect 2
says 'another --seed'
one_line
echo 0 > "$CPUS/cpu$last/online"
sweep --resume
echo 1 > "$CPUS/cpu$last/online"
expect 1
says 'another machine, kernel or set of online CPUs'
one_line
same_settings
result "resume: other options or CPUs are refused with one line"

# ---- The end, early --------------------------------------------------------------------

# start SIGNAL: a sweep of four runs that gets it in the middle of the third
start()
{
	local i=0

	rm -f eas-sweep.state runs pid
	# In the foreground, since a shell has background commands ignore SIGINT.
	while [ ! -e pid ] && [ $i -lt 600 ]; do
		i=$((i + 1))
		usleep 100000
	done && kill "-$1" "$(cat sweep)" &
	sweep --rounds 2 --config $two --test 'wait=exec ./wait-in-third'
	wait
}

# resumed: what was missing is run, nothing else
resumed()
{
	recorded=$(grep -c "^run .* ok [0-9.]* - [0-9.]* - -$" eas-sweep.state)
	[ "$recorded" = 2 ] || wrong "$recorded of 2 runs are recorded"
	head -n 2 runs > old
	sweep --resume --csv csv
	expect 0
	[ "$(wc -l < runs)" = 5 ] || wrong "$(wc -l < runs) runs, not 2 + 1 + 2"
	sed -n '4,$p' runs > new
	sort old new > both
	[ "$(uniq both | wc -l)" = 4 ] || wrong "not all of them, or some again: $(tr '\n' ' ' < both)"
	[ "$(wc -l < csv)" = 5 ] || wrong "CSV has $(wc -l < csv) lines"
	same_settings
}

for signal in INT TERM; do
	start $signal
	expect $((128 + $(kill -l $signal)))
	says 'stopped after 2 of 4 runs, settings are as before; to go on: eas-sweep --resume$'
	gone pid || wrong "the test goes on"
	same_settings
	result "SIG$signal: settings are as before, the test is gone"
	resumed
	result "SIG$signal: resume runs what is missing, no more"
done

start KILL
expect 137
soon settings_are_back
soon gone pid
result "SIGKILL: settings are as before, the test is gone"
# As if the machine had gone down in the middle of writing
printf 'run 2 wait active/pow' >> eas-sweep.state
resumed
[ "$(grep -c '^run [12] wait [a-z_/]* ok ' eas-sweep.state)" = 4 ] || wrong "$(tail -n 3 eas-sweep.state)"
result "SIGKILL: resume copes with a torn line"

# ---- What can go wrong -----------------------------------------------------------------

rm -f eas-sweep.state
sweep --rounds 2 --config $two --test good=true --test 'bad=echo the reason >&2; exit 3' --csv csv
expect 1
says 'has failed: exit status 3: the reason'
[ "$(grep -c 'failed (2 of 2)' out)" = 2 ] || wrong "output does not show it"
grep -q '^geometric mean of .* in 1 of 2 tests' out || wrong "it is used in the mean"
[ "$(grep -c ',bad,.*,failed,' csv)" = 4 ] || wrong "CSV does not show it"
[ "$(grep -c ',good,.*,ok,' csv)" = 4 ] || wrong "the other test is not ok"
same_settings
result "a command that fails: shown, not used in the mean, exit status 1"

rm -f eas-sweep.state
sweep --rounds 1 --config $two --csv csv \
	--test "meddle=g=\$(cat $POL$last/$GOV); echo ondemand > $POL$last/$GOV || echo performance > $POL$last/$GOV"
expect 1
says 'does not count: something else has changed the settings'
grep -q ',disturbed,' csv || wrong "CSV does not show it"
same_settings
result "settings changed by something else: it does not count"

if [ -e "$POL"0/$PREF ] && [ -e $VM/cpu0/$REQ ]; then
	rm -f eas-sweep.state
	sweep --rounds 1 --config $two --csv csv --test "fault=echo 'all write $REQ 0 1' > $VM/fail"
	echo clear > $VM/fail
	expect 1
	says 'cannot be set in round 1'
	[ "$(grep -c ',not-set,' csv)" = 1 ] || wrong "CSV does not show it: $(tr '\r\n' '  ' < csv)"
	[ "$(grep -c ',ok,' csv)" = 1 ] || wrong "the other one is not ok"
	same_settings
	result "a configuration that cannot be set: shown, the rest is run"
fi

rm -f eas-sweep.state
for list in nonsense active/nonsense "$two,passive/powersave/nonsense" 'x*'; do
	sweep --config "$list" --test a=true
	[ $status = 2 ] || wrong "$list: exit status $status"
	one_line
done
[ ! -e eas-sweep.state ] || wrong "there is a state file"
same_settings
result "configurations that are not offered: one line"

sweep --config "${two%%,*},${two%%,*},*/schedutil*" --rounds 1 --test a=true --csv csv
expect 0
{ echo "${two%%,*}"; grep /schedutil offered; } | sort > wanted
sed '1d' csv | cut -d, -f3 | sort | cmp -s - wanted || wrong "not those: $(cut -d, -f3 csv | tr '\n' ' ')"
same_settings
result "configurations by pattern, and twice the same"

if [ -e "$POL"0/$PREF ]; then
	rm -f eas-sweep.state records
	sweep --config active/powersave/128,active/powersave/77 --rounds 1 --test record=./record
	expect 0
	grep -q '^1 active/powersave/77\( active/powersave/77\)*$' records || wrong "$(tail -n 1 records)"
	same_settings
	result "EPP as a number"
fi

rm -f eas-sweep.state
sweep --as-is --rounds 1 --scale 0.001 --csv csv
expect 0
[ "$(grep -c '^1,[a-z]*,as-is,.*,ok,' csv)" = 4 ] || wrong "not four tests that are ok"
grep -q '^1,periodic,.*,ok,,[0-9.]*,[0-9.]*' csv || wrong "no latency of periodic tasks"
grep -q '^1,burst,.*,ok,[0-9.]*,,' csv || wrong "no time of bursts"
same_settings
result "as is: built-in loads, nothing is changed"

# Somebody else than root
echo 'user:x:1000:1000::/tmp:/bin/sh' >> /etc/passwd
chmod 755 "$here"
mkdir -p user
chown 1000:1000 user
as_user()
{
	status=0
	su user -c "cd /tmp/sweep/user && $here/run-eas-sweep --pause 0 $1" > out 2> err < /dev/null ||
		status=$?
}
as_user '--test a=true'
expect 1
says 'use sudo, or --as-is'
one_line
[ ! -e user/eas-sweep.state ] || wrong "there is a state file"
as_user '--as-is --quiet --rounds 1 --test a=true'
expect 0
[ ! -s err ] || wrong "it says: $(head -n 1 err)"
same_settings
result "without permission: one line, but as-is works"

echo "1..$n"
[ $failed = 0 ]
