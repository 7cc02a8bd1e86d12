# SPDX-License-Identifier: GPL-2.0-only
#
# Results of the benchmarks as a table with the targets.  Reads the output of
# check-hot, then results.tsv.  The variable "server" is the size of the server.

FNR == NR {
	if (/^not ok/)
		changed++
	if (/^ok/)
		same++
	if (/^# text of vmlinux/) {
		gsub(/[^0-9 ]/, "")
		split($0, text, " ")
	}
	next
}

{
	v[$1, $2, $3, $4] = $5
	if ($2 == "raptor-lake")
		size[$3 + 0]
}

function hybrid(variant, n, what)
{
	return v[variant, "raptor-lake", n, what]
}

# Slope of the regression line through the logarithms
function exponent(variant, what,  n, x, y, sx, sy, sxx, sxy, k)
{
	for (n in size) {
		x = log(n)
		y = log(hybrid(variant, n, what))
		sx += x; sy += y; sxx += x * x; sxy += x * y; k++
	}
	return (k * sxy - sx * sy) / (k * sxx - sx * sx)
}

function row(what, value, target, good)
{
	printf "%-58s %12s %10s %s\n", what, value, target, target == "" ? "" : good ? "yes" : "no"
}

function ratio(a, b)
{
	return b ? a / b : 0
}

# What WHAT takes with the series, as a share of what it takes without it
function compared(title, what, n, limit,  r)
{
	r = ratio(hybrid("patched", n, what), hybrid("plain", n, what))
	row(title ", " n " CPUs", sprintf("%.3f", r), sprintf("%.2f", limit), r > 0 && r <= limit)
}

END {
	printf "%-58s %12s %10s %s\n", "", "measured", "target", "met"
	max = 0
	for (n in size)
		if (n + 0 > max)
			max = n + 0
	for (n = 1; n <= max; n++) {
		if (!(n in size))
			continue
		a = hybrid("patched", n, "rebuilds, profile for performance")
		b = hybrid("patched", n, "rebuilds, profile for balance")
		row("rebuilds per profile change, " n " CPUs, off and on", a "+" b, "1+1", a == 1 && b == 1)
		row("  the same, rebuild on every change", \
		    hybrid("patched-unfiltered", n, "rebuilds, profile for performance") "+" \
		    hybrid("patched-unfiltered", n, "rebuilds, profile for balance"), "")
	}
	for (n = 1; n <= max; n++) {
		if (!(n in size))
			continue
		compared("unchanged EPP write, patched/plain", "unchanged EPP write", n, 1.02)
		compared("EPP write without effect on EAS", "EPP write without effect on EAS", n, 1.1)
		compared("EPP write changing compatibility", "EPP write changing compatibility", n, 1.1)
		r = ratio(hybrid("patched", n, "last write to EAS in use"), \
			  hybrid("patched", n, "one rebuild"))
		row("last write to EAS in use / one rebuild, " n " CPUs", sprintf("%.2f", r), "1.20", r > 0 && r <= 1.2)
	}
	w = "profile for balance"
	row("growth of a profile change with CPUs, exponent, plain", sprintf("%.2f", exponent("plain", w)), "")
	row("  the same, patched", sprintf("%.2f", exponent("patched", w)), "")
	row("  the same, rebuild on every change", sprintf("%.2f", exponent("patched-unfiltered", w)), "")
	w = "rebuilds per governor change of all CPUs"
	row(w ", server, plain", v["plain", "xeon", server, w], "")
	a = v["patched", "xeon", server, w]
	row("  the same, patched", a, "0", a == 0)
	w = "governor change of all CPUs"
	r = ratio(v["patched", "xeon", server, w], v["plain", "xeon", server, w])
	row(w ", server, patched/plain", sprintf("%.2f", r), "")
	row("files with changed hot functions", changed + 0, "0", same > 0 && !changed)
	row("growth of text in bytes", text[2] - text[1], "4096", text[2] - text[1] < 4096)
}
