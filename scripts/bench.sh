#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measure what the series costs and saves: plain kernel against patched, in virtual
# machines whose clocks count instructions.  Results are in build/bench.
#
# usage: bench.sh

. "$(dirname "$0")/lib.sh"

cd "$top"
vhybrid=tools/testing/vhybrid
out=build/bench
sizes=${SIZES:-2 4 8 16 32 64}
server=32

for k in plain patched; do
	KERNEL=$k-bench scripts/kernel.sh
done

mkdir -p "$out"
need_tmp
${CC:-gcc} -O2 -Wall -static -o "$tmp/bench" $vhybrid/guest/bench.c

# repeat STRING COUNT
repeat()
{
	awk -v s="$1" -v n="$2" 'BEGIN { while (n-- > 0) printf "%s", s }'
}

# measure VARIANT MACHINE CORES: lines with variant, machine, number of CPUs, and
# what the guest says
measure()
{
	kernel=$build/src-${1%%-*}/obj-bench/arch/x86/boot/bzImage
	how=filtered
	[ "${1#*-}" != unfiltered ] || how=unfiltered
	$vhybrid/vhybrid run --icount --machine "$2" --cores "$3" --kernel "$kernel" \
		--timeout 900 --file "$tmp/bench" -- $vhybrid/guest/bench.sh "$how" > "$tmp/out" ||
		die "the benchmark failed on $2 with ${#3} CPUs, $1 kernel"
	sed "s/^/$1	$2	${#3}	/" "$tmp/out" >> "$tmp/results"
}

every 30 say "still measuring"
for n in $sizes; do
	for v in plain patched patched-unfiltered; do
		say "hybrid, $n CPUs, $v"
		measure $v raptor-lake "$(repeat P $((n / 2)))$(repeat E $((n / 2)))"
	done
done
for v in plain patched; do
	say "server, $server CPUs, $v"
	measure $v xeon "$(repeat C $server)"
done
quiet
mv "$tmp/results" "$out/results.tsv"

$vhybrid/check-hot "$build/src-plain/obj-bench" "$build/src-patched/obj-bench" > "$out/hot" || :
awk -F '\t' -v server=$server -f scripts/bench.awk "$out/hot" "$out/results.tsv" > "$out/table"
cat "$out/table"

awk -F '\t' -v OFS='\t' '
	$2 == "raptor-lake" && $4 == "profile for balance" { v[$1, $3] = $5; n[$3] }
	END { for (i in n) print i, v["plain", i], v["patched", i], v["patched-unfiltered", i] }
	' "$out/results.tsv" | sort -n > "$tmp/plot"
gnuplot <<END
set terminal svg size 720,480
set output '$out/profile.svg'
set logscale xy 2
set format y '%.0f'
set xlabel 'CPUs'
set ylabel 'instructions'
set title 'EPP and governor of all CPUs changed, EAS starts'
set key top left
plot '$tmp/plot' using 1:2 with linespoints title 'plain (no EAS)', \
     '' using 1:3 with linespoints title 'patched', \
     '' using 1:4 with linespoints title 'rebuild on every change'
END
say "results are in $out: table, results.tsv, profile.svg"
! grep -q ' no$' "$out/table" || die "not all of the targets have been met"
