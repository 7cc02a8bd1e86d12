#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the checks: those that find most in the time they take, or those named in T.
#
# usage: check.sh
#        check.sh all		(those that are left out by default, too)
#        check.sh one NAME FILE	(run this one and add its figures to FILE)
#
# Two checks run at a time if there are two CPUs: the virtual machines wait a lot.  Those
# with programs that give up after a while in them, and what is also for watching, run
# alone.
#
# Every check is a line in one of the tables below: its name, whether it prints (K)TAP or
# its exit status is the result, a description, and a command to be run at the
# top of the repository.  The kernel is there by then.
#
# With KERNEL=plain, the tests of what the series changes are run on the plain base
# kernel and those that fail there are listed.  This is what the series fixes.

. "$(dirname "$0")/lib.sh"

: "${T:=}"
vhybrid=tools/testing/vhybrid
out=build/check
# No check takes more than a few minutes.
limit=1800

# On the plain kernel, it is of interest what happens to EPP where there is no EAS.
only='' only_arg=''
if [ "$KERNEL" = plain ]; then
	only=epp only_arg=' -e'
fi

# For tests in the virtual machine that source it, or change the power source
lib="--file $vhybrid/guest/lib.sh"
power="--file build/$BASE/src-patched/obj/drivers/power/supply/test_power.ko"

tools=tools/power/cpufreq-eas
images=build/$BASE
image=arch/x86/boot/bzImage

# On the plain kernel, whatever KERNEL is
plain="KERNEL_IMAGE=$images/src-plain/obj/$image"

# tool_checks KIND MACHINE...: checks of the programs
tool_checks()
{
	kind=$1
	shift
	for m in "$@"; do
		case $kind in
		status) what="eas-status in known states of $m" run="$tools/tests/run-status $m" ;;
		plain) what="eas-status in known states of $m, plain kernel" run="$plain $tools/tests/run-status $m" ;;
		watch) what="eas-status --watch on $m" run="$tools/tests/run-status $m watch" ;;
		*) what="eas-$kind on $m" run="$tools/tests/run-$kind $m" ;;
		esac
		echo "$kind-$m|tap|$what|$run"
	done
}

# What runs by default
basic_table()
{
	cat <<-END
	series|status|the series applies with git am and quilt and matches the sources|scripts/check-series.sh
	shellcheck|status|shellcheck has nothing to say about our scripts|scripts/check-style.sh shellcheck
	spdx|status|every file has a license|scripts/check-style.sh spdx
	size|status|no file has more than 800 lines|scripts/check-style.sh size
	checkpatch|status|checkpatch --strict has nothing to say about the patches|scripts/check-style.sh checkpatch
	vhybrid|tap|the virtual machines keep their contract|$vhybrid/selftest
	kunit|tap|KUnit suites of the series|$vhybrid/run-kunit lunar-lake cpufreq_eas intel_pstate_epp amd_pstate_epp
	END
	for m in lunar-lake meteor-lake raptor-lake xeon intel-noepp; do
		echo "gate-$m|tap|kselftest of the EAS gate on $m|$vhybrid/run-kselftest $m eas_gate.sh"
	done
	for m in lunar-lake meteor-lake raptor-lake strix-point epyc amd-shmem; do
		echo "own-$m|tap|kselftest of EPP ownership on $m|$vhybrid/run-kselftest $m 'epp_ownership.sh$only_arg'"
	done
	echo "own-late|tap|kselftest of EPP ownership, CPUs not up at boot|$vhybrid/run-kselftest lunar-lake 'epp_ownership.sh$only_arg' --append maxcpus=3"
	for m in lunar-lake=PLPL meteor-lake=PEEL strix-point=PE amd-shmem=PE; do
		echo "faults-${m%=*}|tap|register accesses that fail on ${m%=*}|$vhybrid/vhybrid run --timeout 900 --machine ${m%=*} --cores ${m#*=} $lib -- $vhybrid/guest/epp-faults.sh $only"
	done
	for m in lunar-lake=PL= strix-point=PE=quick; do
		a=${m##*=} m=${m%=*}
		echo "alloc-faults-${m%=*}|tap|allocations that fail, one after the other, on ${m%=*}|$vhybrid/vhybrid run --timeout 1500 --append amd_prefcore=disable --machine ${m%=*} --cores ${m#*=} $lib -- $vhybrid/guest/alloc-faults.sh $a"
		echo "cpufreq-${m%=*}|tap|the kernel's own tests of cpufreq on ${m%=*}|LOOPS=20 $vhybrid/run-cpufreq-tests ${m%=*} ${m#*=} basic sptest1 sptest2 sptest3 sptest4"
	done
	for m in lunar-lake=hybrid meteor-lake=hybrid raptor-lake=hybrid xeon=hwp intel-noepp=nohwp; do
		echo "rows-${m%=*}|tap|rows of the truth table on ${m%=*}|$vhybrid/vhybrid run --machine ${m%=*} -- $vhybrid/guest/rows.sh ${m#*=}"
	done
	p=PPPPPPPPPPPPPPPP e=EEEEEEEEEEEEEEEE
	for m in lunar-lake=PL=hybrid meteor-lake=PPPPEEEELL=hybrid raptor-lake=$p$e=hybrid xeon=CCCCCCCC=other intel-noepp=CCCC=other; do
		k=${m##*=} m=${m%=*}
		echo "economy-${m%=*}|tap|rebuilds of sched domains on ${m%=*}, CPUs ${m#*=}|$vhybrid/vhybrid run --machine ${m%=*} --cores ${m#*=} $lib -- $vhybrid/guest/economy.sh $k"
	done
	for m in raptor-lake=PPEE meteor-lake=PEEL; do
		echo "domains-${m%=*}|tap|building sched domains leaks no memory on ${m%=*}|$vhybrid/vhybrid run --machine ${m%=*} --cores ${m#*=} $lib -- $vhybrid/guest/domains.sh"
	done
	for m in lunar-lake meteor-lake; do
		echo "filter-$m|tap|no rebuild is missing after random events on $m|$vhybrid/vhybrid run --machine $m -- $vhybrid/guest/filter.sh 400 $(date +%s)"
	done
	c="$lib --file $vhybrid/guest/client-lib.sh"
	for m in lunar-lake=PL strix-point=PE; do
		echo "clients-${m%=*}|tap|programs managing profiles, from Debian, on ${m%=*}|scripts/rootfs.sh >&2 && $vhybrid/vhybrid run --timeout 900 --machine ${m%=*} --cores ${m#*=} --rootfs build/rootfs $c -- $vhybrid/guest/clients.sh"
	done
	w=tools/testing/selftests/cpufreq/sysfs_write.c
	for m in lunar-lake strix-point; do
		echo "replays-$m|tap|write orders of programs managing profiles on $m|mkdir -p $out/$m && ${CC:-gcc} -O2 -static -o $out/$m/sysfs_write $w && $vhybrid/vhybrid run --machine $m --file $out/$m/sysfs_write $c -- $vhybrid/guest/replays.sh"
	done
	for m in strix-point=PPEE epyc=CCC amd-shmem=PE; do
		echo "amd-gate-${m%=*}|tap|EPP and gate of amd-pstate on ${m%=*}|$vhybrid/vhybrid run --timeout 900 --machine ${m%=*} --cores ${m#*=} $lib $power -- $vhybrid/guest/amd-gate.sh"
	done
	for m in lunar-lake=PLP meteor-lake=PEL strix-point=PPE amd-shmem=PE; do
		echo "races-${m%=*}|tap|everything at the same time on ${m%=*}|$vhybrid/vhybrid run --timeout 900 --machine ${m%=*} --cores ${m#*=} $lib $power -- $vhybrid/guest/races.sh 15"
	done
	for m in lunar-lake=PLP strix-point=PPE; do
		echo "fuzz-${m%=*}|tap|system calls on files in sysfs on ${m%=*}|mkdir -p $out/${m%=*} && ${CC:-gcc} -O2 -Wall -static -o $out/${m%=*}/fuzz $vhybrid/guest/fuzz.c && $vhybrid/vhybrid run --machine ${m%=*} --cores ${m#*=} $lib --file $out/${m%=*}/fuzz -- $vhybrid/guest/fuzz.sh 20"
	done
	for m in strix-point amd-shmem; do
		echo "amd-ut-$m|tap|amd-pstate-ut of the kernel, loaded 20 times on $m|$vhybrid/run-amd-ut $m"
	done
	# The same steps every time: make soak takes others.
	for m in lunar-lake=PLPL meteor-lake=PEEL strix-point=PPEE epyc=CCC; do
		echo "model-${m%=*}|tap|random steps agree with the model on ${m%=*}|$vhybrid/run-model ${m%=*} ${m#*=} 2000 1796245115"
	done
	echo "tools-unit|tap|unit tests of eas-status, eas-ramp and eas-sweep|make -s -C $tools check"
	echo "tools-man|status|man and mandoc have nothing to say about the man pages|scripts/check-style.sh man"
	tool_checks status lunar-lake strix-point
	tool_checks plain lunar-lake
	echo "status-nocpufreq|tap|eas-status without cpufreq|$tools/tests/run-status lunar-lake nocpufreq"
	echo "status-isolcpus|tap|eas-status with an isolated CPU|$tools/tests/run-status lunar-lake isolcpus"
	tool_checks watch lunar-lake
	tool_checks ramp lunar-lake
	tool_checks sweep strix-point
	echo "tools-nocpufreq|tap|eas-ramp and eas-sweep without cpufreq|$tools/tests/run-nocpufreq"
	echo "demo-ramp|status|the ramps of the demo are as expected|$vhybrid/demo-ramp"
	echo "cost|tap|EPP and governor writes need no more register accesses than on the plain kernel|$vhybrid/check-cost $images/src-plain/obj/$image $images/src-patched/obj/$image"
	echo "hot|tap|code of scheduler hot paths is the same as in the plain kernel|$vhybrid/check-hot $images/src-plain/obj $images/src-patched/obj"
	echo "demo|status|all states of the demo are as expected|$vhybrid/demo"
}

# The rest, for check.sh all: the programs on machines that differ less from the others
more_table()
{
	tool_checks status meteor-lake raptor-lake xeon intel-noepp epyc amd-shmem
	tool_checks plain meteor-lake raptor-lake xeon intel-noepp strix-point epyc amd-shmem
	tool_checks watch strix-point
	echo "watch-plain|tap|eas-status --watch on lunar-lake, plain kernel|$plain $tools/tests/run-status lunar-lake watch"
	tool_checks ramp meteor-lake raptor-lake xeon intel-noepp strix-point epyc amd-shmem
	tool_checks sweep lunar-lake meteor-lake raptor-lake xeon intel-noepp epyc amd-shmem
}

table()
{
	basic_table
	more_table
}

# those REGEX: the names of checks to be run
those()
{
	table | cut -d '|' -f 1 | grep -E "$1"
}

# run_one NAME FILE: prints how it went, in one piece, and adds "PASSED FAILED SKIPPED" to
# FILE
run_one()
{
	name=$1
	IFS='|' read -r _ kind what command <<-END
	$(table | grep "^$name|")
	END
	start=$(date +%s)
	status=0
	timeout -k 10 "$limit" sh -c "$command" > "$out/$name.out" 2> "$out/$name.err" < /dev/null &
	kids=$!
	wait "$kids" || status=$?
	kids=
	took=$(($(date +%s) - start))

	if [ "$kind" = tap ]; then
		# It says what has failed, too, but not where.
		awk -f scripts/ktap-count.awk "$out/$name.out" > "$tmp/count" 2> "$tmp/failed"
		read -r p f s < "$tmp/count"
		# No results is not a success, and neither is a failure outside of the tests.
		if [ "$f" -eq 0 ]; then
			[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || f=1
			[ $((p + s)) -gt 0 ] || f=1
		fi
	else
		: > "$tmp/failed"
		p=1 f=0 s=0
		[ "$status" -eq 0 ] || p=0 f=1
	fi
	echo "$p $f $s" >> "$2"

	{
		if [ "$KERNEL" = plain ]; then
			grep '^not ok' "$out/$name.out" | sed "s/^not ok [0-9]* /fails: $name: /"
			# Nothing can be said about tests that have not been run.
			[ "$status" -le 1 ] || echo "$name has ended with status $status"
		elif [ "$f" -gt 0 ]; then
			echo "not ok $name: $what ($took s, $p passed, $f failed, exit status $status; see $out/$name.out)"
			cat "$tmp/failed"
			{
				tail -n 20 "$out/$name.err"
				{ [ "$kind" = tap ] && grep -A 4 '^ *not ok' "$out/$name.out" | head -n 60; } ||
					tail -n 20 "$out/$name.out"
			} | sed 's/^/  | /'
		else
			echo "ok $name: $what ($took s)"
			grep -i '# SKIP' "$out/$name.out" | sed 's/^/  /' || :
		fi
	} > "$tmp/report"
	cat "$tmp/report"
}

cd "$top"
mkdir -p "$out"
need_tmp

if [ "${1-}" = one ]; then
	run_one "$2" "$3"
	exit
fi
if [ "$T" = list ]; then
	{
		basic_table
		more_table | sed 's/|/ (check-all)|/3'
	} | awk -F '|' '{ printf "%-22s %s\n", $1, $3 }'
	exit
fi
for t in $T; do
	table | grep -q "^$t|" || die "there is no check called '$t', see 'make check T=list'"
done

if [ -n "$T" ]; then
	# shellcheck disable=SC2086	# a list
	printf '%s\n' $T
elif [ "$KERNEL" = plain ]; then
	those '^(gate|own|faults|domains)-'
elif [ "${1-}" = all ]; then
	those .
else
	basic_table | cut -d '|' -f 1
fi > "$tmp/names"
if grep -qE '^(cost|hot|plain-|watch-plain)' "$tmp/names"; then
	KERNEL=plain scripts/kernel.sh
fi

progress()
{
	say "$(wc -l < "$tmp/figures") of $(wc -l < "$tmp/names") checks done after $(($(date +%s) - start)) s"
}

jobs=$(nproc)
[ "$jobs" -lt 2 ] || jobs=$((jobs / 2 + 1))
start=$(date +%s)
: > "$tmp/figures"
every 30 progress
alone='^(clients-|demo$)'
grep -vE "$alone" "$tmp/names" |
	xargs -P "$jobs" -I '{}' scripts/check.sh one '{}' "$tmp/figures" || :
grep -E "$alone" "$tmp/names" |
	xargs -I '{}' scripts/check.sh one '{}' "$tmp/figures" || :
quiet

read -r passed failed skipped <<END
$(awk -v n="$(wc -l < "$tmp/names")" '{ p += $1; f += $2; s += $3 } END { print p + 0, f + n - NR, s + 0 }' "$tmp/figures")
END
if [ "$KERNEL" = plain ]; then
	echo "$failed tests fail on the plain kernel, $passed pass, $skipped are skipped"
	[ "$failed" -gt 0 ] && [ "$passed" -gt 0 ]
	exit
fi
[ "$skipped" -eq 0 ] && more='' || more=", $skipped skipped"
echo "$passed passed, $failed failed$more"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
