#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# it runs with busybox
#
# Write what programs managing power profiles write, in the same order, and look
# at EPP and governor of all CPUs and at EAS afterward.  This is not a test of
# these programs, but of what their way of doing things ends up in.
#
# usage: replays.sh		(with lib.sh, client-lib.sh, and sysfs_write of the kselftest in
#			 /root)

# shellcheck source=tools/testing/vhybrid/guest/client-lib.sh
. ./client-lib.sh

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

# Its profiles are an EPP, written to one policy after the other.
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
all $GOV performance
state performance performance 0 1
ppd_probe
state powersave performance 0 0
all $PREF balance_performance
state powersave balance_performance 1 1
result "power-profiles-daemon probes under governor performance, then balanced"

start balance_performance
all $PREF performance
state powersave performance 0 1
all $PREF balance_performance
state powersave balance_performance 1 1
all $PREF power
state powersave power 1 0
all $PREF performance
state powersave performance 0 1
all $PREF power
state powersave power 1 1
result "power-profiles-daemon: performance, balanced, power-saver, performance, power-saver"

# The last CPU refuses: it goes back to the previous profile.
start balance_performance
echo "$last write $REQ 0 1" > $VM/fail
for c in $cpus; do
	write "$POL$c/$PREF" performance
	[ -z "$error" ] || [ "$c" = "$last" ] || bad="$bad CPU$c refuses, too;"
done
[ "$(get "$last" $PREF)" = balance_performance ] || bad="$bad CPU$last has changed;"
[ "$(get 0 $PREF)" = performance ] || bad="$bad CPU0 has not changed;"
[ $(($(rebuilds) - before)) -eq "$can_eas" ] && grep -qx 'enabled 0' $VM/eas || bad="$bad EAS has not been stopped;"
all $PREF balance_performance
state powersave balance_performance 1
result "power-profiles-daemon: an error in the middle of a profile"

# auto-cpufreq writes the same governor and EPP again and again.  It does so every
# other second, but nothing depends on time.
start balance_performance
i=0
while [ $i -lt 30 ]; do
	all $GOV powersave
	all $PREF balance_performance
	i=$((i + 1))
done
state powersave balance_performance 1 0
all $GOV performance
state performance performance 0 1
i=0
while [ $i -lt 30 ]; do
	all $GOV performance
	all $PREF performance
	i=$((i + 1))
done
state performance performance 0 0
result "auto-cpufreq: a minute of the same values, both for powersave and performance"

# cpupower writes a buffer of 30 bytes, filled up with NUL, and expects all of it to
# be taken.
start balance_performance
for epp in performance balance_power balance_performance; do
	for c in $cpus; do
		got=$(./sysfs_write "$POL$c/$PREF" $epp 30)
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
all $GOV performance
all $PREF performance
state performance performance 0 1
for c in $cpus; do
	must_not "$c" $PREF balance_performance
done
all $GOV powersave
state powersave performance 0 0
result "tuned: governor and EPP performance, taken back in reverse"

# Profiles that only have a governor, or EPP first, are taken back completely.
start balance_power
all $GOV performance
for c in $cpus; do
	must_not "$c" $PREF balance_power
	must "$c" $GOV powersave
done
state powersave balance_power 1 2
all $PREF performance
all $GOV performance
all $GOV powersave
all $PREF balance_power
state powersave balance_power 1 2
result "tuned: governor only, and EPP before governor"

# gamemode only knows about governors.
for epp in balance_performance power 77; do
	start $epp
	all $GOV performance
	state performance performance 0 1
	all $GOV powersave
	state powersave $epp 1 1
done
result "gamemode: governor performance for a game"

if [ $vendor = intel ]; then
	# x86_energy_perf_policy writes to the register behind the driver.  This shows, but
	# the gate does not know until the driver looks at it.
	start balance_performance
	for c in $cpus; do
		value=$(cat "$VM/cpu$c/hwp_request")
		printf '0x%x\n' $(((value & ~0xff000000) | 100 << 24)) > "$VM/cpu$c/hwp_request"
	done
	state powersave 100 1 0
	all $GOV performance
	state performance performance 0 1
	all $GOV powersave
	state powersave 100 1 1
	result "x86_energy_perf_policy: EPP 100, governor performance and back"
else
	# What is shown for dynamic EPP is written back by the daemon.
	start power
	all $PREF dynamic
	shown=$(get 0 $PREF)
	[ "${shown#"dynamic("}" != "$shown" ] || bad="$bad EPP is shown as $shown;"
	ppd_probe
	state powersave "$shown" "$(ready 0)" 0
	all $PREF power
	state powersave power 1 0
	result "power-profiles-daemon probes, dynamic EPP"
fi

start balance_performance
echo "1..$n"
[ $failed -eq 0 ]
