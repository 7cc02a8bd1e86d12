// SPDX-License-Identifier: GPL-2.0-only
/*
 * Analysis of ramps that were made up, so that the results are known.
 */
#include <stddef.h>
#include <stdlib.h>

#include "eas-ramp.h"
#include "ktap.h"
#include "util.h"

/* Of the steady throughput, operations in a ms */
#define STEADY	1e6

/* Counts from the start to a time in ms */
typedef double work_fn(double ms);

static double at_once(double ms)
{
	return STEADY * ms;
}

/* Throughput is 1 - (1 - 1/5) exp(-t/4 ms) of the steady one; this is the integral. */
static double exponential(double ms)
{
	return STEADY * (ms - 0.8 * 4 * (1 - exp(-ms / 4)));
}

/* A quarter of the steady throughput for 40 ms, then all of it */
static double step(double ms)
{
	return STEADY * (ms < 40 ? ms / 4 : ms - 30);
}

/* Up to 20 ms, in a straight line from 0 */
static double line(double ms)
{
	return STEADY * (ms < 20 ? ms * ms / 40 : ms - 10);
}

/* Faster at first than later, as when turbo comes to an end */
static double turbo(double ms)
{
	return STEADY * (ms < 100 ? 1.5 * ms : ms + 50);
}

static double nothing(double ms)
{
	(void)ms;

	return 0;
}

/* Lost: 30 ms of every 100 in the steady part, which the median of slices passes over */
static double interrupted(double ms)
{
	double rest = fmod(ms, 100);

	return STEADY * (floor(ms / 100) * 70 + (rest < 70 ? rest : 70));
}

/* A sample every @every ms, up to @length ms; 10 operations count as 1. */
static void analyse(work_fn *work, double every, double length, struct ramp *ramp)
{
	int n = length / every + 1.5, i;
	struct sample *sample = xcalloc(n, sizeof(*sample));

	for (i = 0; i < n; i++) {
		sample[i].ns = i * every * 1e6;
		sample[i].count = work(sample[i].ns / 1e6) / 10;
	}
	ramp_analyse(sample, n, 10, ramp);
	free(sample);
}

static void constant(void)
{
	struct ramp r;
	int i;

	analyse(at_once, 0.02, 1500, &r);
	ok_near(r.steady, 1000, 0.01, "steady: 10^6 in a ms are 1000 millions a second");
	ok_near(r.up_ms, 0, 0, "steady: up to speed at once");
	for (i = 0; i < NR_WINDOWS; i++)
		ok_near(r.share[i], 100, 0.01, "steady: share is 100 %");
	ok_near(r.curve[0], 100, 0.01, "steady: the curve begins at 100 %");
	ok_near(r.curve[NR_POINTS - 1], 100, 0.01, "steady: the curve ends there");
	ok(isnan(r.watts) && isnan(r.joules), "energy is not known");
}

static void ramps(void)
{
	double off = 0;
	struct ramp r;
	int i;

	analyse(exponential, 0.02, 1500, &r);
	/* (t - 3.2 (1 - exp(-t/4))) / t, by hand: 54.34 %, 70.63 % and 84.11 % */
	ok_near(r.share[0], 54.34, 0.02, "exponential: share of 5 ms");
	ok_near(r.share[1], 70.63, 0.02, "exponential: share of 10 ms");
	ok_near(r.share[2], 84.11, 0.02, "exponential: share of 20 ms");
	ok_near(r.share[6], 99.68, 0.02, "exponential: share of 1000 ms");
	/*
	 * The average over the ms from t is 1 - 0.8 exp(-t/4) a with a = 4 (1 - exp(-1/4)) =
	 * 0.8848. It is 0.95 for t = 4 ln(0.8 a / 0.05) = 10.60.
	 */
	ok_near(r.up_ms, 10.60, 0.03, "exponential: time to 95 %");
	ok_near(r.steady, 1000, 0.01, "exponential: steady");

	analyse(step, 0.02, 1500, &r);
	ok_near(r.share[0], 25, 0.01, "step: share of 5 ms");
	/* 10 of 50, then all of the last 10 */
	ok_near(r.share[3], 40, 0.01, "step: share of 50 ms");
	ok_near(r.share[4], 70, 0.01, "step: share of 100 ms");
	/* The average over the ms from t is 0.95 if 1/15 of that is slow: (1 - 1/15) after t */
	ok_near(r.up_ms, 40 - 1 / 15.0, 0.03, "step: time to 95 %");

	analyse(line, 0.02, 1500, &r);
	ok_near(r.share[0], 12.5, 0.01, "line: share of 5 ms");
	ok_near(r.share[2], 50, 0.01, "line: share of 20 ms");
	/* It is 0.95 at 19 ms, on average from half a ms before to half a ms after that. */
	ok_near(r.up_ms, 18.5, 0.03, "line: time to 95 %");

	/* Samples that are far apart, as on a slow machine: on a straight line between them */
	analyse(line, 0.5, 1500, &r);
	ok_near(r.share[0], 12.5, 0.1, "line, few samples: share of 5 ms");
	ok_near(r.up_ms, 18.5, 0.5, "line, few samples: time to 95 %");

	analyse(turbo, 0.02, 1500, &r);
	ok_near(r.share[0], 150, 0.01, "turbo: share of 5 ms");
	ok_near(r.share[5], 110, 0.01, "turbo: share of 500 ms");
	ok_near(r.up_ms, 0, 0, "turbo: time to 95 %");

	analyse(interrupted, 0.02, 1500, &r);
	ok_near(r.steady, 1000, 0.01, "others that run now and then do not change steady");
	ok_near(r.share[6], 70, 0.01, "but the shares");

	/* Points of the curve: throughput around that time */
	analyse(exponential, 0.02, 1500, &r);
	for (i = 1; i < NR_POINTS; i++)
		off = fmax(off, fabs(r.curve[i] - 100 + 80 * exp(-ramp_curve_time(i) / 4)));
	ok_near(off, 0, 0.6, "exponential: the curve");
}

static void limits(void)
{
	struct sample few[] = { { 0, 0 }, { 40000000, 4000 } };
	struct ramp r;

	analyse(step, 0.02, 60, &r);
	ok_near(r.share[3], 40, 0.01, "short: share of 50 ms");
	ok_near(r.share[4], NAN, 0, "short: no share of 100 ms");
	ok_near(r.curve[NR_POINTS - 1], NAN, 0, "short: no curve at its end");

	analyse(nothing, 0.02, 1500, &r);
	ok_near(r.steady, NAN, 0, "nothing done: no steady state");
	ok_near(r.up_ms, NAN, 0, "nothing done: never up to speed");

	ramp_analyse(few, 2, 1, &r);
	ok_near(r.steady, 0.1, 1e-9, "two samples: steady");
	ok_near(r.share[0], 100, 1e-9, "two samples: share");
	ramp_analyse(few, 1, 1, &r);
	ok_near(r.steady, NAN, 0, "one sample: nothing");
}

static void picking(void)
{
	struct ramp runs[] = { { .up_ms = 3 }, { .up_ms = 1 }, { .up_ms = 2 } };
	double *v = ramp_pick(runs, 3, offsetof(struct ramp, up_ms));

	ok(v[0] == 3 && v[1] == 1 && v[2] == 2, "one figure of all runs");
	free(v);
}

int main(void)
{
	constant();
	ramps();
	limits();
	picking();

	return ktap_end();
}
