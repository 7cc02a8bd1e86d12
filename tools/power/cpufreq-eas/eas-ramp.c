// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-ramp: how fast a CPU gets up to speed. See eas-ramp.1.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpus.h"
#include "eas-ramp.h"
#include "plot.h"
#include "state.h"
#include "util.h"

/* Others that ran on the CPU for more than that make a run doubtful. */
#define MAX_WAITED	0.02

/*
 * A run that was held up is repeated, as time went on meanwhile: by firmware or, in a virtual
 * machine, by the host. Little is needed to spoil the start, as the scheduler takes the time
 * from waking up for time that the task has used. Do not repeat it for ever, though.
 */
#define MAX_LATE_MS	3
#define MAX_PAUSE_MS	20
#define MAX_REPEATS	3

/* Between two reports of progress, and how long it may take without any */
#define PROGRESS_S	10

/* A CPU to be measured */
struct target {
	int cpu, from;
	char *core;		/* "P-core CPU3" */
	cpu_set_t *cores;
	long chunk;
};

static struct {
	const char *cpus;
	const char *configs;
	const char *csv, *svg;
	enum source source;
	enum task task;
	int migrate_from;
	bool no_cpuset;
	int runs;
	int settle_ms, warm_ms, duration_ms;
} options = {
	.migrate_from = UNKNOWN,
	.runs = 10,
	.settle_ms = 500,
	.warm_ms = 300,
	.duration_ms = 1500,
};

static struct target *targets;
static int nr_targets;
static struct config *configs;		/* none: leave it as it is */
static int nr_configs;

static void usage(FILE *to)
{
	fputs("usage: eas-ramp [OPTION]...\n"
	      "Measure how fast CPUs get up to speed.\n\n"
	      "  --cpus LIST         these CPUs (default: one of each type)\n"
	      "  --runs N            so many times (default: 10)\n"
	      "  --config LIST       compare MODE/GOVERNOR/EPP,... or \"all\" (default: as it is)\n"
	      "  --migrate[=CPU]     ramp of a task that comes from another CPU\n"
	      "  --cold              ramp of a task that has hardly run lately (default: a new one)\n"
	      "  --source SOURCE     \"iterations\" (default), or \"cycles\": APERF, for root\n"
	      "  --settle MS         idle time before (default: 500)\n"
	      "  --duration MS       of a run (default: 1500)\n"
	      "  --no-cpuset         leave other tasks where they are\n"
	      "  --csv FILE          write a table for programs\n"
	      "  --svg FILE          draw a picture\n"
	      "  --help, --version\n", to);
}

static void parse_options(int argc, char **argv)
{
	enum {
		CPU = 256, RUNS, CONFIG, MIGRATE, TASK_COLD, SOURCE, SETTLE, DURATION, NO_CPUSET,
		CSV, SVG
	};
	static const struct option known[] = {
		{ "cpus", required_argument, NULL, CPU },
		{ "runs", required_argument, NULL, RUNS },
		{ "config", required_argument, NULL, CONFIG },
		{ "migrate", optional_argument, NULL, MIGRATE },
		{ "cold", no_argument, NULL, TASK_COLD },
		{ "source", required_argument, NULL, SOURCE },
		{ "settle", required_argument, NULL, SETTLE },
		{ "duration", required_argument, NULL, DURATION },
		{ "no-cpuset", no_argument, NULL, NO_CPUSET },
		{ "csv", required_argument, NULL, CSV },
		{ "svg", required_argument, NULL, SVG },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ }
	};
	int option;

	while ((option = getopt_long(argc, argv, "hV", known, NULL)) != -1) {
		switch (option) {
		case CPU:
			options.cpus = optarg;
			break;
		case RUNS:
			options.runs = option_whole("runs", optarg, 1, 1000);
			break;
		case CONFIG:
			options.configs = optarg;
			break;
		case MIGRATE:
			options.task = MIGRATED;
			if (optarg)
				options.migrate_from = option_whole("migrate", optarg, 0, MAX_CPUS - 1);
			break;
		case TASK_COLD:
			options.task = COLD;
			break;
		case SOURCE:
			if (!strcmp(optarg, "cycles"))
				options.source = CYCLES;
			else if (!strcmp(optarg, "iterations"))
				options.source = ITERATIONS;
			else
				die(EXIT_USAGE, "--source %s: want iterations or cycles", optarg);
			break;
		case SETTLE:
			options.settle_ms = option_whole("settle", optarg, 0, 60000);
			break;
		case DURATION:
			options.duration_ms = option_whole("duration", optarg, 30, 60000);
			break;
		case NO_CPUSET:
			options.no_cpuset = true;
			break;
		case CSV:
			options.csv = optarg;
			break;
		case SVG:
			options.svg = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(EXIT_OK);
		case 'V':
			puts("eas-ramp " VERSION);
			exit(EXIT_OK);
		default:
			fputs("Try eas-ramp --help.\n", stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc)
		die(EXIT_USAGE, "%s: no arguments are expected here, try --help", argv[optind]);
}

static const struct cpu *need_cpu(const struct cpus *cpus, int number)
{
	const struct cpu *cpu = cpus_find(cpus, number);

	if (!cpu)
		die(EXIT_FAILED, "there is no CPU%d, see /sys/devices/system/cpu/present", number);
	if (!cpu->online)
		die(EXIT_FAILED, "CPU%d is offline, bring it back with: "
		    "echo 1 > /sys/devices/system/cpu/cpu%d/online", number, number);

	return cpu;
}

/* Where a task may come from: another type of core if there is one */
static int choose_from(const struct cpus *cpus, const struct cpu *to)
{
	int i, found = UNKNOWN;

	if (options.migrate_from != UNKNOWN) {
		if (options.migrate_from == to->number)
			die(EXIT_USAGE, "--migrate=%d: that is the CPU to be measured, choose "
			    "another", to->number);
		return need_cpu(cpus, options.migrate_from)->number;
	}
	for (i = cpus->number - 1; i >= 0; i--) {
		const struct cpu *c = &cpus->cpu[i];

		if (!c->online || c->sibling == to->sibling)
			continue;
		if (strcmp(c->type, to->type))
			return c->number;
		if (found == UNKNOWN)
			found = c->number;
	}
	if (found == UNKNOWN)
		die(EXIT_FAILED, "--migrate needs a CPU on another core, but there is none online");

	return found;
}

static const char *type_name(const struct cpu *cpu)
{
	static char name[32];

	if (!strcmp(cpu->type, "core") || !*cpu->type)
		return "core";
	if (!strncmp(cpu->type, "type", 4))
		return cpu->type;
	snprintf(name, sizeof(name), "%s-core", cpu->type);

	return name;
}

static void add_target(const struct cpus *cpus, const struct cpu *cpu)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	const struct cpu *from = NULL;
	struct target *t;
	char *name;
	int i;

	targets = xrealloc(targets, (nr_targets + 1) * sizeof(*targets));
	t = &targets[nr_targets++];
	memset(t, 0, sizeof(*t));
	t->cpu = cpu->number;
	t->from = UNKNOWN;
	if (options.task == MIGRATED) {
		t->from = choose_from(cpus, cpu);
		from = cpus_find(cpus, t->from);
		/* In two steps, as there is one buffer for the name */
		name = xasprintf("%s CPU%d", type_name(from), from->number);
		t->core = xasprintf("%s CPU%d from %s", type_name(cpu), cpu->number, name);
		free(name);
	} else {
		t->core = xasprintf("%s CPU%d", type_name(cpu), cpu->number);
	}

	t->cores = CPU_ALLOC(MAX_CPUS);
	if (!t->cores)
		die(EXIT_FAILED, "out of memory");
	CPU_ZERO_S(size, t->cores);
	for (i = 0; i < cpus->number; i++) {
		const struct cpu *c = &cpus->cpu[i];

		if (c->online && (c->sibling == cpu->sibling ||
				  (from && c->sibling == from->sibling)))
			CPU_SET_S(c->number, size, t->cores);
	}
}

static void choose_targets(const struct cpus *cpus)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	char **types, **type;
	int i;

	if (!set)
		die(EXIT_FAILED, "out of memory");
	if (options.cpus) {
		if (!parse_cpu_list(options.cpus, set))
			die(EXIT_USAGE, "--cpus %s: want a list of CPUs such as 0-3,8", options.cpus);
		for (i = 0; i < MAX_CPUS; i++)
			if (CPU_ISSET_S(i, size, set))
				add_target(cpus, need_cpu(cpus, i));
		CPU_FREE(set);
		return;
	}
	CPU_FREE(set);

	/* The last one of each type: the first ones have more interrupts to serve. */
	cpus_types(cpus, &types);
	for (type = types; *type; type++) {
		for (i = cpus->number - 1; i >= 0; i--)
			if (cpus->cpu[i].online && !strcmp(cpus->cpu[i].type, *type))
				break;
		if (i >= 0)
			add_target(cpus, &cpus->cpu[i]);
		free(*type);
	}
	free(types);
}

static void choose_configs(void)
{
	char *list, *rest, *string;
	const char *why;

	if (!options.configs)
		return;
	if (!strcmp(options.configs, "all")) {
		nr_configs = state_configs(&configs);
		if (!nr_configs)
			die(EXIT_FAILED, "--config all: this machine has no cpufreq, leave it out");
		return;
	}

	list = rest = xstrdup(options.configs);
	while ((string = strsep(&rest, ","))) {
		configs = xrealloc(configs, (nr_configs + 1) * sizeof(*configs));
		why = state_parse_config(string, &configs[nr_configs++]);
		if (why)
			die(EXIT_FAILED, "--config %s", why);
	}
	free(list);
}

/* What is in effect on a CPU, if it is left as it is */
static char *describe(const struct cpus *cpus, int number)
{
	const struct cpu *cpu = cpus_find(cpus, number);
	struct config config = { };

	if (cpu->policy == UNKNOWN)
		return xstrdup("no cpufreq");
	strcpy(config.mode, cpu->mode);
	strcpy(config.governor, cpu->governor);
	strcpy(config.epp, cpu->epp);

	return state_format_config(&config);
}

/* Row by row: the core, then its configurations */
static struct row *make_rows(const struct cpus *cpus, int *nr_rows)
{
	int per_core = nr_configs ?: 1, i, c;
	struct row *rows;

	*nr_rows = nr_targets * per_core;
	rows = xcalloc(*nr_rows, sizeof(*rows));
	for (i = 0; i < nr_targets; i++) {
		for (c = 0; c < per_core; c++) {
			struct row *row = &rows[i * per_core + c];

			row->core = targets[i].core;
			row->config = nr_configs ? state_format_config(&configs[c]) :
				      describe(cpus, targets[i].cpu);
			row->runs = xcalloc(options.runs, sizeof(*row->runs));
		}
	}

	return rows;
}

static void progress(const struct row *row, int run, int done, int all)
{
	static struct timespec begin;
	static double reported;
	static bool terminal;
	struct timespec t;
	double s, left;

	clock_gettime(CLOCK_MONOTONIC, &t);
	if (!begin.tv_sec) {
		terminal = isatty(STDERR_FILENO);
		begin = t;
	}
	s = (t.tv_sec - begin.tv_sec) + (t.tv_nsec - begin.tv_nsec) / 1e9;
	if (done)
		left = s / done * (all - done);
	else
		left = all * (options.settle_ms + options.duration_ms +
			      (options.task == MIGRATED ? options.warm_ms : 0)) / 1e3;
	/* Nothing to tell if it is over soon */
	if (!reported && s + left < PROGRESS_S)
		return;
	if (!terminal && reported && s - reported < PROGRESS_S)
		return;
	reported = s ?: 1e-9;
	fprintf(stderr, "%seas-ramp: run %d of %d, %s, %s; %.0f s left%s", terminal ? "\r" : "",
		run + 1, options.runs, row->core, row->config, left, terminal ? "\033[K" : "\n");
}

static void end_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static __attribute__((noreturn)) void stop(const char *why)
{
	end_progress();
	die(EXIT_FAILED, "%s", why);
}

/* Say something once, however often it is the case. */
static void complain(const char *why)
{
	static char *said[16];
	int i;

	for (i = 0; i < 16 && said[i]; i++)
		if (!strcmp(said[i], why))
			return;
	if (i < 16)
		said[i] = xstrdup(why);
	end_progress();
	warn("%s", why);
}

/* Runs that were not as they should have been */
static struct {
	int waited, held_up, repeated;
} doubtful;

static void measure_one(struct target *target, struct energy *energy, struct ramp *ramp)
{
	struct measurement m = {
		.cpu = target->cpu,
		.from = target->from,
		.cores = target->cores,
		.task = options.task,
		.source = options.source,
		.settle_ms = options.settle_ms,
		.warm_ms = options.warm_ms,
		.duration_ms = options.duration_ms,
		.energy = energy,
	};
	struct trouble trouble;
	const char *why;
	bool held_up;
	int left;

	why = empty_cores(&m);
	if (why)
		complain(why);
	for (left = MAX_REPEATS;; left--) {
		m.chunk = target->chunk;
		why = measure(&m, ramp, &trouble);
		if (why)
			stop(why);
		target->chunk = m.chunk;
		held_up = trouble.late_ms > MAX_LATE_MS || trouble.pause_ms > MAX_PAUSE_MS;
		if (!held_up || !left)
			break;
		doubtful.repeated++;
	}
	doubtful.held_up += held_up;
	doubtful.waited += trouble.waited > MAX_WAITED;
}

static void measure_all(struct row *rows, struct energy *energy)
{
	int per_core = nr_configs ?: 1, all = options.runs * per_core * nr_targets;
	int run, c, i, done = 0;
	const char *why;

	/* Whatever changes in the course of time concerns all configurations alike. */
	for (run = 0; run < options.runs; run++) {
		for (c = 0; c < per_core; c++) {
			why = nr_configs ? state_set(&configs[c]) : NULL;
			if (why)
				stop(why);
			for (i = 0; i < nr_targets; i++) {
				struct row *row = &rows[i * per_core + c];

				progress(row, run, done++, all);
				measure_one(&targets[i], energy, &row->runs[run]);
			}
		}
	}
	end_progress();
	if (doubtful.waited)
		warn("in %d of %d runs, other tasks had the CPU for more than %.0f %% of the time",
		     doubtful.waited, all, MAX_WAITED * 100);
	if (doubtful.repeated)
		warn("%d times a run was repeated because the CPU was held up; %d of %d runs still "
		     "suffer from that", doubtful.repeated, doubtful.held_up, all);
}

/* Better now than after minutes of measuring, or a second of waiting */
static void check_source(void)
{
	const char *why;
	int i, msr;

	for (i = 0; i < nr_targets && options.source == CYCLES; i++) {
		why = measure_open_msr(targets[i].cpu, &msr);
		if (why)
			die(EXIT_FAILED, "%s", why);
		close(msr);
	}
}

static FILE *check_output(void)
{
	const char *why = NULL;
	FILE *csv = NULL, *plot;

	if (options.csv) {
		csv = fopen(options.csv, "we");
		if (!csv)
			die(EXIT_FAILED, "cannot write %s: %s", options.csv, strerror(errno));
	}
	if (options.svg) {
		plot = plot_begin(options.svg, 900, 540, &why);
		if (plot)
			why = plot_end(plot);
		if (why)
			die(EXIT_FAILED, "%s", why);
	}

	return csv;
}

int main(int argc, char **argv)
{
	struct energy *energy;
	struct row *rows;
	struct cpus *cpus;
	const char *why;
	int nr_rows, status = EXIT_OK;
	FILE *csv;

	parse_options(argc, argv);
	cpus = cpus_read();
	choose_targets(cpus);
	check_source();
	csv = check_output();

	state_guard();
	choose_configs();
	rows = make_rows(cpus, &nr_rows);
	cpus_free(cpus);

	if (!options.no_cpuset) {
		why = empty_prepare();
		if (why)
			warn("other tasks are not moved off the CPU: %s", why);
	}
	energy = energy_open(&why);
	if (!energy)
		warn("energy is unavailable: %s", why);

	measure_all(rows, energy);
	energy_close(energy);
	if (!state_restore())
		status = EXIT_FAILED;

	report_table(rows, nr_rows, options.runs, options.source, stdout);
	if (csv) {
		report_csv(rows, nr_rows, options.runs, options.source, csv);
		if (fclose(csv))
			die(EXIT_FAILED, "cannot write %s: %s", options.csv, strerror(errno));
	}
	if (options.svg) {
		why = report_svg(rows, nr_rows, options.runs, options.svg);
		if (why)
			die(EXIT_FAILED, "%s", why);
	}

	return status;
}
