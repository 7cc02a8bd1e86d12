#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC3043	# dash has "local"
#
# Have the programs themselves manage power profiles, as Debian has packaged them, and
# compare EPP and governor of all CPUs, and EAS, with what must come out of it.
#
# usage: clients.sh	(with lib.sh and client-lib.sh in /root, in the userland of
#			 rootfs.sh)

# shellcheck source=tools/testing/vhybrid/guest/client-lib.sh
. ./client-lib.sh

log=/tmp/client.log

# run COMMAND...: to be successful, and what it says is shown when the test fails
run()
{
	"$@" > $log 2>&1 || bad="$bad $* ends with status $? ($(tail -n 1 $log));"
}

# until_true SECONDS COMMAND...: wait for it
until_true()
{
	local tries=$(($1 * 10))

	shift
	while ! "$@" > /dev/null 2>&1; do
		tries=$((tries - 1))
		if [ $tries -le 0 ]; then
			bad="$bad $* is never true;"
			return 1
		fi
		sleep 0.1
	done
}

# all_have ATTRIBUTE VALUE
all_have()
{
	local c

	for c in $cpus; do
		[ "$(get "$c" "$1")" = "$2" ] || return 1
	done
}

# stop PID
stop()
{
	kill "$1" 2> /dev/null || bad="$bad it is no longer running ($(tail -n 1 $log));"
	wait "$1"
}

##
# cpupower

for epp in performance power balance_performance; do
	start balance_power
	run cpupower set --epp $epp
	[ $epp = performance ] && eas=0 || eas=1
	state powersave $epp "$eas" $((1 - eas))
	run cpupower frequency-set -g performance
	state performance performance 0
	run cpupower frequency-set -g powersave
	state powersave $epp "$eas" "$eas"
	result "cpupower: EPP $epp, governor performance, governor powersave"
done

start balance_performance
run cpupower frequency-set -g performance
run cpupower set --epp performance
state performance performance 0 1
run cpupower frequency-set -g powersave
state powersave performance 0 0
result "cpupower: EPP performance written under governor performance is what stays"

##
# TLP.  It sets a governor, then EPP, for one CPU after the other.

# tlp_config GOVERNOR EPP: when on AC; on battery always the same
tlp_config()
{
	mkdir -p /etc/tlp.d
	cat > /etc/tlp.d/50-test.conf <<-END
		CPU_SCALING_GOVERNOR_ON_AC=$1
		CPU_ENERGY_PERF_POLICY_ON_AC=$2
		CPU_SCALING_GOVERNOR_ON_BAT=powersave
		CPU_ENERGY_PERF_POLICY_ON_BAT=balance_power
	END
}

start balance_performance
tlp_config powersave performance
for _ in 1 2; do
	run tlp ac
	state powersave performance 0 1
	run tlp bat
	state powersave balance_power 1 1
done
result "TLP: EPP performance on AC, balance_power on battery"

tlp_config performance performance
for _ in 1 2; do
	run tlp ac
	state performance performance 0 1
	run tlp bat
	state powersave balance_power 1
done
result "TLP: governor performance on AC, powersave on battery"

# EPP cannot be changed while the governor is performance.
tlp_config performance balance_performance
tlp ac > $log 2>&1
state performance performance 0
all $GOV powersave
state powersave balance_power 1
result "TLP: governor performance, with another EPP which is refused"

##
# tuned.  It takes back in reverse what it has done when it ends.

# tuned_while PROFILE GOVERNOR EPP EAS: as long as it is running
tuned_while()
{
	local pid

	tuned --no-dbus --profile "$1" > $log 2>&1 &
	pid=$!
	until_true 120 grep -q "static tuning from profile .* applied" $log
	state "$2" "$3" "$4"
	stop $pid
}

for epp in balance_power power 77; do
	start $epp
	tuned_while throughput-performance performance performance 0
	state powersave $epp 1
	result "tuned: throughput-performance, then EPP $epp again"
done

start performance
tuned_while throughput-performance performance performance 0
state powersave performance 0 0
result "tuned: throughput-performance, then EPP performance again"

# EPP only
mkdir -p /etc/tuned/profiles/epp
cat > /etc/tuned/profiles/epp/tuned.conf <<-END
	[cpu]
	energy_performance_preference=performance
END
start balance_power
tuned_while epp powersave performance 0
state powersave balance_power 1 1
result "tuned: only EPP performance"

##
# power-profiles-daemon, through D-Bus

mkdir -p /run/dbus
run dbus-daemon --system --fork
/usr/lib/polkit-1/polkitd --no-debug > /tmp/polkitd.log 2>&1 &
mkdir -p /var/lib/power-profiles-daemon

ppd_start()
{
	/usr/libexec/power-profiles-daemon -v > $log 2>&1 &
	ppd=$!
	until_true 120 powerprofilesctl get
}

# profile NAME
profile()
{
	powerprofilesctl set "$1" > /tmp/ctl.log 2>&1 ||
		bad="$bad powerprofilesctl set $1: $(tail -n 1 /tmp/ctl.log);"
}

# With amd-pstate, profile performance is a governor, too.
[ $vendor = intel ] && ppd_gov=powersave || ppd_gov=performance

start balance_performance
ppd_start
state powersave balance_performance 1 0
[ "$(powerprofilesctl get)" = balanced ] || bad="$bad the profile is $(powerprofilesctl get);"
for _ in 1 2; do
	profile performance
	state "$ppd_gov" performance 0 1
	profile power-saver
	state powersave power 1 1
	profile balanced
	state powersave balance_performance 1 0
done
stop $ppd
state powersave balance_performance 1 0
result "power-profiles-daemon: performance, power-saver, balanced, twice"

# With a governor from somebody else, it tries to find its way.
start power
all $GOV performance
ppd_start
state powersave balance_performance 1 2
profile power-saver
state powersave power 1 0
stop $ppd
result "power-profiles-daemon: started under governor performance"

# A profile that is to be restored
start power
ppd_start
profile performance
stop $ppd
state "$ppd_gov" performance 0
ppd_start
state "$ppd_gov" performance 0 0
profile balanced
state powersave balance_performance 1 1
stop $ppd
result "power-profiles-daemon: restarted in profile performance, then balanced"

##
# gamemode, on a session bus of its own

# The daemon is started by its first client, in the same way as on a desktop.  The client
# does not wait for it forever.
cat > /tmp/session <<-END
	. ./client-lib.sh
	while [ ! -e /tmp/game.over ]; do
		gamemoded -r > $log 2>&1 &
		echo \$! > /tmp/game.pid
		wait \$!
	done
	while [ ! -e /tmp/session.over ]; do sleep 0.1; done
END

for epp in balance_power 77 performance; do
	start $epp
	[ $epp = performance ] && eas=0 || eas=1
	rm -f /tmp/game.over /tmp/game.pid /tmp/session.over
	dbus-run-session -- sh /tmp/session &
	session=$!
	until_true 120 all_have $GOV performance
	state performance performance 0
	touch /tmp/game.over
	kill "$(cat /tmp/game.pid)"
	until_true 120 all_have $GOV powersave
	state powersave $epp "$eas"
	touch /tmp/session.over
	wait $session
	result "gamemode: governor performance for a game, then EPP $epp again"
done

start balance_performance
echo "1..$n"
[ $failed -eq 0 ]
