// SPDX-License-Identifier: GPL-2.0-only
/*
 * What samples say about a ramp.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eas-ramp.h"
#include "stats.h"
#include "util.h"

/* The last third of a run counts as steady; its throughput is the median of slices. */
#define STEADY_PART	(1 / 3.0)
#define SLICE_MS	10.0

const int ramp_windows[NR_WINDOWS] = { 5, 10, 20, 50, 100, 500, 1000 };

/* Where to look in the samples next: times that are asked for mostly ascend. */
struct cursor {
	const struct sample *sample;
	int n, at;
};

/* Count at a time, on a straight line between samples. */
static double count_at(struct cursor *c, double ms)
{
	const struct sample *s = c->sample;
	double ns = ms * 1e6;

	if (c->at && s[c->at].ns > ns)
		c->at = 0;
	while (c->at < c->n - 2 && s[c->at + 1].ns < ns)
		c->at++;
	s += c->at;

	return s[0].count + (ns - s[0].ns) / (s[1].ns - s[0].ns) * (s[1].count - s[0].count);
}

/* Counts per ms between two times */
static double rate(struct cursor *c, double begin_ms, double end_ms)
{
	double begin = count_at(c, begin_ms);

	return (count_at(c, end_ms) - begin) / (end_ms - begin_ms);
}

static double steady_rate(struct cursor *c, double end_ms)
{
	double begin = end_ms * (1 - STEADY_PART), median;
	int slices = fmax(1, floor((end_ms - begin) / SLICE_MS)), i;
	double *rates = xcalloc(slices, sizeof(*rates)), length = (end_ms - begin) / slices;

	for (i = 0; i < slices; i++)
		rates[i] = rate(c, begin + i * length, begin + (i + 1) * length);
	median = stats_median(rates, slices);
	free(rates);

	return median;
}

/* The first time from which on it is up to speed for as long as we look */
static double time_up(struct cursor *c, double end_ms, double wanted)
{
	struct cursor ahead = *c;
	int i;

	for (i = 0; i < c->n; i++) {
		double ms = c->sample[i].ns / 1e6;

		if (ms + LOOK_MS > end_ms)
			break;
		if (count_at(&ahead, ms + LOOK_MS) - c->sample[i].count >= wanted * LOOK_MS)
			return ms;
	}

	return NAN;
}

/* From 1 ms to 1 s, at the same distance on a logarithmic scale */
static double edge(int point)
{
	return pow(1000, point / (NR_POINTS - 1.0));
}

double ramp_curve_time(int point)
{
	/* The first one starts at 0, which has no logarithm. */
	return point ? sqrt(edge(point - 1) * edge(point)) : edge(0) / 2;
}

void ramp_analyse(const struct sample *sample, int n, double ops, struct ramp *ramp)
{
	struct cursor c = { .sample = sample, .n = n };
	double end, steady;
	int i;

	ramp->steady = ramp->up_ms = ramp->watts = ramp->joules = NAN;
	for (i = 0; i < NR_WINDOWS; i++)
		ramp->share[i] = NAN;
	for (i = 0; i < NR_POINTS; i++)
		ramp->curve[i] = NAN;
	if (n < 2)
		return;

	end = sample[n - 1].ns / 1e6;
	steady = steady_rate(&c, end);
	if (!(steady > 0))
		return;

	ramp->steady = steady * ops / 1e3;
	ramp->up_ms = time_up(&c, end, UP_TO_SPEED * steady);
	for (i = 0; i < NR_WINDOWS; i++)
		if (ramp_windows[i] <= end)
			ramp->share[i] = rate(&c, 0, ramp_windows[i]) / steady * 100;
	for (i = 0; i < NR_POINTS; i++)
		if (edge(i) <= end)
			ramp->curve[i] = rate(&c, i ? edge(i - 1) : 0, edge(i)) / steady * 100;
}

double *ramp_pick(const struct ramp *runs, int n, size_t offset)
{
	double *values = xcalloc(n, sizeof(*values));
	int i;

	for (i = 0; i < n; i++)
		memcpy(&values[i], (const char *)&runs[i] + offset, sizeof(*values));

	return values;
}
