// SPDX-License-Identifier: GPL-2.0-only
/*
 * From samples to medians, means and significance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eas-sweep.h"
#include "stats.h"
#include "util.h"

double sample_value(const struct sample *sample, enum metric metric)
{
	switch (metric) {
	case TIME:
		return sample->work;
	case LATENCY:
		return sample->mean;
	case LATENCY_P99:
		return sample->p99;
	case ENERGY:
		return sample->joules;
	default:
		return NAN;
	}
}

/* ---- Samples of one configuration -------------------------------------------------- */

/* Values that count; to be freed. */
static double *get_values(const struct sweep *sweep, int test, int config, enum metric metric,
			  int *number)
{
	double *values = xcalloc(sweep->rounds, sizeof(*values));
	int i;

	*number = 0;
	for (i = 0; i < sweep->samples && *number < sweep->rounds; i++) {
		const struct sample *s = &sweep->sample[i];
		double value = sample_value(s, metric);

		if (s->test == test && s->config == config && s->status == RUN_OK &&
		    !isnan(value))
			values[(*number)++] = value;
	}

	return values;
}

static double median_watts(const struct sweep *sweep, int test, int config)
{
	double *watts = xcalloc(sweep->rounds, sizeof(*watts)), median;
	int i, n = 0;

	for (i = 0; i < sweep->samples && n < sweep->rounds; i++) {
		const struct sample *s = &sweep->sample[i];

		if (s->test == test && s->config == config && s->status == RUN_OK &&
		    !isnan(s->joules) && s->seconds > 0)
			watts[n++] = s->joules / s->seconds;
	}
	median = stats_median(watts, n);
	free(watts);

	return median;
}

/* How many runs do not count, and why the first of them does not */
static int count_bad(const struct sweep *sweep, int test, int config, enum status *status)
{
	int i, bad = 0;

	for (i = 0; i < sweep->samples; i++) {
		const struct sample *s = &sweep->sample[i];

		if (s->test == test && s->config == config && s->status != RUN_OK && !bad++)
			*status = s->status;
	}

	return bad;
}

static void fill_cell(const struct sweep *sweep, const struct block *block, int config,
		      int reference)
{
	struct cell *cell = &block->cell[config];
	double *values, *others;
	enum status ignored;
	int n;

	values = get_values(sweep, block->test, config, block->metric, &cell->n);
	cell->bad = count_bad(sweep, block->test, config, &cell->status);
	cell->median = stats_median(values, cell->n);
	cell->spread = stats_spread(values, cell->n);
	cell->watts = block->metric == ENERGY ? median_watts(sweep, block->test, config) : NAN;
	cell->p = NAN;
	/* Runs that have failed may be those that would have been slow. */
	if (config != reference && !cell->bad &&
	    !count_bad(sweep, block->test, reference, &ignored)) {
		others = get_values(sweep, block->test, reference, block->metric, &n);
		if (cell->n && n)
			cell->p = stats_mann_whitney(values, cell->n, others, n);
		free(others);
	}
	free(values);
}

/* ---- Significance -------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

void holm(double *p, int number)
{
	double **sorted = xcalloc(number, sizeof(*sorted)), largest = 0;
	int i, n = 0;

	for (i = 0; i < number; i++)
		if (!isnan(p[i]))
			sorted[n++] = &p[i];
	qsort(sorted, n, sizeof(*sorted), compare);

	/* The smallest times n, the next times n - 1, but never less than one before it */
	for (i = 0; i < n; i++) {
		largest = fmax(largest, fmin(1, *sorted[i] * (n - i)));
		*sorted[i] = largest;
	}
	free(sorted);
}

/* Correct for all comparisons of energy, or of everything else. Return: how many. */
static int correct(const struct sweep *sweep, struct results *results, bool energy)
{
	double *p = xcalloc(results->blocks * sweep->configs, sizeof(*p));
	int i, c, n = 0, number;

	for (i = 0; i < results->blocks; i++)
		for (c = 0; (results->block[i].metric == ENERGY) == energy && c < sweep->configs; c++)
			if (!isnan(results->block[i].cell[c].p))
				p[n++] = results->block[i].cell[c].p;
	number = n;
	holm(p, n);

	n = 0;
	for (i = 0; i < results->blocks; i++)
		for (c = 0; (results->block[i].metric == ENERGY) == energy && c < sweep->configs; c++)
			if (!isnan(results->block[i].cell[c].p))
				results->block[i].cell[c].p = p[n++];
	free(p);

	return number;
}

/* ---- Means over all tests ------------------------------------------------------------ */

/* What goes into the mean: one metric of each test */
static bool is_main(const struct block *block, bool energy)
{
	return energy ? block->metric == ENERGY :
			block->metric == TIME || block->metric == LATENCY;
}

static bool is_usable(const struct cell *cell)
{
	return cell->n && !cell->bad && cell->median > 0;
}

/* Has this configuration worked in any test? If not, it is no reason to leave tests out. */
static bool has_worked(const struct results *results, int config, bool energy)
{
	int i;

	for (i = 0; i < results->blocks; i++)
		if (is_main(&results->block[i], energy) && is_usable(&results->block[i].cell[config]))
			return true;

	return false;
}

/*
 * A test that has failed in one configuration is left out of all means: they would not be
 * means over the same tests, and could not be compared.
 */
static double *get_means(const struct sweep *sweep, const struct results *results, bool energy,
			 int *tests)
{
	double *means = xcalloc(sweep->configs, sizeof(*means));
	double *ratio = xcalloc(results->blocks, sizeof(*ratio));
	bool *use = xcalloc(results->blocks, sizeof(*use));
	int i, c, n;

	*tests = 0;
	for (i = 0; i < results->blocks; i++) {
		use[i] = is_main(&results->block[i], energy);
		for (c = 0; c < sweep->configs; c++)
			if (has_worked(results, c, energy) &&
			    !is_usable(&results->block[i].cell[c]))
				use[i] = false;
		*tests += use[i];
	}

	for (c = 0; c < sweep->configs; c++) {
		n = 0;
		for (i = 0; i < results->blocks; i++)
			if (use[i] && has_worked(results, c, energy) &&
			    has_worked(results, results->reference, energy))
				ratio[n++] = results->block[i].cell[c].median /
					     results->block[i].cell[results->reference].median;
		means[c] = n ? stats_geomean(ratio, n) : NAN;
	}
	free(ratio);
	free(use);

	return means;
}

static void add_block(const struct sweep *sweep, struct results *results, int test,
		      enum metric metric)
{
	struct block *block;
	int c;

	results->block = xrealloc(results->block, (results->blocks + 1) * sizeof(*block));
	block = &results->block[results->blocks++];
	*block = (struct block) {
		.test = test,
		.metric = metric,
		.cell = xcalloc(sweep->configs, sizeof(*block->cell)),
	};
	for (c = 0; c < sweep->configs; c++)
		fill_cell(sweep, block, c, results->reference);
}

/* Is there anything of this in the samples? */
static bool measured(const struct sweep *sweep, int test, enum metric metric)
{
	int i;

	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].test == test &&
		    !isnan(sample_value(&sweep->sample[i], metric)))
			return true;

	return false;
}

struct results *results_get(const struct sweep *sweep, int reference)
{
	struct results *results = xcalloc(1, sizeof(*results));
	int test;

	results->reference = reference;
	for (test = 0; test < sweep->tests; test++) {
		const struct load *load = sweep->test[test].load;

		/* There is a block even if all have failed: it says so. */
		add_block(sweep, results, test, load && load->latency ? LATENCY : TIME);
		if (measured(sweep, test, LATENCY_P99))
			add_block(sweep, results, test, LATENCY_P99);
		if (measured(sweep, test, ENERGY))
			add_block(sweep, results, test, ENERGY);
	}
	results->time_comparisons = correct(sweep, results, false);
	results->energy_comparisons = correct(sweep, results, true);
	results->time = get_means(sweep, results, false, &results->time_tests);
	results->energy = get_means(sweep, results, true, &results->energy_tests);

	return results;
}

void results_free(struct results *results)
{
	int i;

	for (i = 0; i < results->blocks; i++)
		free(results->block[i].cell);
	free(results->block);
	free(results->time);
	free(results->energy);
	free(results);
}
