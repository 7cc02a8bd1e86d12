# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC3043	# both busybox and dash have "local"
#
# What tests of programs that manage power profiles, real and replayed, have in
# common, to be copied along with lib.sh and sourced.

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

# 0 where EAS is not possible
no_eas=

GOV=scaling_governor

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

# all ATTRIBUTE VALUE: on one CPU after the other
all()
{
	local c

	for c in $cpus; do
		must "$c" "$1" "$2"
	done
}

get()
{
	cat "$CPUS/cpu$1/cpufreq/$2"
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
	grep -qx "enabled ${no_eas:-$3}" $VM/eas || bad="$bad EAS is not ${no_eas:-$3};"
	[ -z "${4:-}" ] || [ $((now - before)) -eq "$4" ] ||
		bad="$bad $((now - before)) rebuilds, not $4;"
	before=$now
}
