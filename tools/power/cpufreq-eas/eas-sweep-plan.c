// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sweep consists of, in which order it is run, and how long it takes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eas-sweep.h"
#include "util.h"

void sweep_add_test(struct sweep *sweep, const char *name, const char *command,
		    const struct load *load)
{
	sweep->test = xrealloc(sweep->test, (sweep->tests + 1) * sizeof(*sweep->test));
	sweep->test[sweep->tests++] = (struct test) {
		.name = xstrdup(name),
		.command = command ? xstrdup(command) : NULL,
		.load = load,
	};
}

void sweep_add_config(struct sweep *sweep, const char *name, const struct config *config)
{
	sweep->config = xrealloc(sweep->config, (sweep->configs + 1) * sizeof(*sweep->config));
	sweep->config[sweep->configs] = (struct setting) { .name = xstrdup(name) };
	if (config)
		sweep->config[sweep->configs].config = *config;
	sweep->configs++;
}

void sweep_add_sample(struct sweep *sweep, const struct sample *sample)
{
	/* Room grows in powers of two. */
	if (!(sweep->samples & (sweep->samples - 1)))
		sweep->sample = xrealloc(sweep->sample, (sweep->samples ? 2 * sweep->samples : 1) *
					 sizeof(*sweep->sample));
	sweep->sample[sweep->samples++] = *sample;
}

void sweep_free(struct sweep *sweep)
{
	int i;

	for (i = 0; i < sweep->tests; i++) {
		free(sweep->test[i].name);
		free(sweep->test[i].command);
	}
	for (i = 0; i < sweep->configs; i++)
		free(sweep->config[i].name);
	free(sweep->test);
	free(sweep->config);
	free(sweep->sample);
	free(sweep->machine);
}

int sweep_find_test(const struct sweep *sweep, const char *name)
{
	int i;

	for (i = 0; i < sweep->tests; i++)
		if (!strcmp(sweep->test[i].name, name))
			return i;

	return -1;
}

int sweep_find_config(const struct sweep *sweep, const char *name)
{
	int i;

	for (i = 0; i < sweep->configs; i++)
		if (!strcmp(sweep->config[i].name, name))
			return i;

	return -1;
}

const struct load *find_load(const char *name)
{
	const struct load *load;

	for (load = loads; load->name; load++)
		if (!strcmp(load->name, name))
			return load;

	return NULL;
}

/* ---- Order ------------------------------------------------------------------ */

/* SplitMix64: any state is a good one, so that seeds can be small numbers. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;

	return z ^ z >> 31;
}

/* Numbers below n in random order; to be freed */
static int *shuffled(int n, uint64_t *state)
{
	int *order = xcalloc(n, sizeof(*order)), i, j, swap;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n - 1; i > 0; i--) {
		j = next_random(state) % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}

	return order;
}

int plan_jobs(const struct sweep *sweep, struct job **jobs)
{
	size_t size = (size_t)sweep->rounds * sweep->configs * sweep->tests;
	bool *done = xcalloc(size, sizeof(*done));
	int round, c, t, i, number = 0, *configs, *tests;
	uint64_t state;

	for (i = 0; i < sweep->samples; i++) {
		const struct sample *s = &sweep->sample[i];

		if (s->round <= sweep->rounds)
			done[((size_t)(s->round - 1) * sweep->configs + s->config) *
			     sweep->tests + s->test] = true;
	}

	*jobs = xcalloc(size, sizeof(**jobs));
	for (round = 1; round <= sweep->rounds; round++) {
		/* Does not depend on the rounds before, so that there can be more rounds later. */
		state = sweep->seed;
		state = next_random(&state) + round;
		configs = shuffled(sweep->configs, &state);
		for (c = 0; c < sweep->configs; c++) {
			tests = shuffled(sweep->tests, &state);
			for (t = 0; t < sweep->tests; t++) {
				struct job job = { round, tests[t], configs[c] };

				if (!done[((size_t)(round - 1) * sweep->configs + job.config) *
					  sweep->tests + job.test])
					(*jobs)[number++] = job;
			}
			free(tests);
		}
		free(configs);
	}
	free(done);

	return number;
}

/* ---- Time -------------------------------------------------------------------- */

/* Mean of what this test took, in this configuration or (-1) in all; NaN if unknown */
static double mean_seconds(const struct sweep *sweep, int test, int config)
{
	double sum = 0;
	int i, n = 0;

	for (i = 0; i < sweep->samples; i++) {
		const struct sample *s = &sweep->sample[i];

		if (s->test != test || (config >= 0 && s->config != config))
			continue;
		if (isnan(s->seconds))
			continue;
		sum += s->seconds;
		n++;
	}

	return n ? sum / n : NAN;
}

double plan_seconds(const struct sweep *sweep, const struct job *jobs, int number,
		    double set_seconds, int *unknown)
{
	int cells = sweep->tests * sweep->configs, test, config, i;
	double *known = xcalloc(cells, sizeof(*known)), sum = 0;
	int last = -1;

	*unknown = -1;
	for (test = 0; test < sweep->tests; test++) {
		const struct load *load = sweep->test[test].load;
		double any = mean_seconds(sweep, test, -1);

		if (isnan(any) && load)
			any = load->seconds * sweep->scale;
		for (config = 0; config < sweep->configs; config++) {
			double this = mean_seconds(sweep, test, config);

			known[test * sweep->configs + config] = isnan(this) ? any : this;
		}
	}

	for (i = 0; i < number; i++) {
		double seconds = known[jobs[i].test * sweep->configs + jobs[i].config];

		if (isnan(seconds))
			*unknown = jobs[i].test;
		else
			sum += seconds;
		sum += sweep->pause;
		if (jobs[i].config != last)
			sum += set_seconds;
		last = jobs[i].config;
	}
	free(known);

	return sum;
}

char *format_time(double seconds)
{
	long long s = ceil(seconds);

	if (s >= 3600)
		return xasprintf("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);

	return xasprintf("%lld:%02lld", s / 60, s % 60);
}

int plan_rounds_needed(int comparisons)
{
	double p = 2;
	int n;

	/*
	 * The smallest p there is of n values each: all of one are below all of the other, one
	 * of 2n over n arrangements, on either side. Holm multiplies the smallest of all with
	 * the number of comparisons.
	 */
	for (n = 1; n < 1000; n++) {
		p *= (double)n / (2 * (2 * n - 1));
		if (p * comparisons < SIGNIFICANT)
			break;
	}

	return n;
}
