#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the checks: all of them, or those named in T.
#
# usage: check.sh
#
# Every check is a line in the table below: its name, whether it prints (K)TAP or
# its exit status is the result, a description, and a command to be run at the
# top of the repository.  The kernel is there by then.

. "$(dirname "$0")/lib.sh"

: "${T:=}"
vhybrid=tools/testing/vhybrid
out=build/check
# No check takes more than a few minutes.
limit=1800

table()
{
	cat <<-END
	series|status|the series applies with git am and quilt and matches the sources|scripts/check-series.sh
	shellcheck|status|shellcheck has nothing to say about our scripts|scripts/check-style.sh shellcheck
	spdx|status|every file has a license|scripts/check-style.sh spdx
	size|status|no file has more than 800 lines|scripts/check-style.sh size
	checkpatch|status|checkpatch --strict has nothing to say about the patches|scripts/check-style.sh checkpatch
	vhybrid|tap|the virtual machines keep their contract|$vhybrid/selftest
	kunit|tap|KUnit suites of the series|$vhybrid/run-kunit lunar-lake cpufreq_eas intel_pstate_epp
	END
	for m in lunar-lake meteor-lake raptor-lake xeon intel-noepp; do
		echo "gate-$m|tap|kselftest of the EAS gate on $m|$vhybrid/run-kselftest $m eas_gate.sh"
	done
	for m in lunar-lake=hybrid meteor-lake=hybrid raptor-lake=hybrid xeon=hwp intel-noepp=nohwp; do
		echo "rows-${m%=*}|tap|rows of the truth table on ${m%=*}|$vhybrid/vhybrid run --machine ${m%=*} -- $vhybrid/guest/rows.sh ${m#*=}"
	done
	p=PPPPPPPPPPPPPPPP e=EEEEEEEEEEEEEEEE
	for m in lunar-lake=PL=hybrid meteor-lake=PPPPEEEELL=hybrid raptor-lake=$p$e=hybrid xeon=CCCCCCCC=other intel-noepp=CCCC=other; do
		k=${m##*=} m=${m%=*}
		echo "economy-${m%=*}|tap|rebuilds of sched domains on ${m%=*}, CPUs ${m#*=}|$vhybrid/vhybrid run --machine ${m%=*} --cores ${m#*=} -- $vhybrid/guest/economy.sh $k"
	done
	for m in lunar-lake meteor-lake; do
		echo "filter-$m|tap|no rebuild is missing after random events on $m|$vhybrid/vhybrid run --machine $m -- $vhybrid/guest/filter.sh 400 $(date +%s)"
	done
	d=build/$BASE
	i=arch/x86/boot/bzImage
	echo "cost|tap|EPP and governor writes need no more register accesses than on the plain kernel|KERNEL=plain scripts/kernel.sh >&2 && $vhybrid/check-cost $d/obj-plain/$i $d/obj-patched/$i"
	echo "hot|tap|code of scheduler hot paths is the same as in the plain kernel|KERNEL=plain scripts/kernel.sh >&2 && $vhybrid/check-hot $d/obj-plain $d/obj-patched"
	echo "demo|status|all states of the demo are as expected|$vhybrid/demo"
}

if [ "$T" = list ]; then
	table | awk -F '|' '{ printf "%-16s %s\n", $1, $3 }'
	exit
fi
for t in $T; do
	table | grep -q "^$t|" || die "there is no check called '$t', see 'make check T=list'"
done

cd "$top"
mkdir -p "$out"
need_tmp
passed=0 failed=0 skipped=0

progress()
{
	echo "  ... $(($(date +%s) - start)) s"
}

table > "$tmp/table"
while IFS='|' read -r name kind what command <&3; do
	if [ -n "$T" ]; then
		case " $T " in
		*" $name "*) ;;
		*) continue ;;
		esac
	fi
	echo "check $name: $what"
	start=$(date +%s)
	status=0
	every 30 progress
	timeout -k 10 "$limit" sh -c "$command" > "$out/$name.out" 2> "$out/$name.err" < /dev/null 3<&- || status=$?
	quiet

	if [ "$kind" = tap ]; then
		awk -f scripts/ktap-count.awk "$out/$name.out" > "$tmp/count"
		read -r p f s < "$tmp/count"
		# No results is not a success, and neither is a failure outside of the tests.
		if [ "$f" -eq 0 ]; then
			[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || f=1
			[ $((p + s)) -gt 0 ] || f=1
		fi
	else
		p=1 f=0 s=0
		[ "$status" -eq 0 ] || p=0 f=1
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))

	took=$(($(date +%s) - start))
	if [ "$f" -gt 0 ]; then
		tail -n 20 "$out/$name.err"
		{ [ "$kind" = tap ] && grep -A 4 '^ *not ok' "$out/$name.out" | head -n 60; } ||
			tail -n 20 "$out/$name.out"
	fi | sed 's/^/  | /'
	if [ "$f" -gt 0 ]; then
		echo "not ok $name ($took s, $p passed, $f failed, exit status $status; see $out/$name.out)"
	else
		grep -i '# SKIP' "$out/$name.out" | sed 's/^/  /' || :
		echo "ok $name ($took s)"
	fi
done 3< "$tmp/table"

[ "$skipped" -eq 0 ] && more='' || more=", $skipped skipped"
echo "$passed passed, $failed failed$more"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
