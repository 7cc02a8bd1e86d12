// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics against values that were worked out by hand, or published.
 */
#include "ktap.h"
#include "stats.h"

#define N(array) ((int)(sizeof(array) / sizeof(*(array))))

static void simple(void)
{
	static const double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };
	static const double ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 }, bad[] = { 1, NAN, 3 };
	static const double powers[] = { 1, 10, 100 }, zero[] = { 0, 1 }, same[] = { 4, 4, 4, 4 };
	static const double infinite[] = { 1, INFINITY, INFINITY };

	ok_near(stats_median(odd, 3), 2, 0, "median of an odd number");
	ok_near(stats_median(even, 4), 2.5, 0, "median of an even number");
	ok_near(stats_median(one, 1), 7, 0, "median of one");
	ok_near(stats_median(NULL, 0), NAN, 0, "median of none");
	ok_near(stats_median(bad, 3), NAN, 0, "median with a NaN");
	ok_near(stats_median(infinite, 3), INFINITY, 0, "median that is infinite");
	ok(odd[0] == 3 && odd[1] == 1, "the sample is not changed");

	/* R: quantile(1:10), type 7, which is documented as the default: 3.25 and 7.75 */
	ok_near(stats_quantile(ten, 10, 0.25), 3.25, 1e-12, "lower quartile of 1 to 10");
	ok_near(stats_quantile(ten, 10, 0.75), 7.75, 1e-12, "upper quartile of 1 to 10");
	ok_near(stats_quantile(ten, 10, 0), 1, 0, "quantile 0 is the smallest");
	ok_near(stats_quantile(ten, 10, 1), 10, 0, "quantile 1 is the largest");
	ok_near(stats_quantile(ten, 10, 1.1), NAN, 0, "no quantile 1.1");
	ok_near(stats_spread(ten, 10), 2.25, 1e-12, "spread of 1 to 10");
	ok_near(stats_spread(same, 4), 0, 0, "spread of the same");
	ok_near(stats_spread(one, 1), NAN, 0, "no spread of one");

	ok_near(stats_geomean(powers, 3), 10, 1e-12, "geometric mean of 1, 10, 100");
	ok_near(stats_geomean(zero, 2), NAN, 0, "no geometric mean with 0");
	ok_near(stats_geomean(NULL, 0), NAN, 0, "no geometric mean of none");
}

/*
 * Two samples of n each, without ties, whose U is as given, if that is at most n: all of a
 * are below all of b, but the largest of a exceeds the u smallest of b.
 */
static double p_of_u(int n, int u)
{
	double a[32], b[32];
	int i;

	for (i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 100 + i;
	}
	/* The largest ones of a go up until there is enough. */
	for (i = n - 1; u > 0; i--) {
		int up = u < n ? u : n;

		a[i] = 99.5 + up + 0.01 * i;
		u -= up;
	}

	return stats_mann_whitney(a, n, b, n);
}

static void mann_whitney(void)
{
	/* The example in SciPy's documentation of mannwhitneyu: exact p-value 1/9 */
	static const double males[] = { 19, 22, 16, 29, 24 }, females[] = { 20, 11, 17, 12 };
	static const double a3[] = { 1, 2, 3 }, b4[] = { 4, 5, 6, 7 };
	static const double ta[] = { 1, 2, 2, 3 }, tb[] = { 2, 3, 4, 4 };
	static const double same[] = { 5, 5, 5 }, bad[] = { 1, NAN };
	double a[21], b[21];
	int i;

	ok_near(stats_mann_whitney(males, 5, females, 4), 1 / 9.0, 1e-12, "SciPy's example");
	ok_near(stats_mann_whitney(females, 4, males, 5), 1 / 9.0, 1e-12, "the same, exchanged");

	/* One of C(7, 3) = 35 arrangements is that extreme, on each side. */
	ok_near(stats_mann_whitney(a3, 3, b4, 4), 2 / 35.0, 1e-12, "3 and 4 apart");
	/* U = 2 with 5 and 5: 1 + 1 + 2 of C(10, 5) = 252 arrangements have U of 0, 1, 2. */
	ok_near(p_of_u(5, 2), 2 * 4 / 252.0, 1e-12, "5 and 5, U = 2");
	/* U = 12 with 5 and 5 is as near to the mean, 12.5, as can be. */
	ok_near(p_of_u(5, 12), 1, 1e-12, "5 and 5, U = 12");

	/*
	 * Critical values of U, two-sided, as in the usual tables (Mann and Whitney 1947,
	 * Auble 1953), for 5 %: 8 and 8: 13, 10 and 10: 23, 15 and 15: 64, 20 and 20: 127;
	 * for 1 %: 10 and 10: 16, 20 and 20: 105
	 */
	ok(p_of_u(8, 13) <= 0.05 && p_of_u(8, 14) > 0.05, "table: 8 and 8, 5 %%");
	ok(p_of_u(10, 23) <= 0.05 && p_of_u(10, 24) > 0.05, "table: 10 and 10, 5 %%");
	ok(p_of_u(15, 64) <= 0.05 && p_of_u(15, 65) > 0.05, "table: 15 and 15, 5 %%");
	ok(p_of_u(20, 127) <= 0.05 && p_of_u(20, 128) > 0.05, "table: 20 and 20, 5 %%");
	ok(p_of_u(10, 16) <= 0.01 && p_of_u(10, 17) > 0.01, "table: 10 and 10, 1 %%");
	ok(p_of_u(20, 105) <= 0.01 && p_of_u(20, 106) > 0.01, "table: 20 and 20, 1 %%");

	/*
	 * Ranks with ties: 1; 3, 3, 3; 5.5, 5.5; 7.5, 7.5. Rank sum of a is 1 + 3 + 3 + 5.5 =
	 * 12.5, U is 12.5 - 10 = 2.5, its mean 8. Ties: (27 - 3) + (8 - 2) + (8 - 2) = 36;
	 * variance 16 / 12 * (9 - 36 / 56) = 78 / 7. z = (8 - 2.5 - 0.5) / sqrt(78 / 7) =
	 * 1.49786, and twice the tail of the normal distribution from there is 0.13417.
	 */
	ok_near(stats_mann_whitney(ta, 4, tb, 4), 0.13417, 1e-5, "with ties");
	ok_near(stats_mann_whitney(tb, 4, ta, 4), 0.13417, 1e-5, "with ties, exchanged");
	ok_near(stats_mann_whitney(same, 3, same, 3), 1, 0, "all the same");

	/*
	 * 21 and 21 apart: mean 220.5, variance 441 * 43 / 12 = 1580.25, z = 220 / 39.7524 =
	 * 5.53426, twice the tail is 3.1254e-8 (exact distribution: 2 / C(42, 21) = 3.7e-12,
	 * so this is the approximation).
	 */
	for (i = 0; i < 21; i++) {
		a[i] = i;
		b[i] = 100 + i;
	}
	ok_near(stats_mann_whitney(a, 21, b, 21), 3.1254e-8, 2e-11, "more than 20");

	ok_near(stats_mann_whitney(a, 0, b, 21), NAN, 0, "an empty sample");
	ok_near(stats_mann_whitney(a, 21, bad, 2), NAN, 0, "a NaN");
}

int main(void)
{
	simple();
	mann_whitney();

	return ktap_end();
}
