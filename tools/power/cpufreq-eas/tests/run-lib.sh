# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What run-status, run-ramp and run-sweep have in common; sourced by them.
#
# Of the environment: O is where programs are, as for make, KERNEL_IMAGE the kernel to be
# booted, if it is not to be the one that 'make kernel' builds.

here=$(cd "$(dirname "$0")" && pwd)
vhybrid=$here/../../../testing/vhybrid

# choose_cores MACHINE: sets $two, one core of each type or two if there is only one type,
# and $few: those that can be apart from each other, the last one of another type than the
# first, if there are more types
# shellcheck disable=SC2034	# both are for those who source this
choose_cores()
{
	case $1 in
	lunar-lake) two=PL few=PPLL ;;
	meteor-lake) two=PE few=PEELL ;;
	raptor-lake | strix-point | amd-shmem) two=PE few=PPEE ;;
	xeon | intel-noepp | epyc) two=CC few=CCC ;;
	*)
		echo "${0##*/}: no tests for machine '$1', see vhybrid list" >&2
		exit 2
		;;
	esac
}

# in_vm MACHINE CORES PROGRAMS OPTION...: in place of this shell, a virtual machine that has
# the programs; options, and the script that they end with, are those of vhybrid run
in_vm()
{
	machine=$1 cores=$2
	# shellcheck disable=SC2086	# a list
	files=$("$here/vm-files" $3)
	shift 3
	# shellcheck disable=SC2086	# a list
	exec "$vhybrid/vhybrid" run --machine "$machine" --cores "$cores" \
		${KERNEL_IMAGE:+--kernel "$KERNEL_IMAGE"} $files --file "$vhybrid/guest/lib.sh" "$@"
}
