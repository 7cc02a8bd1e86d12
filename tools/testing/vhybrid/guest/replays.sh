#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Write what programs managing power profiles write, in the same order, and look
# at EPP and governor of all CPUs and at EAS afterward.  This is not a test of
# these programs, but of what their way of doing things ends up in.
#
# usage: replays.sh		(with sysfs_write of the kselftest in /root)

CPUS=/sys/devices/system/cpu
VM=/sys/kernel/debug/vhybrid
PREF=energy_performance_preference
GOV=scaling_governor

n=0
failed=0
bad=

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

cpus=$(sed -n 's/^cpu\([0-9]*\) ready .*/\1/p' $VM/eas)

# put CPU ATTRIBUTE VALUE, fails if that is refused
put()
{
	{ echo "$3" > "$CPUS/cpu$1/cpufreq/$2"; } 2>/dev/null
}

must()
{
	put "$@" || bad="$bad CPU$1: writing $3 to $2 fails;"
}

must_not()
{
	! put "$@" || bad="$bad CPU$1: writing $3 to $2 works;"
}

get()
{
	cat "$CPUS/cpu$1/cpufreq/$2"
}

rebuilds()
{
	echo settle > $VM/control
	sed -n 's/^rebuilds //p' $VM/eas
}

# start EPP: what a client finds
start()
{
	local c

	echo clear > $VM/fail
	for c in $cpus; do
		must "$c" $GOV powersave
		must "$c" $PREF "$1"
	done
	before=$(rebuilds)
}

# state GOVERNOR EPP EAS [REBUILDS]
state()
{
	local c now

	now=$(rebuilds)
	for c in $cpus; do
		[ "$(get "$c" $GOV)" = "$1" ] || bad="$bad CPU$c: governor is $(get "$c" $GOV), not $1;"
		[ "$(get "$c" $PREF)" = "$2" ] || bad="$bad CPU$c: EPP is $(get "$c" $PREF), not $2;"
	done
	grep -qx "enabled $3" $VM/eas || bad="$bad EAS is not $3;"
	[ -z "${4:-}" ] || [ $((now - before)) -eq "$4" ] ||
		bad="$bad $((now - before)) rebuilds, not $4;"
	before=$now
}

# power-profiles-daemon on intel_pstate: at start, the governor of every policy
# becomes powersave and the EPP that has been read is written back.
ppd_probe()
{
	local c epp

	for c in $cpus; do
		epp=$(get "$c" $PREF)
		must "$c" $GOV powersave
		must "$c" $PREF "$epp"
	done
}

# A profile is an EPP, written to one policy after the other.
ppd_profile()
{
	local c

	for c in $cpus; do
		must "$c" $PREF "$1"
	done
}

for epp in balance_performance power performance 77; do
	start $epp
	ppd_probe
	[ $epp = performance ] && eas=0 || eas=1
	state powersave $epp "$eas" 0
	result "power-profiles-daemon probes, EPP $epp"
done

# What it reads under governor performance is not what the user wants, but it is
# what the daemon asks for then.
start balance_performance
for c in $cpus; do
	must "$c" $GOV performance
done
state performance performance 0 1
ppd_probe
state powersave performance 0 0
ppd_profile balance_performance
state powersave balance_performance 1 1
result "power-profiles-daemon probes under governor performance, then balanced"

start balance_performance
ppd_profile performance
state powersave performance 0 1
ppd_profile balance_performance
state powersave balance_performance 1 1
ppd_profile power
state powersave power 1 0
ppd_profile performance
state powersave performance 0 1
ppd_profile power
state powersave power 1 1
result "power-profiles-daemon: performance, balanced, power-saver, performance, power-saver"

# The last CPU refuses: it goes back to the previous profile.
start balance_performance
last=${cpus##*
}
echo "$last write hwp_request 0 1" > $VM/fail
for c in $cpus; do
	put "$c" $PREF performance || { [ "$c" = "$last" ] || bad="$bad CPU$c refuses, too;"; }
done
[ "$(get "$last" $PREF)" = balance_performance ] || bad="$bad CPU$last has changed;"
[ "$(get 0 $PREF)" = performance ] || bad="$bad CPU0 has not changed;"
[ $(($(rebuilds) - before)) -eq 1 ] && grep -qx 'enabled 0' $VM/eas || bad="$bad EAS has not been stopped;"
ppd_profile balance_performance
state powersave balance_performance 1
result "power-profiles-daemon: an error in the middle of a profile"

# auto-cpufreq writes the same governor and EPP again and again.  It does so every
# other second, but nothing depends on time.
start balance_performance
i=0
while [ $i -lt 30 ]; do
	for c in $cpus; do
		must "$c" $GOV powersave
	done
	for c in $cpus; do
		must "$c" $PREF balance_performance
	done
	i=$((i + 1))
done
state powersave balance_performance 1 0
for c in $cpus; do
	must "$c" $GOV performance
done
state performance performance 0 1
i=0
while [ $i -lt 30 ]; do
	for c in $cpus; do
		must "$c" $GOV performance
	done
	for c in $cpus; do
		must "$c" $PREF performance
	done
	i=$((i + 1))
done
state performance performance 0 0
result "auto-cpufreq: a minute of the same values, both for powersave and performance"

# cpupower writes a buffer of 30 bytes, filled up with NUL, and expects all of it to
# be taken.
start balance_performance
for epp in performance balance_power balance_performance; do
	for c in $cpus; do
		got=$(./sysfs_write "$CPUS/cpu$c/cpufreq/$PREF" $epp 30)
		[ "$got" = 30 ] || bad="$bad CPU$c: write(2) has returned $got for $epp;"
	done
	[ $epp = performance ] && eas=0 || eas=1
	state powersave $epp "$eas"
done
result "cpupower: writes of 30 bytes"

# tuned, profile with governor and EPP performance: applied in that order, taken
# back in reverse.  EPP is refused then, because governor performance is still in
# effect, and what it has asked for last is performance.
start balance_performance
for c in $cpus; do
	must "$c" $GOV performance
done
for c in $cpus; do
	must "$c" $PREF performance
done
state performance performance 0 1
for c in $cpus; do
	must_not "$c" $PREF balance_performance
done
for c in $cpus; do
	must "$c" $GOV powersave
done
state powersave performance 0 0
result "tuned: governor and EPP performance, taken back in reverse"

# Profiles that only have a governor, or EPP first, are taken back completely.
start balance_power
for c in $cpus; do
	must "$c" $GOV performance
done
for c in $cpus; do
	must_not "$c" $PREF balance_power
	must "$c" $GOV powersave
done
state powersave balance_power 1 2
for c in $cpus; do
	must "$c" $PREF performance
done
for c in $cpus; do
	must "$c" $GOV performance
done
for c in $cpus; do
	must "$c" $GOV powersave
done
for c in $cpus; do
	must "$c" $PREF balance_power
done
state powersave balance_power 1 2
result "tuned: governor only, and EPP before governor"

# gamemode only knows about governors.
for epp in balance_performance power 77; do
	start $epp
	for c in $cpus; do
		must "$c" $GOV performance
	done
	state performance performance 0 1
	for c in $cpus; do
		must "$c" $GOV powersave
	done
	state powersave $epp 1 1
done
result "gamemode: governor performance for a game"

# x86_energy_perf_policy writes to the register behind the driver.  This shows, but
# the gate does not know until the driver looks at it.
start balance_performance
for c in $cpus; do
	value=$(cat "$VM/cpu$c/hwp_request")
	printf '0x%x\n' $(((value & ~0xff000000) | 100 << 24)) > "$VM/cpu$c/hwp_request"
done
state powersave 100 1 0
for c in $cpus; do
	must "$c" $GOV performance
done
state performance performance 0 1
for c in $cpus; do
	must "$c" $GOV powersave
done
state powersave 100 1 1
result "x86_energy_perf_policy: EPP 100, governor performance and back"

start balance_performance
echo "1..$n"
[ $failed -eq 0 ]
