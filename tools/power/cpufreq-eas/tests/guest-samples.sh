#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of draw-samples that runs in the virtual machine.
#
# usage: guest-samples.sh ramp|sweep

set -eu

VM=/sys/kernel/debug/vhybrid
PATH=/root:$PATH
export COLUMNS=92

# run PROGRAM ARG...: print this as one would type it, then what comes of it
run()
{
	echo "# $*"
	program=$1
	shift
	"./run-$program" "$@" --svg /tmp/picture.svg
}

case $1 in
ramp)
	# The model of HWP, with what has been published for active mode: see vhybrid's README.
	echo 5000 > $VM/cpu0/response_us
	echo 8000 > $VM/cpu1/response_us
	run eas-ramp --source cycles --runs 3 --duration 1050 --cpus 0,1 --config \
		active/powersave/balance_performance,active/performance,passive/schedutil/balance_performance
	;;
sweep)
	cd /tmp
	ln -s /root/* .
	run eas-sweep --rounds 7 --scale 0.1 --config \
		active/powersave/balance_performance,active/powersave/performance,active/performance,passive/schedutil/balance_performance
	;;
esac
echo '#PICTURE'
cat /tmp/gnuplot.in
