#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the benchmarks: in the active mode, then those of governors.
#
# usage: bench.sh filtered|unfiltered

[ "$1" = filtered ] || echo unfiltered > /sys/kernel/debug/vhybrid/control || exit
./bench write || exit
./bench profile || exit
echo passive > /sys/devices/system/cpu/intel_pstate/status || exit
./bench governor
