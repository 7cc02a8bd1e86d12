# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC3043	# both busybox and dash have "local"
#
# What tests of programs that manage power profiles, real and replayed, have in
# common, to be copied along with lib.sh and sourced.

# shellcheck source=tools/testing/vhybrid/guest/lib.sh
. ./lib.sh

# must CPU ATTRIBUTE VALUE
must()
{
	put "$POL$1/$2" "$3"
}

must_not()
{
	write "$POL$1/$2" "$3"
	[ -n "$error" ] || bad="$bad CPU$1: writing $3 to $2 works;"
}

# start EPP: what a client finds
start()
{
	local c

	echo clear > $VM/fail
	# For one CPU after the other, as daemons do it
	for c in $cpus; do
		must "$c" $GOV powersave
		must "$c" $PREF "$1"
	done
	before=$(rebuilds)
}

# No AMD machine has an Energy Model, so all there is to see of EAS is whether policies
# are compatible.
[ $vendor = intel ] && can_eas=1 || can_eas=0

# state GOVERNOR EPP EAS [REBUILDS]
state()
{
	local c now ready

	now=$(rebuilds)
	for c in $cpus; do
		ready=$(ready "$c")
		[ "$ready" = "$3" ] || bad="$bad CPU$c: compatible with EAS is $ready, not $3;"
		[ "$(get "$c" $GOV)" = "$1" ] || bad="$bad CPU$c: governor is $(get "$c" $GOV), not $1;"
		[ "$(get "$c" $PREF)" = "$2" ] || bad="$bad CPU$c: EPP is $(get "$c" $PREF), not $2;"
	done
	grep -qx "enabled $(($3 * can_eas))" $VM/eas || bad="$bad EAS is not $(($3 * can_eas));"
	[ -z "${4:-}" ] || [ $((now - before)) -eq $(($4 * can_eas)) ] ||
		bad="$bad $((now - before)) rebuilds, not $(($4 * can_eas));"
	before=$now
}
