// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of small samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "util.h"

/* Up to this size, the distribution of U is counted out. C(40, 20) is exact in a double. */
#define MAX_EXACT	20

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A sorted copy, or NULL if the sample is empty or has a NaN. */
static double *sorted(const double *sample, int n)
{
	double *copy;
	int i;

	if (n < 1)
		return NULL;
	for (i = 0; i < n; i++)
		if (isnan(sample[i]))
			return NULL;

	copy = xcalloc(n, sizeof(*copy));
	memcpy(copy, sample, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare);

	return copy;
}

double stats_quantile(const double *sample, int n, double q)
{
	double *copy, at, result;
	int below;

	if (!(q >= 0 && q <= 1))
		return NAN;
	copy = sorted(sample, n);
	if (!copy)
		return NAN;

	at = q * (n - 1);
	below = floor(at);
	result = copy[below];
	/* Not with a weight of 0: 0 times infinity is not a number. */
	if (at > below)
		result += (at - below) * (copy[below + 1] - copy[below]);
	free(copy);

	return result;
}

double stats_median(const double *sample, int n)
{
	return stats_quantile(sample, n, 0.5);
}

double stats_spread(const double *sample, int n)
{
	if (n < 2)
		return NAN;

	return (stats_quantile(sample, n, 0.75) - stats_quantile(sample, n, 0.25)) / 2;
}

double stats_geomean(const double *sample, int n)
{
	double sum = 0;
	int i;

	if (n < 1)
		return NAN;
	for (i = 0; i < n; i++) {
		if (!(sample[i] > 0))
			return NAN;
		sum += log(sample[i]);
	}

	return exp(sum / n);
}

/*
 * P(U <= u) if there are no ties and the null hypothesis holds
 *
 * The largest of all values is in sample a or in sample b. If it is in a, it exceeds all nb
 * values of b and adds nb to U. So the number of arrangements of na and nb values that have
 * U = u is N(na, nb, u) = N(na - 1, nb, u - nb) + N(na, nb - 1, u).
 */
static double exact(int na, int nb, int u)
{
	int umax = na * nb, a, b, i;
	/* ways[b][i]: N(a, b, i) for the present a */
	double (*ways)[MAX_EXACT * MAX_EXACT + 1] = xcalloc(nb + 1, sizeof(*ways));
	double all = 0, below = 0;

	for (b = 0; b <= nb; b++)
		ways[b][0] = 1;
	for (a = 1; a <= na; a++) {
		/* b = 0 stays as it is: one arrangement, U is 0. */
		for (b = 1; b <= nb; b++) {
			/* Downwards, as ways[b][i - b] still has to be that of a - 1. */
			for (i = umax; i >= 0; i--)
				ways[b][i] = (i >= b ? ways[b][i - b] : 0) + ways[b - 1][i];
		}
	}
	for (i = 0; i <= umax; i++) {
		all += ways[nb][i];
		if (i <= u)
			below += ways[nb][i];
	}
	free(ways);

	return below / all;
}

struct value {
	double value;
	bool in_a;
};

static int compare_values(const void *a, const void *b)
{
	return compare(&((const struct value *)a)->value, &((const struct value *)b)->value);
}

double stats_mann_whitney(const double *a, int na, const double *b, int nb)
{
	double rank_sum = 0, ties = 0, u, mean, variance, z, n = (double)na + nb;
	struct value *all;
	int i, j, k;

	if (na < 1 || nb < 1)
		return NAN;
	for (i = 0; i < na; i++)
		if (isnan(a[i]))
			return NAN;
	for (i = 0; i < nb; i++)
		if (isnan(b[i]))
			return NAN;

	all = xcalloc(na + nb, sizeof(*all));
	for (i = 0; i < na; i++)
		all[i] = (struct value){ a[i], true };
	for (i = 0; i < nb; i++)
		all[na + i] = (struct value){ b[i], false };
	qsort(all, na + nb, sizeof(*all), compare_values);

	/* Values that are the same share the mean of their ranks. */
	for (i = 0; i < na + nb; i = j) {
		double same;

		for (j = i; j < na + nb && all[j].value == all[i].value; j++)
			;
		same = j - i;
		ties += same * same * same - same;
		for (k = i; k < j; k++)
			if (all[k].in_a)
				rank_sum += (i + 1 + j) / 2.0;
	}
	free(all);

	u = rank_sum - na * (na + 1.0) / 2;
	mean = (double)na * nb / 2;
	if (u > mean)
		u = 2 * mean - u;

	if (!ties && na <= MAX_EXACT && nb <= MAX_EXACT)
		return fmin(1, 2 * exact(na, nb, u));

	variance = (double)na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
	if (variance <= 0)
		return 1;
	z = fmax(0, mean - u - 0.5) / sqrt(variance);

	return erfc(z / sqrt(2));
}
