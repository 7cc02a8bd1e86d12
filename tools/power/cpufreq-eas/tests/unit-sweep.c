// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unit tests of eas-sweep: order, state file, statistics, bars, and runs of commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "eas-sweep.h"
#include "ktap.h"
#include "util.h"

/* ---- Sweeps to test with ------------------------------------------------------------------ */

static struct sweep *new_sweep(int tests, int configs, int rounds)
{
	struct sweep *sweep = xcalloc(1, sizeof(*sweep));
	char name[16];
	int i;

	sweep->machine = xstrdup("a machine");
	sweep->seed = 1;
	sweep->scale = 1;
	sweep->pause = 2;
	sweep->rounds = rounds;
	for (i = 0; i < tests; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		sweep_add_test(sweep, name, "true", NULL);
	}
	for (i = 0; i < configs; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		sweep_add_config(sweep, name, NULL);
	}

	return sweep;
}

static void add(struct sweep *sweep, int round, int test, int config, double seconds)
{
	struct sample sample = { round, test, config, RUN_OK, seconds, NAN, seconds, NAN, NAN };

	sweep_add_sample(sweep, &sample);
}

static void free_sweep(struct sweep *sweep)
{
	sweep_free(sweep);
	free(sweep);
}

/* ---- Holm --------------------------------------------------------------------------------- */

static void test_holm(void)
{
	double p[] = { 0.03, 0.01, NAN, 0.04, 0.005 };
	double one[] = { 0.04 }, large[] = { 0.9, 0.6, 0.7 }, same[] = { 0.01, 0.01, 0.01 };

	holm(p, 5);
	/* 0.005 * 4; 0.01 * 3; 0.03 * 2; 0.04 * 1, which is less than the one before */
	ok_near(p[4], 0.02, 1e-12, "holm: the smallest is multiplied with the number");
	ok_near(p[1], 0.03, 1e-12, "holm: the next one with one less");
	ok_near(p[0], 0.06, 1e-12, "holm: the third one with two less");
	ok_near(p[3], 0.06, 1e-12, "holm: never below the one before");
	ok(isnan(p[2]), "holm: NaN stays and is not counted");
	holm(one, 1);
	ok_near(one[0], 0.04, 0, "holm: a single one is not changed");
	holm(large, 3);
	ok(large[0] == 1 && large[1] == 1 && large[2] == 1, "holm: at most 1");
	holm(same, 3);
	ok(fabs(same[0] - 0.03) < 1e-12 && same[0] == same[1] && same[1] == same[2],
	   "holm: the same for the same");
}

/* ---- Order -------------------------------------------------------------------------------- */

static bool same_jobs(const struct job *a, const struct job *b, int number)
{
	return !memcmp(a, b, number * sizeof(*a));
}

/* Is every combination there once in each round, all tests of a configuration together? */
static bool complete(const struct sweep *sweep, const struct job *jobs, int number)
{
	int rounds = sweep->rounds, tests = sweep->tests, configs = sweep->configs, i;
	char *seen = xcalloc(rounds * tests * configs, 1);
	bool good = number == rounds * tests * configs;

	for (i = 0; i < number && good; i++) {
		const struct job *j = &jobs[i];
		char *s = &seen[((j->round - 1) * configs + j->config) * tests + j->test];

		if (j->round != 1 + i / (tests * configs) || *s)
			good = false;
		*s = 1;
		if (i % tests && j->config != jobs[i - 1].config)
			good = false;
	}
	free(seen);

	return good;
}

/* Over many rounds, each configuration is at each place about as often. */
static void test_fairness(void)
{
	struct sweep *sweep = new_sweep(1, 4, 1000);
	int at[4][4] = { 0 }, n, i, j;
	struct job *jobs;
	bool fair = true;

	n = plan_jobs(sweep, &jobs);
	for (i = 0; i < n; i++)
		at[i % 4][jobs[i].config]++;
	/* 250 are expected with a standard deviation of 13.7, so that is 5 of these. */
	for (i = 0; i < 4; i++)
		for (j = 0; j < 4; j++)
			fair = fair && abs(at[i][j] - 250) < 69;
	ok(fair, "order: no configuration is preferred at any place");
	free(jobs);
	free_sweep(sweep);
}

static void test_order(void)
{
	struct sweep *sweep = new_sweep(3, 5, 4), *other = new_sweep(3, 5, 4);
	int n, m, i, j, differ = 0;
	struct job *jobs, *more;

	n = plan_jobs(sweep, &jobs);
	ok(complete(sweep, jobs, n), "order: all in each round, tests of a configuration together");
	plan_jobs(other, &more);
	ok(same_jobs(jobs, more, n), "order: the same with the same seed");
	free(more);
	other->seed = 2;
	plan_jobs(other, &more);
	ok(complete(other, more, n) && !same_jobs(jobs, more, n), "order: another with another seed");
	free(more);
	for (i = 0; i < 3; i++)
		for (j = 0; j < 15; j++)
			if (jobs[i * 15 + j].config != jobs[45 + j].config) {
				differ++;
				break;
			}
	ok(differ == 3, "order: another in each round");

	other->seed = 1;
	other->rounds = 6;
	m = plan_jobs(other, &more);
	ok(m == 90 && same_jobs(jobs, more, n), "order: more rounds do not change those before");
	free(more);

	/* Some runs in the middle are there already. */
	for (i = 10; i < 30; i += 2)
		add(sweep, jobs[i].round, jobs[i].test, jobs[i].config, 1);
	m = plan_jobs(sweep, &more);
	for (i = 0, j = 0; i < n; i++) {
		if (i >= 10 && i < 30 && !(i % 2))
			continue;
		if (j < m && same_jobs(&jobs[i], &more[j], 1))
			j++;
	}
	ok(m == n - 10 && j == m, "order: what is there is left out, the rest stays in order");
	free(more);
	free(jobs);
	free_sweep(sweep);
	free_sweep(other);
	test_fairness();
}

/* ---- Time left ---------------------------------------------------------------------------- */

static void test_time(void)
{
	/* Pauses of 2 s; setting takes 3 s */
	struct sweep *sweep = new_sweep(2, 2, 2);
	struct job jobs[] = { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 1, 0, 1 } };
	int unknown, n, i;
	char *text;
	static const struct { double seconds; const char *text; } times[] = {
		{ 0, "0:00" }, { 0.2, "0:01" }, { 59.5, "1:00" }, { 61, "1:01" },
		{ 3599.1, "1:00:00" }, { 3600 * 26 + 61, "26:01:01" },
	};
	static const struct { int comparisons, rounds; } needed[] = {
		/* 2 / C(2n, n): 0.1, 0.0286, 0.0079, 0.0022, 0.00058, 0.00016 */
		{ 1, 4 }, { 2, 5 }, { 6, 5 }, { 7, 6 }, { 23, 6 }, { 24, 7 }, { 86, 8 },
	};

	plan_seconds(sweep, jobs, 4, 3, &unknown);
	ok(unknown >= 0, "time: unknown before the first run of a command");
	add(sweep, 1, 0, 0, 10);
	plan_seconds(sweep, jobs + 1, 3, 3, &unknown);
	ok(unknown == 1, "time: says which test is unknown");
	add(sweep, 1, 1, 0, 20);
	/* No figures of configuration 1 yet: 3 + 2 + 20, 2 + 10 */
	ok_near(plan_seconds(sweep, jobs + 2, 2, 3, &unknown), 37, 1e-9,
		"time: from other configurations");
	ok(unknown < 0, "time: known");
	add(sweep, 1, 1, 1, 50);
	add(sweep, 2, 1, 1, 70);
	/* 3 + 2 + 60, 2 + 10 */
	ok_near(plan_seconds(sweep, jobs + 2, 2, 3, &unknown), 77, 1e-9,
		"time: from the same configuration, mean");
	ok_near(plan_seconds(sweep, jobs, 4, 3, &unknown), 5 + 10 + 2 + 20 + 77, 1e-9,
		"time: a setting for each change of configuration");
	ok_near(plan_seconds(sweep, jobs, 0, 3, &unknown), 0, 0, "time: nothing left");
	free_sweep(sweep);

	sweep = new_sweep(0, 1, 1);
	sweep->scale = 2;
	sweep_add_test(sweep, "burst", NULL, find_load("burst"));
	ok_near(plan_seconds(sweep, jobs, 1, 0, &unknown), 2 + 2 * find_load("burst")->seconds, 1e-9,
		"time: built-in loads by their scale");
	ok(unknown < 0, "time: built-in loads are known");
	free_sweep(sweep);

	for (i = 0, n = 0; i < 6; i++) {
		text = format_time(times[i].seconds);
		n += !strcmp(text, times[i].text);
		free(text);
	}
	ok(n == 6, "time: how it is shown");
	for (i = 0, n = 0; i < 7; i++)
		n += plan_rounds_needed(needed[i].comparisons) == needed[i].rounds;
	ok(n == 7, "time: rounds that are needed");
}

/* ---- State file --------------------------------------------------------------------------- */

static struct sweep *file_sweep(void)
{
	struct sweep *sweep = new_sweep(1, 2, 3);

	sweep->seed = 1234567890123;
	sweep->scale = 0.1;
	sweep_add_test(sweep, "odd", "echo 'a\\nb' \\\n x", NULL);
	sweep_add_test(sweep, "burst", NULL, find_load("burst"));
	sweep_add_sample(sweep, &(struct sample) { 1, 0, 1, RUN_OK, 1.5, 20.25, 1.5, NAN, NAN });
	sweep_add_sample(sweep, &(struct sample) { 1, 1, 0, RUN_FAILED, 0.5, NAN, 0.5, NAN, NAN });
	sweep_add_sample(sweep, &(struct sample) { 2, 2, 1, RUN_DISTURBED, 3, 4, 0.123456789,
						   0.001, 0.0025 });
	sweep_add_sample(sweep, &(struct sample) { 3, 0, 0, RUN_UNSET, NAN, NAN, NAN, NAN, NAN });

	return sweep;
}

static char *format_all(const struct sweep *sweep)
{
	char *text = file_format_header(sweep), *line;
	int i;

	for (i = 0; i < sweep->samples; i++) {
		line = file_format_sample(sweep, &sweep->sample[i]);
		text = xrealloc(text, strlen(text) + strlen(line) + 1);
		strcat(text, line);
		free(line);
	}

	return text;
}

/* What is wrong with that text, NULL if nothing is; *samples and *length if they are not NULL */
static char *parse(const char *text, size_t size, int *samples, size_t *length)
{
	char *copy = xcalloc(size + 1, 1), *problem;
	struct sweep sweep = { 0 };

	memcpy(copy, text, size);
	problem = file_parse(copy, &size, &sweep);
	if (samples)
		*samples = sweep.samples;
	if (length)
		*length = size;
	free(copy);
	sweep_free(&sweep);

	return problem;
}

static bool is_problem(const char *text, const char *expected)
{
	char *problem = parse(text, strlen(text), NULL, NULL);
	bool same = problem && strstr(problem, expected);

	if (!same)
		printf("# '%s', should have '%s'\n", problem ?: "(none)", expected);
	free(problem);

	return same;
}

/* The text with one part of it replaced, which must be there */
static char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);

	if (!at)
		die(EXIT_FAILED, "there is no '%s' in the text", old);

	return xasprintf("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

static bool is_problem_with(const char *text, const char *old, const char *new,
			    const char *expected)
{
	char *changed = replaced(text, old, new);
	bool same = is_problem(changed, expected);

	free(changed);

	return same;
}

static bool same_number(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-8 * fabs(a);
}

static void test_file(void)
{
	struct sweep *sweep = file_sweep(), copy = { 0 };
	char *text = format_all(sweep), *again, *problem, *broken;
	size_t length = strlen(text), size, last, body, torn = 0;
	int i, n, good = 0;

	size = length;
	again = xstrdup(text);
	problem = file_parse(again, &size, &copy);
	ok(!problem && size == length, "file: can be read");
	ok(copy.tests == 3 && copy.configs == 2 && copy.rounds == 3 && copy.samples == 4 &&
	   copy.seed == sweep->seed && copy.scale == 0.1 && copy.pause == 2,
	   "file: has all of it");
	ok_string(copy.test[1].command, sweep->test[1].command, "file: newlines and backslashes");
	ok(copy.test[2].load == find_load("burst") && !copy.test[2].command,
	   "file: a built-in load");
	for (i = 0; i < 4; i++) {
		struct sample *a = &sweep->sample[i], *b = &copy.sample[i];

		good += a->round == b->round && a->test == b->test && a->config == b->config &&
			a->status == b->status && same_number(a->seconds, b->seconds) &&
			same_number(a->joules, b->joules) && same_number(a->work, b->work) &&
			same_number(a->mean, b->mean) && same_number(a->p99, b->p99);
	}
	ok(good == 4, "file: samples are the same");
	free(again);
	again = format_all(&copy);
	ok_string(again, text, "file: written again, it is the same");
	free(again);
	sweep_free(&copy);

	/* Torn at any place of the last line, or filled up with zeros */
	last = (char *)memrchr(text, '\n', length - 1) + 1 - text;
	for (size = last; size < length; size++) {
		problem = parse(text, size, &n, &body);
		torn += !problem && n == 3 && body == last;
		free(problem);
		again = xcalloc(length + 100, 1);
		memcpy(again, text, size);
		problem = parse(again, size + 100, &n, &body);
		torn += !problem && n == 3 && body == last;
		free(problem);
		free(again);
	}
	ok(torn == 2 * (length - last), "file: a torn last line does not count");
	/* Torn earlier, it is of no use, up to the line with the number of rounds. */
	body = strstr(text, "\nrounds 3\n") + strlen("\nrounds 3\n") - text;
	for (size = 0, torn = 0; size < body; size++) {
		problem = parse(text, size, NULL, NULL);
		torn += problem && strstr(problem, "not complete");
		free(problem);
	}
	ok(torn == body, "file: torn before the first result, it is not complete");

	ok(is_problem_with(text, "state 1", "state 2", "another version"), "file: another version");
	ok(is_problem_with(text, "eas-sweep", "EAS-sweep", "not a state file"),
	   "file: something else");
	ok(is_problem_with(text, "scale 0.1", "scale 0.2", "line 11"),
	   "file: the fingerprint does not fit any more");
	ok(is_problem_with(text, "seed 1234567890123", "seed x", "line 3"), "file: not a number");
	ok(is_problem_with(text, "builtin burst", "builtin bursts", "line 8"),
	   "file: no such built-in load");
	ok(is_problem_with(text, "run 1 t0 c1", "run 1 t7 c1", "line 13: remove that line"),
	   "file: no such test");
	ok(is_problem_with(text, "run 1 t0 c1", "run 1 t0 c2", "line 13"),
	   "file: no such configuration");
	ok(is_problem_with(text, "run 1 t0 c1", "run 4 t0 c1", "line 13"), "file: no such round");
	ok(is_problem_with(text, "run 1 t0 c1", "run 0 t0 c1", "line 13"), "file: round 0");
	ok(is_problem_with(text, "c1 ok", "c1 fine", "line 13"), "file: no such status");
	ok(is_problem_with(text, "20.25", "20.2.5", "line 13"), "file: a number that is none");
	ok(is_problem_with(text, "20.25", "inf", "line 13"), "file: an infinite number");
	ok(is_problem_with(text, "20.25", "20.25 1", "line 13"), "file: a number too many");
	ok(is_problem_with(text, "20.25 ", "", "line 13"), "file: a number too few");
	ok(is_problem_with(text, "run 1 odd c0", "run 1 t0 c1", "line 14"), "file: a run twice");
	ok(is_problem_with(text, "rounds 3", "rounds 0", "line 12"), "file: no rounds");
	ok(is_problem_with(text, "rounds 3", "run", "line 12"), "file: results before rounds");
	/* Up to the zero, it is a line that is all right. */
	broken = replaced(text, "- -\nrun 1 odd", "- -@\nrun 1 odd");
	*strchr(broken, '@') = '\0';
	problem = parse(broken, length + 1, NULL, NULL);
	ok(problem && strstr(problem, "line 13"), "file: a zero in the middle");
	free(problem);
	free(broken);
	again = replaced(text, "run 2", "rounds 5\nrun 5");
	problem = parse(again, strlen(again), &n, NULL);
	ok(!problem && n == 4, "file: more rounds later");
	free(problem);
	free(again);
	free(text);
	free_sweep(sweep);
}

static void test_file_on_disk(void)
{
	struct sweep *sweep = file_sweep(), copy = { 0 };
	char *path = xasprintf("/tmp/unit-sweep.%d", getpid()), *text, *expected;
	int fd, i;

	fd = file_create(path, sweep);
	for (i = 0; i < 2; i++)
		file_append(fd, path, sweep, &sweep->sample[i]);
	/* Longer than what comes in its place */
	dprintf(fd, "run 2 burst c1 ok %0300d", 3);
	close(fd);

	fd = file_load(path, &copy);
	ok(copy.samples == 2, "file: a torn line on the disk does not count");
	for (i = 2; i < 4; i++)
		file_append(fd, path, &copy, &sweep->sample[i]);
	file_append_rounds(fd, path, 7);
	close(fd);
	sweep_free(&copy);

	text = read_file("%s", path);
	expected = format_all(sweep);
	expected = xrealloc(expected, strlen(expected) + 20);
	strcat(expected, "rounds 7");
	ok_string(text, expected, "file: what comes later takes the place of a torn line");
	unlink(path);
	free(path);
	free(text);
	free(expected);
	free_sweep(sweep);
}

/* ---- Results ------------------------------------------------------------------------------ */

/* Five rounds of three tests; configuration 1 takes half, 2 and 8 times as long as 0. */
static struct sweep *result_sweep(void)
{
	static const double base[] = { 10, 1, 0.1 }, factor[] = { 0.5, 2, 8 };
	struct sweep *sweep = new_sweep(3, 3, 5);
	int round, t;

	for (round = 1; round <= 5; round++) {
		for (t = 0; t < 3; t++) {
			double noise = 1 + 0.01 * round;

			add(sweep, round, t, 0, base[t] * noise);
			add(sweep, round, t, 1, base[t] * noise * factor[t]);
			/* As good as the same, some more and some less */
			add(sweep, round, t, 2, base[t] * (noise + (round % 2 ? 0.001 : -0.001)));
		}
	}

	return sweep;
}

static void test_results(void)
{
	struct sweep *sweep = result_sweep();
	struct results *r = results_get(sweep, 0);
	int i;

	ok(r->blocks == 3 && r->time_comparisons == 6 && !r->energy_comparisons,
	   "results: a block for each test, two comparisons in each");
	ok_near(r->block[1].cell[0].median, 1.03, 1e-9, "results: median");
	/* Two of 252 arrangements, six comparisons: 0.048 */
	ok_near(r->block[0].cell[1].p, 6 * 2 / 252.0, 1e-6, "results: p is corrected");
	ok(r->block[0].cell[2].p > 0.5, "results: no difference, no small p");
	ok(isnan(r->block[0].cell[0].p), "results: the reference is not compared with itself");
	/* The cube root of 0.5 * 2 * 8 */
	ok_near(r->time[1], 2, 1e-9, "results: geometric mean of ratios");
	ok_near(r->time[0], 1, 1e-12, "results: the reference is 1");
	results_free(r);
	r = results_get(sweep, 1);
	ok_near(r->time[0], 0.5, 1e-9, "results: relative to another reference");
	results_free(r);

	/* One failure: this test is not used in any mean. */
	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].test == 2 && sweep->sample[i].config == 2 &&
		    sweep->sample[i].round == 3)
			sweep->sample[i].status = RUN_FAILED;
	r = results_get(sweep, 0);
	ok(r->time_tests == 2 && fabs(r->time[1] - 1) < 1e-9,
	   "results: a test that has failed once is not used in means");
	ok(r->block[2].cell[2].bad == 1 && r->block[2].cell[2].status == RUN_FAILED &&
	   isnan(r->block[2].cell[2].p), "results: nor compared");
	ok(r->time_comparisons == 5, "results: nor counted as a comparison");
	results_free(r);

	/* A configuration that cannot be set is no reason to do without all tests. */
	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].config == 2)
			sweep->sample[i].status = RUN_UNSET;
	r = results_get(sweep, 0);
	ok(r->time_tests == 3 && fabs(r->time[1] - 2) < 1e-9 && isnan(r->time[2]),
	   "results: a configuration that never works is left out itself");
	results_free(r);
	r = results_get(sweep, 2);
	ok(isnan(r->time[0]) && isnan(r->time[1]), "results: no means without a reference");
	results_free(r);

	/* Energy has its own comparisons. */
	for (i = 0; i < sweep->samples; i++) {
		sweep->sample[i].status = RUN_OK;
		if (sweep->sample[i].test == 0)
			sweep->sample[i].joules = 4 * sweep->sample[i].seconds;
	}
	r = results_get(sweep, 0);
	ok(r->blocks == 4 && r->block[1].metric == ENERGY && r->time_comparisons == 6 &&
	   r->energy_comparisons == 2, "results: energy is another family of comparisons");
	ok_near(r->block[1].cell[0].watts, 4, 1e-9, "results: average power");
	ok(r->energy_tests == 1 && fabs(r->energy[1] - 0.5) < 1e-9, "results: mean of energy");
	results_free(r);
	free_sweep(sweep);
}

/* ---- Bars --------------------------------------------------------------------------------- */

static bool is_bar(double value, double max, int width, bool utf8, const char *expected)
{
	char *string = bar_format(value, max, width, utf8);
	bool same = !strcmp(string, expected);

	if (!same)
		printf("# '%s', should be '%s'\n", string, expected);
	free(string);

	return same;
}

static void test_bars(void)
{
	struct sweep *sweep = result_sweep();
	struct results *results = results_get(sweep, 0);
	struct bars *bars;
	int n, i;

	ok(is_bar(4, 4, 4, false, "===="), "bars: the largest fills the width");
	ok(is_bar(2, 4, 4, false, "=="), "bars: half of it");
	ok(is_bar(1e-9, 4, 4, false, "="), "bars: something is never nothing");
	ok(is_bar(0, 4, 4, false, ""), "bars: nothing");
	ok(is_bar(NAN, 4, 4, false, "") && is_bar(1, NAN, 4, false, "") && is_bar(1, 0, 4, false, ""),
	   "bars: no number");
	ok(is_bar(9, 4, 4, false, "===="), "bars: not longer than the width");
	ok(is_bar(4, 4, 4, true, "████"), "bars: blocks");
	ok(is_bar(1.5, 4, 4, true, "█▌"), "bars: half a block");
	ok(is_bar(1.125, 4, 4, true, "█▏"), "bars: an eighth");
	ok(is_bar(1.875, 4, 4, true, "█▉"), "bars: seven eighths");
	ok(is_bar(1e-9, 4, 4, true, "▏"), "bars: at least an eighth");
	ok(digits_for(12345) == 0 && digits_for(123) == 1 && digits_for(12) == 2 &&
	   digits_for(1.2) == 3 && digits_for(0.12) == 4 && digits_for(0.012) == 5 &&
	   digits_for(0) == 3, "bars: four digits that count");

	n = bars_get(sweep, results, &bars);
	ok(n == 4, "bars: a block for each test, and the mean");
	ok_string(bars[1].line[0].text, "1.030 ±0.010 s", "bars: value, spread and unit");
	ok_string(bars[1].line[0].note, "reference", "bars: the reference is marked");
	ok_string(bars[1].line[1].note, "+100.0 %", "bars: a difference");
	ok(bars[1].line[2].faint && strstr(bars[1].line[2].note, " % ~"),
	   "bars: a difference that is not significant is marked");
	ok_string(bars[3].line[1].text, "2.000", "bars: the mean");
	bars_free(sweep, bars, n);
	results_free(results);
	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].config == 1 && sweep->sample[i].round < 3)
			sweep->sample[i].status = RUN_FAILED;
	results = results_get(sweep, 0);
	n = bars_get(sweep, results, &bars);
	ok_string(bars[0].line[1].text, "failed (2 of 5)", "bars: failures");
	ok(isnan(bars[0].line[1].value), "bars: no bar of failures");
	bars_free(sweep, bars, n);
	results_free(results);

	for (i = 0; i < sweep->samples; i++)
		sweep->sample[i].work = sweep->sample[i].config == 2 ? 0.9999 : 1;
	results = results_get(sweep, 0);
	n = bars_get(sweep, results, &bars);
	ok(!strncmp(bars[1].line[2].note, "0.0 %", 5), "bars: a difference too small to be shown");
	bars_free(sweep, bars, n);
	results_free(results);
	free_sweep(sweep);
}

/* ---- Runs --------------------------------------------------------------------------------- */

/* Does a process end within ten seconds? Zombies have. */
static bool ends(pid_t pid)
{
	char *stat, *end;
	int i;

	for (i = 0; i < 1000; i++) {
		stat = read_file("/proc/%d/stat", pid);
		end = stat ? strrchr(stat, ')') : NULL;
		if (!end || end[2] == 'Z' || end[2] == 'X') {
			free(stat);
			return true;
		}
		free(stat);
		usleep(10000);
	}

	return false;
}

static struct sample run_one(const char *command, int log, int *received, char **why)
{
	struct sweep *sweep = new_sweep(0, 0, 1);
	struct sample sample = { .round = 3 };
	char *settings = settings_text();

	sweep_add_test(sweep, "one", command, NULL);
	sweep_add_config(sweep, AS_IS, NULL);
	*received = run_test(sweep, NULL, log, settings, &sample, why);
	free(settings);
	free_sweep(sweep);

	return sample;
}

static pid_t read_pid(const char *path)
{
	long long pid = 0;
	int i;

	for (i = 0; i < 1000 && !read_number(&pid, "%s", path); i++)
		usleep(10000);
	unlink(path);

	return pid;
}

static void test_runs(void)
{
	char *path = xasprintf("/tmp/unit-sweep-pid.%d", getpid()), *command, *why;
	struct sample sample;
	int received, log, status;
	pid_t pid, sweep;

	run_begin();
	sample = run_one("sleep 0.2", -1, &received, &why);
	ok(sample.status == RUN_OK && !why && !received && sample.seconds >= 0.2 &&
	   sample.work == sample.seconds, "run: a command and its time");
	sample = run_one("echo no; echo why >&2; exit 3", -1, &received, &why);
	ok(sample.status == RUN_FAILED && !received, "run: a command that fails");
	ok_string(why, "exit status 3: why", "run: its reason");
	free(why);
	sample = run_one("kill -9 $$", -1, &received, &why);
	ok(sample.status == RUN_FAILED && why && strstr(why, "signal 9"), "run: a command that is killed");
	free(why);
	sample = run_one("test \"$EAS_SWEEP_TEST $EAS_SWEEP_CONFIG $EAS_SWEEP_ROUND\" = 'one as-is 3'",
			 -1, &received, &why);
	ok(sample.status == RUN_OK, "run: the environment says which run it is");
	free(why);

	log = memfd_create("log", MFD_CLOEXEC);
	sample = run_one("echo out; echo err >&2; read x || echo end; exit 1", log, &received, &why);
	ok_string(why, "exit status 1: end", "run: reason with a log");
	ok(lseek(log, 0, SEEK_END) == 12, "run: the log has all output; input is empty");
	free(why);
	sample = run_one("exit 1", log, &received, &why);
	ok_string(why, "exit status 1", "run: not the reason of the one before");
	free(why);
	close(log);

	command = xasprintf("sleep 100 & echo $! > %s", path);
	sample = run_one(command, -1, &received, &why);
	pid = read_pid(path);
	ok(sample.status == RUN_OK && pid > 0 && ends(pid), "run: nothing goes on in the background");
	free(command);
	free(why);

	/* It ignores SIGTERM, and so do its children. */
	command = xasprintf("trap '' TERM; sleep 100 & echo $! > %s; kill %d; wait", path, getpid());
	sample = run_one(command, -1, &received, &why);
	pid = read_pid(path);
	ok(received == SIGTERM && pid > 0 && ends(pid), "run: a signal ends it, and its whole group");
	ok(!run_pause(0), "run: a signal counts once");
	free(command);
	free(why);
	kill(getpid(), SIGINT);
	ok(run_pause(10) == SIGINT, "run: a signal ends a pause");
	run_end();

	/* A sweep that is killed without a chance to do anything */
	sweep = fork();
	if (!sweep) {
		run_begin();
		command = xasprintf("sleep 100 & echo $! > %s; wait", path);
		run_one(command, -1, &received, &why);
		_exit(0);
	}
	pid = read_pid(path);
	kill(sweep, SIGKILL);
	ok(sweep > 0 && waitpid(sweep, &status, 0) == sweep && WIFSIGNALED(status) && pid > 0 &&
	   ends(pid), "run: a test does not outlive a sweep that is killed");
	free(path);
}

/* Smallest scale: not how long it takes, but that all values are there. */
static void test_loads(void)
{
	struct load_result result;
	const struct load *load;

	for (load = loads; load->name; load++) {
		result = (struct load_result) { NAN, NAN, NAN, "" };
		ok(load->run(0.01, &result) && (load->latency || result.work > 0) &&
		   load->latency == isnan(result.work) && load->p99 == !isnan(result.p99) &&
		   (!load->p99 || (result.mean > 0 && result.p99 >= result.mean)),
		   "load: %s", load->name);
	}
	setenv("TMPDIR", "/nonexistent", 1);
	result = (struct load_result) { NAN, NAN, NAN, "" };
	ok(!find_load("build")->run(0.01, &result) && strstr(result.error, "TMPDIR"),
	   "load: no place for temporary files");
	result = (struct load_result) { NAN, NAN, NAN, "" };
	ok(!find_load("mixed")->run(0.01, &result) && strstr(result.error, "TMPDIR"),
	   "load: the same in a process of a load");
}

int main(void)
{
	test_holm();
	test_order();
	test_time();
	test_file();
	test_file_on_disk();
	test_results();
	test_bars();
	test_runs();
	test_loads();

	return ktap_end();
}
