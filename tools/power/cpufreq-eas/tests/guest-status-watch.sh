# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154	# guest-status.sh, which sources this, has them
# shellcheck disable=SC2086	# ... and there are no spaces in them
# shellcheck disable=SC2013	# words, on one line
#
# eas-status --watch: sees changes in time, ends cleanly, leaves tracing as it was.

# No test waits longer than that, in tenths of a second.
BOUND=100
log=/tmp/watch.out

# eventually COMMAND...: until it succeeds
eventually()
{
	tries=0
	until "$@" > /dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt $BOUND ] || return 1
		usleep 100000
	done
}

# begin [OPTION...]: in the background; waits until it has begun
begin()
{
	: > $log
	./run-eas-status --watch "$@" >> $log 2> $err &
	pid=$!
	eventually grep -q '^Watching by\|"watching_by"' $log ||
		bad="$bad has not begun: $(cat $err);"
}

# finish SIGNAL STATUS
finish()
{
	kill -"$1" $pid
	eventually gone $pid || bad="$bad does not end;"
	got=0
	wait $pid || got=$?
	[ $got = "$2" ] || bad="$bad exit status is $got, not $2;"
	[ ! -s $err ] || bad="$bad errors: $(cat $err);"
	instances 0
}

gone()
{
	! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status"
}

# instances NUMBER: so many tracing instances are there
instances()
{
	found=$(find $TRACING/instances -mindepth 1 -maxdepth 1 -name 'eas-status-*' | wc -l)
	[ "$found" = "$1" ] || bad="$bad there are $found tracing instances, not $1;"
}

# sees PATTERN: the log comes to have it
sees()
{
	eventually grep -q -e "$1" $log ||
		bad="$bad has not seen '$1', but: $(sed 1,/^Watching/d $log);"
}

# Governor performance, which some start with, would refuse EPP.
if [ "$(get 0 $GOV)" = performance ]; then
	all $GOV powersave
fi
stamp='^20[0-9-]* [0-9:]*\.[0-9]*  '
traces=0
[ $series = no ] || traces=1
before=$(cat $TRACING/set_event $TRACING/tracing_on $TRACING/trace_clock)
# The kernel tells of these changes, or file notification does: no need to look again.
rarely="--interval 3600"

begin $rarely
instances $traces
if [ $traces = 1 ]; then
	grep -q '^Watching by tracepoints, file notification, and every 3600 s' $log ||
		bad="$bad how?"
else
	grep -q '^Watching by file notification, and every 3600 s' $log || bad="$bad how?"
fi
result "watch: how"

if [ $hybrid$series = yesyes ]; then
	put "${POL}1/$PREF" performance
	sees "${stamp}CPU 1: epp balance_performance -> performance\$"
	sees "${stamp}CPU 1: compatible yes -> no\$"
	reason="EPP asks for performance on CPU 1"
	sees "${stamp}root domain of CPUs 0-$last: EAS on -> off: $reason\$"
	result "watch: EPP turns EAS off"
	put "${POL}1/$PREF" balance_performance
	sees "${stamp}CPU 1: epp performance -> balance_performance\$"
	sees "${stamp}CPU 1: compatible no -> yes\$"
	sees "${stamp}root domain of CPUs 0-$last: EAS off -> on\$"
	result "watch: ... and on"
	lines=$(wc -l < $log)
	i=0
	while [ $i -lt 5 ]; do
		put "${POL}0/$PREF" performance
		put "${POL}0/$PREF" balance_performance
		i=$((i + 1))
	done
	counted()
	{
		[ "$(sed "1,${lines}d" $log | grep -c 'CPU 0: compatible yes -> no$')" = 5 ] &&
			[ "$(sed "1,${lines}d" $log | grep -c 'CPU 0: compatible no -> yes$')" = 5 ]
	}
	eventually counted || bad="$bad not 5 changes each way: $(sed "1,${lines}d" $log);"
	result "watch: changes that do not last"
elif [ -e "${POL}1/$PREF" ]; then
	put "${POL}1/$PREF" balance_power
	sees "${stamp}CPU 1: epp [a-z_]* -> balance_power\$"
	result "watch: EPP"
	put "${POL}1/$PREF" balance_performance
	sees "${stamp}CPU 1: epp balance_power -> balance_performance\$"
	result "watch: EPP again"
fi

for g in $(cat ${POL}0/scaling_available_governors); do
	[ "$g" != "$(get 0 $GOV)" ] || continue
	old=$(get 0 $GOV)
	put "${POL}0/$GOV" "$g"
	sees "${stamp}CPU 0: governor $old -> $g\$"
	result "watch: governor $g"
	put "${POL}0/$GOV" "$old"
	break
done

put "$CPUS/cpu$last/online" 0
sees "${stamp}CPU $last: online yes -> no\$"
result "watch: CPU offline"
put "$CPUS/cpu$last/online" 1
sees "${stamp}CPU $last: online no -> yes\$"
result "watch: CPU online"

if [ -e "$STATUS" ]; then
	old=$(cat "$STATUS")
	new=passive
	[ "$old" = active ] || new=active
	write "$STATUS" $new
	# There is no active mode without HWP, in which case it stays as it is.
	if [ "$(cat "$STATUS")" = $new ]; then
		sees "${stamp}CPUs 0-$last: mode $old -> $new\$"
		result "watch: mode $new"
	fi
	mode "$old"
	# Files of the new policies are watched, too.
	sees "${stamp}CPUs 0-$last: mode $new -> $old\$"
	: > $log
	if [ -e "${POL}0/$PREF" ] && [ "$old" = active ]; then
		all $GOV powersave
		put "${POL}0/$PREF" 99
		sees "${stamp}CPU 0: epp .* -> 99\$"
		put "${POL}0/$PREF" balance_performance
		result "watch: EPP after mode changes"
	else
		bad=
	fi
fi
finish INT "$(./run-eas-status > /dev/null && echo 0 || echo $?)"
result "watch: SIGINT"

begin --interval 0.2
if [ -e "$VM/cpu0/hwp_request" ] && [ -e "${POL}0/$PREF" ]; then
	# Nobody notifies of that: it is seen by looking again.
	register=$(cat $VM/cpu0/hwp_request)
	put $VM/cpu0/hwp_request $(((register & ~(255 << 24)) | 200 << 24))
	sees "${stamp}CPU 0: epp .* -> 200\$"
	result "watch: a change that nobody notifies of"
	put $VM/cpu0/hwp_request "$register"
fi
finish TERM "$(./run-eas-status > /dev/null && echo 0 || echo $?)"
result "watch: SIGTERM"

begin --json --cpus 1
put "${POL}1/$GOV" performance
sees '"field": *"governor"'
put "${POL}1/$GOV" "$(get 0 $GOV)"
eventually test "$(wc -l < $log)" -gt 2 || bad="$bad too few lines;"
finish HUP "$(./run-eas-status > /dev/null && echo 0 || echo $?)"
echo "#@ watch with --json"
sed 's/^/#W /' $log
result "watch: SIGHUP, JSON"

# Nobody reads any more, and nothing changes.
mkfifo /tmp/watch.pipe
./run-eas-status --watch > /tmp/watch.pipe 2> $err &
pid=$!
head -n 1 /tmp/watch.pipe > $log
eventually gone $pid || bad="$bad does not end;"
[ ! -s $err ] || bad="$bad errors: $(cat $err);"
wait $pid || :
instances 0
result "watch: the pipe is closed"

# What it cannot remove itself, the next one does.
begin
instances $traces
kill -KILL $pid
wait $pid || :
instances $traces
begin
instances $traces
finish INT "$(./run-eas-status > /dev/null && echo 0 || echo $?)"
result "watch: SIGKILL leaves nothing that stays"

# Not root: no tracing
: > $log
as_nobody="cd /root && exec ./run-eas-status --watch --interval 3600"
su -s /bin/sh nobody -c "$as_nobody" >> $log 2> $err &
eventually grep -q '^Watching by file notification, and every 3600 s' $log ||
	bad="$bad has not begun: $(cat $err);"
[ $series = no ] || grep -q '^Root could watch by tracepoints in addition$' $log ||
	bad="$bad does not say that root could do more;"
instances 0
pid=$(pidof ld-linux-x86-64.so.2 || :)
put "${POL}1/$GOV" performance
put "${POL}0/$GOV" performance
sees "${stamp}CPU.* 1: governor .* -> performance\$\|CPUs 0-1: governor .* -> performance\$"
kill -INT $pid
eventually gone "$pid" || bad="$bad does not end;"
wait || :
result "watch: another user"

[ "$(cat $TRACING/set_event $TRACING/tracing_on $TRACING/trace_clock)" = "$before" ] ||
	bad="$bad tracing is not as before;"
result "watch: tracing is as it was"
