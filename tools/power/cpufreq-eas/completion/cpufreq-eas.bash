# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2013	# files that hold words, on one line
#
# Completion for eas-status, eas-ramp and eas-sweep. Options are those that --help names.

# Modes, governors and EPPs that this machine has at present: the parts of a configuration
_cpufreq_eas_configs()
{
	local cpu=/sys/devices/system/cpu
	local policy=$cpu/cpufreq/policy0
	local mode governor epp

	echo all
	mode=$(cat $cpu/intel_pstate/status $cpu/amd_pstate/status 2> /dev/null)
	for governor in $(cat $policy/scaling_available_governors 2> /dev/null); do
		[[ $governor != userspace ]] || continue
		echo "${mode:+$mode/}$governor"
		for epp in $(cat $policy/energy_performance_available_preferences 2> /dev/null); do
			[[ $epp = *performance || $epp = *power ]] || continue
			echo "${mode:+$mode/}$governor/$epp"
		done
	done
}

# The last one of words between commas; with what precedes it
_cpufreq_eas_list()
{
	local current=$1 before=

	[[ $current != *,* ]] || before=${current%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${current##*,}")
}

_cpufreq_eas()
{
	local program=$1 current=$2 previous=$3
	local present=/sys/devices/system/cpu/present options

	COMPREPLY=()
	# "--option=value" comes as three words.
	if [[ $current = = ]]; then
		current=
	elif [[ $previous = = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	case ${program##*/}:$previous in
	eas-status:-c | eas-status:--cpus | eas-ramp:--cpus | eas-ramp:--migrate)
		_cpufreq_eas_list "$current" "$(cat $present 2> /dev/null)" ;;
	eas-ramp:--config | eas-sweep:-c | eas-sweep:--config | eas-sweep:--reference)
		_cpufreq_eas_list "$current" "$(_cpufreq_eas_configs)" ;;
	eas-ramp:--source)
		mapfile -t COMPREPLY < <(compgen -W "iterations cycles" -- "$current") ;;
	eas-sweep:-t | eas-sweep:--test)
		mapfile -t COMPREPLY < <(compgen -W "burst build periodic mixed" -- "$current") ;;
	*:--csv | *:--svg | *:--log | *:--state)
		mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
	*:-i | *:--interval | *:--runs | *:--settle | *:--duration | *:-r | *:--rounds | \
	*:--scale | *:--pause | *:--seed)
		# numbers
		;;
	*)
		options=$("$program" --help 2> /dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
	esac
}

complete -F _cpufreq_eas eas-status eas-ramp eas-sweep
