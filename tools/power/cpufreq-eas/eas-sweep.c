// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-sweep - run tests under every combination of mode, governor and EPP, and compare
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "eas-sweep.h"
#include "util.h"

/* How long setting a configuration takes, before that is known */
#define SET_SECONDS	0.5

static bool progress_line;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* ---- Progress ------------------------------------------------------------------------- */

static void clear_progress(void)
{
	if (progress_line)
		fputs("\r\033[K", stderr);
	progress_line = false;
}

static char *time_left(const struct sweep *sweep, const struct job *jobs, int number,
		       double set_seconds)
{
	int unknown;
	double seconds = plan_seconds(sweep, jobs, number, set_seconds, &unknown);
	char *time, *text;

	if (unknown >= 0)
		return xstrdup("time left unknown");
	time = format_time(seconds);
	text = xasprintf("%s left", time);
	free(time);

	return text;
}

/* One line that is written over on a terminal, else a line for each run */
static void show_progress(const struct sweep *sweep, const struct job *jobs, int i, int number,
			  double set_seconds)
{
	bool terminal = isatty(STDERR_FILENO);
	char *left = time_left(sweep, jobs + i, number - i, set_seconds);

	clear_progress();
	fprintf(stderr, "[%d/%d] round %d, %s: %s, %s%s", i + 1, number, jobs[i].round,
		sweep->config[jobs[i].config].name, sweep->test[jobs[i].test].name, left,
		terminal ? "" : "\n");
	fflush(stderr);
	progress_line = terminal;
	free(left);
}

/* ---- The sweep ------------------------------------------------------------------------- */

/* What is needed while it runs */
struct run {
	const struct options *options;
	struct sweep *sweep;
	struct job *jobs;
	int number;
	int fd;			/* of the state file */
	int log;		/* or -1 */
	struct energy *energy;
	char *settings;		/* of all CPUs, in the present configuration */
	double set_seconds;
};

/* Give the rest up, as the signal wants it. */
static void __attribute__((noreturn)) stop(const struct run *run, int done, int received)
{
	const char *state = run->options->state;
	bool named = strcmp(state, "eas-sweep.state");
	bool restored = state_restore();

	clear_progress();
	warn("stopped after %d of %d runs%s; to go on: eas-sweep --resume%s%s", done, run->number,
	     restored ? ", settings are as before" : "", named ? " --state " : "",
	     named ? state : "");
	run_end();
	/* So that a shell knows why this process ends. */
	raise(received);
	exit(128 + received);
}

static void record(struct run *run, const struct sample *sample)
{
	sweep_add_sample(run->sweep, sample);
	file_append(run->fd, run->options->state, run->sweep, sample);
}

static void write_log_heading(int log, const struct sweep *sweep, const struct job *job)
{
	if (log >= 0)
		dprintf(log, "== round %d, %s: %s\n", job->round,
			sweep->config[job->config].name, sweep->test[job->test].name);
}

/* Return: 0, or the signal that ends the sweep; the run does not count then. */
static int do_job(struct run *run, const struct job *job)
{
	struct sweep *sweep = run->sweep;
	struct sample sample = { .round = job->round, .test = job->test, .config = job->config };
	int received;
	char *why;

	received = run_pause(sweep->pause);
	if (received)
		return received;
	write_log_heading(run->log, sweep, job);
	received = run_test(sweep, run->energy, run->log, run->settings, &sample, &why);
	if (!received) {
		if (why) {
			clear_progress();
			warn("test %s, %s, round %d %s: %s", sweep->test[job->test].name,
			     sweep->config[job->config].name, job->round,
			     sample.status == RUN_FAILED ? "has failed" : "does not count", why);
		}
		record(run, &sample);
	}
	free(why);

	return received;
}

/* The same without running it, since the configuration could not be set */
static int leave_out(struct run *run, const struct job *job)
{
	struct sample sample = {
		.round = job->round, .test = job->test, .config = job->config,
		.status = RUN_UNSET, .seconds = NAN, .joules = NAN, .work = NAN, .mean = NAN,
		.p99 = NAN,
	};

	record(run, &sample);

	return run_pause(0);
}

/* Return: can the tests be run? The error was reported. */
static bool set_config(struct run *run, const struct job *job)
{
	const struct setting *setting = &run->sweep->config[job->config];
	double start = now();
	const char *why = NULL;

	/* Settings as they are must be those of the first run. */
	if (!strcmp(setting->name, AS_IS) && run->settings)
		return true;
	if (strcmp(setting->name, AS_IS))
		why = state_set(&setting->config);
	free(run->settings);
	run->settings = settings_text();
	/* Smoothed, since it takes longer if the mode changes. */
	run->set_seconds = 0.8 * run->set_seconds + 0.2 * (now() - start);
	if (!why)
		return true;

	clear_progress();
	warn("%s cannot be set in round %d: %s", setting->name, job->round, why);

	return false;
}

static void do_jobs(struct run *run)
{
	int i, received, last_config = -1, last_round = -1;
	bool set = false;

	for (i = 0; i < run->number; i++) {
		const struct job *job = &run->jobs[i];

		if (!run->options->quiet)
			show_progress(run->sweep, run->jobs, i, run->number, run->set_seconds);
		if (job->config != last_config || job->round != last_round)
			set = set_config(run, job);
		last_config = job->config;
		last_round = job->round;

		received = set ? do_job(run, job) : leave_out(run, job);
		if (received)
			stop(run, i + !set, received);
	}
	clear_progress();
}

/* ---- Before --------------------------------------------------------------------------- */

/* May this user change settings? */
static bool may_change(void)
{
	glob_t found;
	bool may = true;
	size_t i;

	if (glob("/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", 0, NULL, &found))
		return true;
	for (i = 0; i < found.gl_pathc; i++)
		may = may && !access(found.gl_pathv[i], W_OK);
	globfree(&found);

	return may;
}

/* Better now than after hours. */
static void check_writable(const char *path)
{
	int fd;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		die(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
	close(fd);
}

/* Comparisons that there will be of time and latency, roughly as results_get() counts them */
static int comparisons(const struct sweep *sweep)
{
	int tests = sweep->tests, i;

	for (i = 0; i < sweep->tests; i++)
		tests += sweep->test[i].load && sweep->test[i].load->p99;

	return tests * (sweep->configs - 1);
}

static void note_rounds(const struct sweep *sweep)
{
	int needed = plan_rounds_needed(comparisons(sweep));

	if (sweep->configs > 1 && sweep->rounds < needed)
		warn("note: with %d round%s and %d comparisons no difference can be significant: use --rounds %d, also later with --resume, or a shorter --config list",
		     sweep->rounds, sweep->rounds == 1 ? "" : "s", comparisons(sweep), needed);
}

static void print_plan(const struct sweep *sweep, const struct job *jobs, int number)
{
	int unknown, i, runs = 0;
	double seconds = plan_seconds(sweep, jobs, number, SET_SECONDS, &unknown);
	char *time = format_time(seconds);

	printf("configurations (%d):\n", sweep->configs);
	for (i = 0; i < sweep->configs; i++)
		printf("  %s\n", sweep->config[i].name);
	printf("tests (%d):\n", sweep->tests);
	for (i = 0; i < sweep->tests; i++)
		printf("  %s: %s\n", sweep->test[i].name,
		       sweep->test[i].command ?: "built-in load");
	printf("rounds: %d\nruns: %d, %d of them still to be done, ", sweep->rounds,
	       sweep->rounds * sweep->tests * sweep->configs, number);
	if (unknown < 0) {
		printf("about %s\n", time);
	} else {
		for (i = 0; i < number; i++)
			runs += !sweep->test[jobs[i].test].load;
		printf("%s and what %d runs of commands take\n", time, runs);
	}
	free(time);
}

/* ---- After ----------------------------------------------------------------------------- */

static int terminal_columns(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;

	return columns && atoi(columns) > 0 ? atoi(columns) : 100;
}

static bool all_good(const struct sweep *sweep)
{
	int i;

	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].status != RUN_OK)
			return false;

	return true;
}

/* Return: has all been written? */
static bool report(const struct options *options, const struct sweep *sweep,
		   const char *no_energy)
{
	struct results *results = results_get(sweep, options_reference(options, sweep));
	bool good = true, energy = false;
	int i;

	for (i = 0; i < sweep->samples; i++)
		energy |= !isnan(sweep->sample[i].joules);
	if (!energy && !no_energy)
		no_energy = "it could not be read when the sweep was run";

	printf("%s\n", sweep->machine);
	report_print(sweep, results, energy ? NULL : no_energy, terminal_columns(),
		     !strcmp(nl_langinfo(CODESET), "UTF-8"), stdout);
	if (fflush(stdout)) {
		warn("cannot write the results: %s", strerror(errno));
		good = false;
	}
	if (options->csv)
		good &= report_csv(sweep, options->csv);
	if (options->svg)
		good &= report_svg(sweep, results, options->svg);
	results_free(results);

	return good;
}

int main(int argc, char **argv)
{
	struct run run = { .log = -1, .fd = -1, .set_seconds = SET_SECONDS };
	struct sweep sweep = { 0 };
	const char *no_energy = NULL;
	struct options options;
	bool restored, good;

	/* Numbers stay as they are in files. */
	setlocale(LC_CTYPE, "");
	options_parse(argc, argv, &options);

	/* Before modes are changed in order to see what there is in them */
	if (!options.resume && !options.dry_run && !access(options.state, F_OK))
		file_exists(options.state);
	if (!options.as_is)
		state_guard();
	if (options.resume) {
		run.fd = file_load(options.state, &sweep);
		options_check_sweep(&options, &sweep);
	} else {
		options_new_sweep(&options, &sweep);
	}
	if (options.rounds_given && options.sweep.rounds != sweep.rounds) {
		sweep.rounds = options.sweep.rounds;
		if (!options.dry_run)
			file_append_rounds(run.fd, options.state, sweep.rounds);
	}
	options_reference(&options, &sweep);

	run.options = &options;
	run.sweep = &sweep;
	run.number = plan_jobs(&sweep, &run.jobs);
	if (options.dry_run) {
		print_plan(&sweep, run.jobs, run.number);
		note_rounds(&sweep);
		return EXIT_OK;
	}

	check_writable(options.csv);
	check_writable(options.svg);
	if (run.number && strcmp(sweep.config[0].name, AS_IS) && !may_change())
		die(EXIT_FAILED, "only root may change settings: use sudo, or --as-is to measure the present ones");
	run.energy = energy_open(&no_energy);
	if (run.number) {
		if (!options.resume)
			run.fd = file_create(options.state, &sweep);
		if (options.log) {
			run.log = open(options.log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
			if (run.log < 0)
				die(EXIT_FAILED, "cannot write %s: %s", options.log, strerror(errno));
		}
		note_rounds(&sweep);
		run_begin();
		do_jobs(&run);
		run_end();
	}
	restored = state_restore();

	good = report(&options, &sweep, no_energy);
	energy_close(run.energy);
	good &= restored && all_good(&sweep);
	sweep_free(&sweep);
	free(run.jobs);
	free(run.settings);
	free(options.configs);

	return good ? EXIT_OK : EXIT_FAILED;
}
