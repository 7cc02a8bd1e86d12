/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results of unit tests in the kernel's test format (KTAP).
 */
#ifndef CPUFREQ_EAS_TESTS_KTAP_H
#define CPUFREQ_EAS_TESTS_KTAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int ktap_n, ktap_failed;

/* A test; returns what it was given. */
__attribute__((format(printf, 2, 3), unused))
static bool ok(bool passed, const char *format, ...)
{
	va_list args;

	printf("%sok %d ", passed ? "" : "not ", ++ktap_n);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	ktap_failed += !passed;

	return passed;
}

/* Two numbers that may differ by a given amount; both may be NaN. */
__attribute__((unused))
static bool ok_near(double is, double should, double by, const char *name)
{
	bool passed = isnan(should) ? isnan(is) : is == should || fabs(is - should) <= by;

	if (!ok(passed, "%s", name))
		printf("# is %.12g, should be %.12g\n", is, should);

	return passed;
}

/* Two strings, either may be NULL. */
__attribute__((unused))
static bool ok_string(const char *is, const char *should, const char *name)
{
	bool passed = is && should ? !strcmp(is, should) : is == should;

	if (!ok(passed, "%s", name))
		printf("# is '%s', should be '%s'\n", is ? is : "(none)", should ? should : "(none)");

	return passed;
}

/* The end of main() */
__attribute__((unused))
static int ktap_end(void)
{
	printf("1..%d\n", ktap_n);

	return ktap_failed ? 1 : 0;
}

#endif
