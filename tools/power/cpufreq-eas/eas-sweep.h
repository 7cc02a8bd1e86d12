/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of eas-sweep have in common.
 */
#ifndef CPUFREQ_EAS_SWEEP_H
#define CPUFREQ_EAS_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "energy.h"
#include "state.h"

/* ---- Loads: eas-sweep-load.c ------------------------------------------- */

/* In seconds; NaN is what this load does not measure. */
struct load_result {
	double work;		/* time that the work took, without the pauses in it */
	double mean, p99;	/* latency of periodic tasks, wakeup to done */
	char error[128];	/* why it has failed */
};

struct load {
	const char *name;
	const char *what;	/* what the first value is, for the heading of its bars */
	double seconds;		/* of one run with scale 1, roughly */
	bool latency;		/* the first value is mean, not work */
	bool p99;		/* there is a value of that, too */
	/* To be called in a process of its own, which may be killed. */
	bool (*run)(double scale, struct load_result *result);
};

/* Up to one without a name */
extern const struct load loads[];

/* ---- A sweep ------------------------------------------------------------ */

/* What became of a run. Only those that are OK count. */
enum status {
	RUN_OK,
	RUN_FAILED,		/* the command has failed */
	RUN_UNSET,		/* the configuration could not be set */
	RUN_DISTURBED,		/* settings were changed meanwhile, or the machine slept */
	NR_STATUS,
};

struct test {
	char *name;
	char *command;		/* for sh -c, or NULL: */
	const struct load *load;
};

struct setting {
	char *name;		/* as state_format_config() has it, or AS_IS */
	struct config config;
};

#define MAX_ROUNDS	1000

/* Settings stay as they are. */
#define AS_IS	"as-is"

struct sample {
	int round, test, config;	/* rounds from 1; the others are indices */
	enum status status;
	double seconds;		/* of the whole run, in which the energy was used */
	double joules;
	double work, mean, p99;	/* see struct load_result */
};

struct job {
	int round, test, config;
};

struct sweep {
	/* This is what makes results comparable, and in the state file: */
	char *machine;
	unsigned long long seed;
	double scale, pause;
	struct test *test;
	int tests;
	struct setting *config;
	int configs;
	/* This may grow. */
	int rounds;
	struct sample *sample;
	int samples;
};

void sweep_add_test(struct sweep *sweep, const char *name, const char *command,
		    const struct load *load);
void sweep_add_config(struct sweep *sweep, const char *name, const struct config *config);
void sweep_add_sample(struct sweep *sweep, const struct sample *sample);
/* Everything in it, but not the struct */
void sweep_free(struct sweep *sweep);

/* By name, or -1 */
int sweep_find_test(const struct sweep *sweep, const char *name);
int sweep_find_config(const struct sweep *sweep, const char *name);
const struct load *find_load(const char *name);

/* ---- Order and time: eas-sweep-plan.c ----------------------------------- */

/*
 * plan_jobs() - what is still to be run, in order
 * @jobs: to be freed
 *
 * Each round has all configurations in random order, and all tests in random order under each
 * of them. The order of a round follows from the seed and its number only.
 *
 * Return: how many.
 */
int plan_jobs(const struct sweep *sweep, struct job **jobs);

/*
 * plan_seconds() - time that these jobs will take, from what was measured so far
 * @unknown: a test of which nothing is known yet, or -1; its runs count as nothing
 */
double plan_seconds(const struct sweep *sweep, const struct job *jobs, int number,
		    double set_seconds, int *unknown);

/* "1:02:03" or "2:03", rounded up; to be freed */
char *format_time(double seconds);

/* How often a test has to be repeated so that a difference can be significant at all. */
int plan_rounds_needed(int comparisons);

/* ---- State file: eas-sweep-file.c --------------------------------------- */

/*
 * file_create() - begin a state file
 *
 * Return: a descriptor; dies if there is such a file or it cannot be written.
 */
int file_create(const char *path, const struct sweep *sweep);

/* The message that it dies with */
void file_exists(const char *path) __attribute__((noreturn));

/*
 * file_load() - read a state file
 * @sweep: empty; tests and configurations are added, but struct config is not filled in
 *
 * A last line that is torn, since the machine went down in the middle, does not count.
 *
 * Return: a descriptor to append to; dies if the file is not all right.
 */
int file_load(const char *path, struct sweep *sweep);

/*
 * file_parse() - the same for text in memory, which is changed
 * @length: of the text; afterwards of the part that is complete
 *
 * Return: NULL, or what is wrong and what to do, to be freed.
 */
char *file_parse(char *text, size_t *length, struct sweep *sweep);

/* What a state file begins with, and a line of it: to be freed */
char *file_format_header(const struct sweep *sweep);
char *file_format_sample(const struct sweep *sweep, const struct sample *sample);

/* Append and make sure that it is on the disk. Dies if this does not work. */
void file_append(int fd, const char *path, const struct sweep *sweep,
		 const struct sample *sample);
void file_append_rounds(int fd, const char *path, int rounds);

/* ---- Runs: eas-sweep-run.c ---------------------------------------------- */

/* settings_text() - mode, governor and EPP of all CPUs, in one line, to be freed */
char *settings_text(void);

/*
 * run_begin() - block the signals that end a sweep
 *
 * From now on, if this process ends, however it does, the process group of the test that is
 * running is killed.
 */
void run_begin(void);

/* run_end() - after a sweep: such signals end this process from now on */
void run_end(void);

/*
 * run_pause() - do nothing
 *
 * Return: 0, or the signal that ends the sweep.
 */
int run_pause(double seconds);

/*
 * run_test() - run a test and measure it
 * @energy: or NULL
 * @log: for the output of commands, or -1
 * @settings: what settings_text() was before; it has to be the same afterwards
 * @sample: round, test and config have to be there, the rest is filled in
 * @why: if it is not RUN_OK, the reason in one line, to be freed, else NULL
 *
 * Return: 0, or the signal that ends the sweep. The process group has been killed then.
 */
int run_test(const struct sweep *sweep, struct energy *energy, int log, const char *settings,
	     struct sample *sample, char **why);

/* ---- Command line: eas-sweep-options.c ----------------------------------- */

struct options {
	struct sweep sweep;	/* without configurations and machine */
	bool seed_given, scale_given, pause_given, rounds_given;
	char *configs;		/* the list, or NULL: all */
	bool as_is;
	const char *reference, *csv, *svg, *log, *state;
	bool resume, dry_run, quiet;
};

/* All of these die if something is wrong. */
void options_parse(int argc, char **argv, struct options *options);

/* A new sweep, which takes over what is in the options */
void options_new_sweep(const struct options *options, struct sweep *sweep);

/* Does a sweep from a state file fit? Its configurations are filled in. */
void options_check_sweep(const struct options *options, struct sweep *sweep);

int options_reference(const struct options *options, const struct sweep *sweep);

/* ---- Results: eas-sweep-result.c ---------------------------------------- */

enum metric {
	TIME,			/* sample.work */
	LATENCY,		/* sample.mean */
	LATENCY_P99,
	ENERGY,
	NR_METRICS,
};

/* A configuration in one test and metric */
struct cell {
	int n;			/* samples that count */
	int bad;		/* those that do not */
	enum status status;	/* why, of the first of these */
	double median, spread;
	double watts;		/* median; only with ENERGY */
	double p;		/* against the reference, corrected; NaN if there is none */
};

/* One test and metric */
struct block {
	int test;
	enum metric metric;
	struct cell *cell;	/* per configuration */
};

struct results {
	int reference;
	int blocks;
	struct block *block;
	/* Per configuration: geometric mean relative to the reference, or NaN */
	double *time, *energy;
	int time_tests, energy_tests;		/* that went into these */
	int time_comparisons, energy_comparisons;
};

#define SIGNIFICANT	0.05

struct results *results_get(const struct sweep *sweep, int reference);
void results_free(struct results *results);

/* One value of a sample, or NaN */
double sample_value(const struct sample *sample, enum metric metric);

/*
 * holm() - correct p-values for there being more than one, after Holm
 *
 * Those that are NaN stay so, and do not count.
 */
void holm(double *p, int number);

/* ---- Output: eas-sweep-report.c, eas-sweep-svg.c ---------------------------- */

/* A heading and a bar for each configuration, as they are printed or drawn */
struct bars {
	char *title;
	struct line {
		double value;		/* NaN: there is no bar */
		char *text;		/* the value and its unit, or what is wrong */
		char *note;		/* difference to the reference */
		bool faint;		/* which is not significant */
	} *line;
};

/* Return: how many, one for each block and the means. To be freed with bars_free(). */
int bars_get(const struct sweep *sweep, const struct results *results, struct bars **bars);
void bars_free(const struct sweep *sweep, struct bars *bars, int number);

/* bar_format() - a bar of value / max of the width, for terminals; to be freed */
char *bar_format(double value, double max, int width, bool utf8);

/* Digits after the point that leave four that count */
int digits_for(double largest);

/*
 * report_print() - all bars, and what they mean
 * @no_energy: why there is no energy, or NULL
 */
void report_print(const struct sweep *sweep, const struct results *results,
		  const char *no_energy, int columns, bool utf8, FILE *to);

/* How the marks were obtained, in one line, to be freed */
char *describe_test(const struct sweep *sweep, const struct results *results);

/* Return: false with a message if it does not work. */
bool report_csv(const struct sweep *sweep, const char *path);
bool report_svg(const struct sweep *sweep, const struct results *results, const char *path);

extern const char *const status_names[NR_STATUS];

#endif
