/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of small samples. NaN in, NaN out; so is the result for samples that are too small.
 */
#ifndef CPUFREQ_EAS_STATS_H
#define CPUFREQ_EAS_STATS_H

/* Samples do not need to be sorted, and are not changed. */
double stats_median(const double *sample, int n);

/* Quantile between 0 and 1, by linear interpolation. */
double stats_quantile(const double *sample, int n, double q);

/* Half of the distance between the quartiles: the spread that goes with the median. */
double stats_spread(const double *sample, int n);

/* Of positive values. */
double stats_geomean(const double *sample, int n);

/*
 * stats_mann_whitney() - two-sided Mann-Whitney U test
 *
 * Exact distribution for samples without ties of up to 20 each, else the normal approximation
 * with corrections for ties and continuity.
 *
 * Return: the p-value.
 */
double stats_mann_whitney(const double *a, int na, const double *b, int nb);

#endif
