#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Use the files that the series has to do with in all the ways that system calls allow
# for.  The kernel must not mind, and afterward EPP shown, the register and the
# compatibility with EAS agree on all CPUs, and EPP can be set.
#
# usage: fuzz.sh [SECONDS [SEED]]	(default 60, from the clock; with lib.sh and fuzz in
#					 /root)

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

seconds=${1:-60}
seed=${2:-$(date +%s)}
words=performance,balance_performance,balance_power,power,default,custom,dynamic,0,1,77,128,255,256
words=$words,-1,0x10,powersave,schedutil,ondemand,active,passive,guided,low-power,balanced

all $GOV powersave
epp_values
files='/proc/sys/kernel/sched_energy_aware'
for c in $cpus; do
	files="$files $POL$c/$PREF $POL$c/energy_performance_available_preferences"
done
[ ! -e /sys/firmware/acpi/platform_profile ] || files="$files /sys/firmware/acpi/platform_profile"

# agree NAME
agree()
{
	settled
	works
	result "$1, for $seconds s"
}

echo "# seed $seed"
# shellcheck disable=SC2086	# lists
./fuzz "$seconds" "$seed" 4 $words $files || bad="$bad no system call has been successful;"
agree "EPP, sysctl"

for c in $cpus; do
	files="$files $POL$c/$GOV"
done
[ ! -e $CPUS/cpufreq/boost ] || files="$files $CPUS/cpufreq/boost $POL$last/boost"
# shellcheck disable=SC2086	# lists
./fuzz "$seconds" "$seed" 4 $words $files $STATUS || bad="$bad no system call has been successful;"
agree "EPP, sysctl, modes, governors, boost"

echo "1..$n"
[ $failed -eq 0 ]
