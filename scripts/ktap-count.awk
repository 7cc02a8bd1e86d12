# SPDX-License-Identifier: GPL-2.0-only
#
# Count the results in KTAP or TAP output, nested or not: prints
# "PASSED FAILED SKIPPED", and every failed test on standard error.
#
# A test with subtests is not counted itself, unless it has failed although none
# of the subtests has.  There must be a plan at the top level and all plans must
# be met.

function fail(what)
{
	failed++
	print "  not ok: " what > "/dev/stderr"
}

# The results at this depth are complete.
function complete(indent, what)
{
	if ((indent in planned) && planned[indent] != results[indent])
		fail(what ": " planned[indent] " tests planned, results of " results[indent] + 0)
	delete planned[indent]
	delete results[indent]
}

{ sub(/\r$/, "") }

match($0, /^ *1\.\.[0-9]+/) {
	text = substr($0, 1, RLENGTH)
	indent = match(text, /[^ ]/) - 1
	sub(/.*\.\./, "", text)
	planned[indent] += text
	if (text + 0 == 0 && toupper($0) ~ /# SKIP/)
		skipped++
	if (!indent)
		plans++
	next
}

/^ *Bail out!/ { fail($0); next }

match($0, /^ *(not )?ok [0-9]+/) {
	indent = match($0, /[^ ]/) - 1
	text = substr($0, indent + 1)
	bad = text ~ /^not ok/
	sub(/^(not )?ok [0-9]+ *-? */, "", text)
	results[indent]++

	parent = 0
	for (i in results)
		if (i + 0 > indent)
			parent = 1
	for (i in planned)
		if (i + 0 > indent)
			parent = 1

	if (parent) {
		for (i = 64; i > indent; i--)
			if ((i in planned) || (i in results))
				complete(i, text)
		if (bad && failed == seen[indent])
			fail(text)
	} else if (toupper(text) ~ /# SKIP/) {
		skipped++
	} else if (bad) {
		fail(text)
	} else {
		passed++
	}
	# Failures up to here do not explain those of the next parent.
	for (i = indent; i <= 64; i++)
		seen[i] = failed
	next
}

END {
	if (!plans)
		fail("there is no plan")
	complete(0, "top level")
	print passed + 0, failed + 0, skipped + 0
}
