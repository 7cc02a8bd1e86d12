# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC3043	# it runs with busybox
#
# Tests of eas-ramp in the virtual machine, run by run-ramp.
#
# usage: guest-ramp.sh KIND	(intel: two modes and a response time; amd: three modes;
#				 noepp: two modes, but no EPP)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

kind=$1
MODES=${STATUS%/status}
RATE_LIMIT=$CPUS/cpufreq/schedutil/rate_limit_us

# ramp ARG...: exit status in $status, what it has printed in $out and $err
ramp()
{
	status=0
	./run-eas-ramp "$@" > /tmp/out 2> /tmp/err || status=$?
	out=$(cat /tmp/out)
	err=$(cat /tmp/err)
}

# ramp_works ARG...: ramp() that must succeed
ramp_works()
{
	ramp "$@"
	[ $status -eq 0 ] || bad="$bad eas-ramp $*: exit status $status: $err;"
}

# ramp_fails STATUS PATTERN ARG...: ramp() that must fail, and say so in one line
ramp_fails()
{
	local want="$1" pattern="$2" lines

	shift 2
	ramp "$@"
	[ $status -eq "$want" ] || bad="$bad eas-ramp $*: exit status $status;"
	lines=$(echo "$err" | grep -c .)
	[ "$lines" -eq 1 ] || bad="$bad eas-ramp $*: $lines lines on stderr: $err;"
	echo "$err" | grep -q -- "$pattern" || bad="$bad eas-ramp $*: no '$pattern' in: $err;"
	[ -z "$out" ] || bad="$bad eas-ramp $*: prints $out;"
}

# short ARG...: so short that only what does not depend on time can be tested
short()
{
	ramp_works --runs 1 --settle 20 --duration 90 "$@"
}

# settings: all that has to be as it was
settings()
{
	local c f

	cat "$STATUS"
	for c in $cpus; do
		for f in $GOV $PREF scaling_min_freq scaling_max_freq; do
			echo "$c $f $(get "$c" "$f")"
		done
	done
	for f in "$MODES/no_turbo" "$MODES/min_perf_pct" "$MODES/max_perf_pct" $RATE_LIMIT; do
		[ ! -e "$f" ] || echo "$f $(cat "$f")"
	done
}

# same BEFORE: wait until settings are as they were, 10 s at most
same()
{
	local tries=0

	while [ "$(settings)" != "$1" ]; do
		tries=$((tries + 1))
		if [ $tries -gt 100 ]; then
			settings > /tmp/now
			bad="$bad settings differ: $(echo "$1" | diff - /tmp/now | grep '^[-+][^-+]' | tr '\n' ';')"
			return
		fi
		usleep 100000
	done
}

# column NAME CORE CONFIG: of /tmp/csv
column()
{
	tr -d '\r' < /tmp/csv | awk -F, -v name="$1" -v core="$2" -v config="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
		NR > 1 && (core == "" || index($1, core) == 1) && $2 == config { print $column }'
}

# between WHAT VALUE MIN MAX
between()
{
	echo "${2:-none} $3 $4" | awk '{ exit !($1 != "none" && $1 >= $2 && $1 <= $3) }' ||
		bad="$bad $1 is ${2:-none}, not from $3 to $4;"
}

# full_speed CPU: in whatever unit. With CPPC in memory, all CPUs show the same frequency, but
# the emulation goes by the registers.
full_speed()
{
	if [ -e "$VM/cpu$1/highest_perf" ]; then
		echo $(($(cat "$VM/cpu$1/highest_perf")))
	else
		get "$1" cpuinfo_max_freq
	fi
}

# prepare: settings that are not the default ones, different on each CPU
prepare()
{
	local c v=60

	mode active
	for c in $cpus; do
		v=$((v + 10))
		put "$POL$c/$GOV" powersave
		put "$POL$c/$PREF" $v
		put "$POL$c/scaling_max_freq" $(($(get "$c" cpuinfo_max_freq) - 300000))
	done
}

case $kind in
intel) configs=active/powersave/balance_performance,active/performance,passive/schedutil/balance_performance ;;
amd) configs=active/powersave/balance_performance,active/performance,passive/schedutil,guided/schedutil ;;
noepp) configs=active/powersave,active/performance,passive/schedutil ;;
esac

# ---- What it prints ---------------------------------------------------------

short --csv /tmp/csv
for c in $cpus; do
	types="${types:+$types
}$(cat "$VM/cpu$c/type")"
done
want=$(echo "$types" | sort -u | grep -c .)
rows=$(echo "$out" | grep -c ' CPU[0-9]*, .*:')
[ "$rows" -eq "$want" ] || bad="$bad $rows rows for $want core types: $out;"
result "a row for each type of core"

echo "$err" | grep -q 'energy is unavailable' || bad="$bad nothing about energy in: $err;"
tr -d '\r' < /tmp/csv | grep -q 'joules_giga_spread$' || bad="$bad no column for joules;"
[ "$(tr -d '\r' < /tmp/csv | grep -c ',,,,$')" -eq "$want" ] || bad="$bad there are watts in $(cat /tmp/csv);"
result "without energy counters, their column is unavailable"

short --cpu "$last" --csv /tmp/csv
[ "$(echo "$out" | grep -c " CPU$last, ")" -eq 1 ] || bad="$bad no row for CPU$last: $out;"
[ "$(grep -c . /tmp/csv)" -eq 2 ] || bad="$bad not two lines in the CSV file;"
result "a CPU that was asked for"

ramp_works --runs 3 --settle 100 --duration 120 --source cycles --cpu 0 --csv /tmp/csv \
	--config "$configs"
[ "$(grep -c 'cycles,3' /tmp/csv)" -eq "$(echo "$configs" | tr ',' '\n' | grep -c .)" ] ||
	bad="$bad wrong rows in $(cat /tmp/csv);"
# There, the CPU is as fast as it can be, and at once.
between "time to 95 % at performance" "$(column ms_to_95 '' active/performance)" 0 1
between "share of 10 ms at performance" "$(column share_10ms '' active/performance)" 97 103
between "spread of it" "$(column share_10ms_spread '' active/performance)" 0 3
result "governor performance is there at once"

case $kind in intel | amd)
	# From the registers: what full speed is on these CPUs, in relation to each other
	ramp_works --runs 3 --settle 50 --duration 90 --source cycles --csv /tmp/csv \
		--cpu "0,$last" --config active/performance
	is=$(tr -d '\r' < /tmp/csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "steady_mega") c = i }
		NR == 2 { first = $c } NR == 3 { printf "%.4f", first / $c }')
	between "speed of CPU0 in relation to CPU$last" "$is" \
		"$(echo "$(full_speed 0) $(full_speed "$last")" | awk '{ print 0.98 * $1 / $2 }')" \
		"$(echo "$(full_speed 0) $(full_speed "$last")" | awk '{ print 1.02 * $1 / $2 }')"
	result "cycles are those of APERF"
esac

# ---- What it changes --------------------------------------------------------

if [ "$kind" != noepp ]; then
	prepare
	before=$(settings)
	short --cpu 0 --config "$configs"
	same "$before"
	result "mode, governor, EPP and limits are restored"

	all $PREF balance_power
	all $GOV performance
	before=$(settings)
	short --cpu 0 --config "$configs"
	same "$before"
	all $GOV powersave
	for c in $cpus; do
		[ "$(get "$c" $PREF)" = balance_power ] ||
			bad="$bad EPP of CPU$c is $(get "$c" $PREF) afterwards;"
	done
	result "so is the EPP that governor performance hides"
fi

mode passive
all $GOV schedutil
put $RATE_LIMIT 1234
before=$(settings)
short --cpu 0 --config "$configs"
same "$before"
put $RATE_LIMIT 1000
result "so are passive mode and tunables of its governor"

if [ "$kind" = amd ]; then
	mode active
	all $GOV powersave
	all $PREF dynamic
	before=$(settings)
	short --cpu 0 --config "$configs"
	same "$before"
	all $PREF balance_performance
	result "so is dynamic EPP"
fi

mode active
all $GOV powersave
for signal in TERM HUP KILL; do
	[ "$kind" = noepp ] || all $PREF balance_power
	before=$(settings)
	./run-eas-ramp --runs 50 --settle 100 --cpu 0 --config "$configs" > /dev/null 2>&1 &
	pid=$!
	tries=0
	while [ "$(settings)" = "$before" ]; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || { bad="$bad nothing changes;"; break; }
		usleep 50000
	done
	kill -$signal $pid
	wait $pid
	same "$before"
	tries=0
	# The shell's $! is the program, which has another process that outlives it.
	while grep -q /root/eas-ramp /proc/[0-9]*/cmdline 2> /dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { bad="$bad processes are left;"; break; }
		usleep 100000
	done
	result "all is restored after SIG$signal"
done

# ---- Control groups ---------------------------------------------------------

mkdir -p /tmp/cg
CG=/tmp/cg
mount -t cgroup2 cgroup2 $CG
for signal in none KILL; do
	./run-eas-ramp --runs 2 --settle 500 --duration 90 --cpu "$last" > /tmp/out 2> /tmp/err &
	pid=$!
	tries=0
	while [ "$(cat $CG/eas-ramp.*/cpuset.cpus.partition 2> /dev/null)" != root ]; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { bad="$bad no partition: $(cat /tmp/err);"; break; }
		usleep 50000
	done
	list=$(cat $CG/eas-ramp.*/cpuset.cpus.effective)
	[ "$list" = "$last" ] || bad="$bad the partition has CPUs $list, not $last;"
	grep -q "^Cpus_allowed_list:.*$last$" /proc/$$/status && bad="$bad this shell may use CPU$last;"
	[ $signal = none ] || kill -$signal $pid
	wait $pid
	status=$?
	[ $signal = KILL ] || [ $status -eq 0 ] || bad="$bad exit status $status: $(cat /tmp/err);"
	tries=0
	while ls -d $CG/eas-ramp.* > /dev/null 2>&1 || grep -q cpuset $CG/cgroup.subtree_control; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { bad="$bad still there: $(ls -d $CG/eas-ramp.*) $(cat $CG/cgroup.subtree_control);"; break; }
		usleep 50000
	done
	result "a cpuset partition of its own, and no trace of it (signal $signal)"
done
umount $CG

# ---- What it cannot do ------------------------------------------------------

ramp_fails 1 "no CPU99" --cpu 99
ramp_fails 2 "list of CPUs" --cpu 1-
ramp_fails 2 "number from" --runs 0
ramp_fails 2 "iterations or cycles" --source watts
ramp_fails 1 "no governor" --config ondemandx
ramp_fails 1 "not MODE/GOVERNOR/EPP" --config a/b/c/d
ramp_fails 1 "cannot write" --csv /none/csv
ramp_fails 1 "gnuplot" --svg /tmp/svg
ramp_fails 2 "choose another" --migrate=0 --cpu 0
result "bad input"

put $CPUS/cpu"$last"/online 0
ramp_fails 1 "is offline" --cpu "$last"
put $CPUS/cpu"$last"/online 1
result "an offline CPU"

before=$(settings)
./run-eas-ramp --runs 50 --settle 100 --cpu "$last" --no-cpuset --config "$configs" > /dev/null 2> /tmp/err &
pid=$!
tries=0
while [ "$(settings)" = "$before" ] && [ $tries -lt 200 ]; do
	tries=$((tries + 1))
	usleep 50000
done
put $CPUS/cpu"$last"/online 0
wait $pid
status=$?
[ $status -eq 1 ] || bad="$bad exit status $status: $(cat /tmp/err);"
grep -q "CPU$last.* offline\|CPU$last.* gone" /tmp/err || bad="$bad $(cat /tmp/err);"
put $CPUS/cpu"$last"/online 1
for c in $cpus; do
	[ "$c" = "$last" ] || [ "$(get "$c" $GOV)" = "$(echo "$before" | sed -n "s/^$c $GOV //p")" ] ||
		bad="$bad CPU$c has governor $(get "$c" $GOV);"
done
result "a CPU that goes offline meanwhile"

echo 'nobody:x:65534:65534:nobody:/:/bin/sh' >> /etc/passwd
chmod 755 /root
as_nobody()
{
	status=0
	su nobody -c "cd /root && ./run-eas-ramp $*" > /tmp/out 2> /tmp/err || status=$?
}
as_nobody --runs 1 --settle 20 --duration 90
[ $status -eq 0 ] || bad="$bad exit status $status: $(cat /tmp/err);"
as_nobody --runs 1 --settle 20 --duration 90 --config powersave/power
[ $status -eq 1 ] && tail -n 1 /tmp/err | grep -q 'root\|no EPP\|no choice' || bad="$bad --config: $status, $(cat /tmp/err);"
as_nobody --runs 1 --settle 20 --duration 90 --source cycles
[ $status -eq 1 ] && grep -q 'only root' /tmp/err || bad="$bad --source cycles: $status, $(cat /tmp/err);"
result "without privileges"

# ---- Ramps ------------------------------------------------------------------

if [ "$kind" = intel ]; then
	# The number, because what the word means differs between processors
	balance=active/powersave/128
	for us in 5000 20000; do
		for c in $cpus; do
			put "$VM/cpu$c/response_us" $us
		done
		# What is steady is the last third. The slowest has come up well before.
		[ $us = 5000 ] && duration=120 || duration=240
		ramp_works --runs 5 --settle 100 --duration "$duration" \
			--source cycles --cpu 0 --csv /tmp/csv \
			--config "$balance,active/powersave/192,active/powersave/performance,passive/performance/balance_performance"
		# The time from which on 1 ms is fast enough; half as much more at EPP 192
		between "time to 95 %" "$(column ms_to_95 '' $balance)" $((us / 1000 - 2)) $((us / 1000 + 2))
		between "time to 95 % at EPP 192" "$(column ms_to_95 '' active/powersave/192)" \
			$((us * 3 / 2000 - 2)) $((us * 3 / 2000 + 2))
		between "time to 95 % at EPP performance" \
			"$(column ms_to_95 '' active/powersave/performance)" 0 1
		between "time to 95 %, passive" \
			"$(column ms_to_95 '' passive/performance/balance_performance)" 0 1
		# On a straight line from 10 % or so, the share after one such time is about the half.
		[ $us != 20000 ] ||
			between "share of 20 ms" "$(column share_20ms '' $balance)" 45 65
		result "response time $us us"
	done

	# HWP does not know what the task did on another CPU, the scheduler does.
	ramp_works --runs 5 --settle 200 --duration 240 --source cycles --cpu 0 --migrate --csv /tmp/csv \
		--config $balance
	between "time to 95 % after migration, active" "$(column ms_to_95 '' $balance)" 18 22
	# Cold, schedutil takes up to 300 ms, so less is not steady.
	ramp_works --runs 5 --settle 200 --duration 600 --source cycles --cpu 0 --migrate --csv /tmp/csv \
		--config passive/schedutil/balance_performance
	migrated=$(column share_20ms '' passive/schedutil/balance_performance)
	ramp_works --runs 5 --settle 200 --duration 600 --source cycles --cpu 0 --cold --csv /tmp/csv \
		--config passive/schedutil/balance_performance
	cold=$(column share_20ms '' passive/schedutil/balance_performance)
	between "share of 20 ms, cold" "$cold" 1 50
	between "share of 20 ms, migrated" "$migrated" "$(echo "$cold" | awk '{ print $1 + 20 }')" 103
	result "ramp after a migration"
	for c in $cpus; do
		put "$VM/cpu$c/response_us" 0
	done
fi

echo "1..$n"
[ $failed -eq 0 ]
