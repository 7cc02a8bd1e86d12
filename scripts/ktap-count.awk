# SPDX-License-Identifier: GPL-2.0-only
#
# Count the results in KTAP or TAP output, nested or not: prints
# "PASSED FAILED SKIPPED", and every failed test on standard error.
#
# A test with subtests is not counted itself, unless it has failed although none
# of the subtests has.  A plan at the top level must be met.

function fail(what)
{
	failed++
	print "  not ok: " what > "/dev/stderr"
}

{ sub(/\r$/, "") }

match($0, /^ *1\.\.[0-9]+/) {
	plan = substr($0, 1, RLENGTH)
	indent = match(plan, /[^ ]/) - 1
	if (indent == 0) {
		sub(/.*\.\./, "", plan)
		planned += plan
		plans++
	}
	next
}

/^ *Bail out!/ { fail($0); next }

match($0, /^ *(not )?ok [0-9]+/) {
	indent = match($0, /[^ ]/) - 1
	text = substr($0, indent + 1)
	bad = text ~ /^not ok/
	sub(/^(not )?ok [0-9]+ *-? */, "", text)

	if (indent == 0)
		top++

	parent = last > indent
	last = indent
	if (parent) {
		if (bad && failed == seen[indent])
			fail(text)
		seen[indent] = failed
		next
	}
	for (i = indent; i >= 0; i--)
		if (!(i in seen))
			seen[i] = failed
	if (toupper(text) ~ /# SKIP/)
		skipped++
	else if (bad)
		fail(text)
	else
		passed++
	seen[indent] = failed
	next
}

END {
	if (plans && planned != top)
		fail("planned " planned " tests, but there are results of " top)
	print passed + 0, failed + 0, skipped + 0
}
