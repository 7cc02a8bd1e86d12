/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eas-ramp: how fast a CPU gets up to speed.
 */
#ifndef CPUFREQ_EAS_RAMP_H
#define CPUFREQ_EAS_RAMP_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "energy.h"

/* The first so many ms, whose average throughput is reported */
#define NR_WINDOWS	7
extern const int ramp_windows[NR_WINDOWS];

/* Points of the curve that is drawn: throughput around ramp_curve_time(point) ms */
#define NR_POINTS	40

/* What counts as up to speed, and the time over which this is looked at */
#define UP_TO_SPEED	0.95
#define LOOK_MS		1.0

/* Throughput is that of floating-point operations, or of cycles that APERF has counted. */
enum source { ITERATIONS, CYCLES };

/* What the scheduler knows of the task at the beginning */
enum task {
	NEW,		/* nothing: it assumes half of what the CPU has left */
	COLD,		/* that it has hardly used the CPU */
	MIGRATED,	/* that it has been busy on another CPU */
};

/* What has been done since the beginning, at some time after it */
struct sample {
	int64_t ns;
	uint64_t count;
};

/* The result of a run. NaN is unavailable. */
struct ramp {
	double share[NR_WINDOWS];	/* of the steady throughput, in % */
	double up_ms;			/* to 95 % of the steady throughput */
	double steady;			/* in millions a second */
	double watts;
	double joules;			/* for 10^9 operations or cycles */
	double curve[NR_POINTS];	/* in % of the steady throughput */
};

/* ---- eas-ramp-analyse.c ------------------------------------------------ */

/*
 * ramp_analyse() - all but energy
 * @sample: ascending in time, the first at 0 with a count of 0
 * @n: how many
 * @ops: operations that a count of 1 stands for
 */
void ramp_analyse(const struct sample *sample, int n, double ops, struct ramp *ramp);

double ramp_curve_time(int point);

/* ramp_pick() - one figure of all runs, by its offset in struct ramp; to be freed */
double *ramp_pick(const struct ramp *runs, int n, size_t offset);

/* ---- eas-ramp-measure.c ------------------------------------------------ */

struct measurement {
	int cpu;
	int from;		/* MIGRATED: where the task runs before; else UNKNOWN */
	cpu_set_t *cores;	/* of MAX_CPUS: those two, and what else is on the same cores */
	enum task task;
	enum source source;
	int settle_ms;		/* idle before */
	int warm_ms;		/* busy on another CPU before */
	int duration_ms;
	const char *cgroup;	/* to run in, or NULL */
	struct energy *energy;	/* or NULL */
	/* Found out by the first run: a chunk between two samples has so many steps. */
	long chunk;
};

/* measure_open_msr() - registers of a CPU. Return: NULL, or what has failed, in one line. */
const char *measure_open_msr(int cpu, int *msr);

/* What makes a run doubtful */
struct trouble {
	double waited;		/* share of the time that others have run on the CPU, or NaN */
	double late_ms;		/* from waking up to the first sample, unless migrated */
	double pause_ms;	/* longest time in which nothing happened, at the beginning */
};

/*
 * measure() - a run
 *
 * Return: NULL, or what has failed, in one line, valid until the next call.
 */
const char *measure(struct measurement *m, struct ramp *ramp, struct trouble *trouble);

/* ---- eas-ramp-empty.c -------------------------------------------------- */

/*
 * empty_prepare() - a control group that has CPUs to itself
 *
 * Return: NULL, or why there is none, in one line.
 */
const char *empty_prepare(void);

/*
 * empty_cores() - move tasks off m->cores, as far as possible, and wait until m->cpu is idle
 *
 * Sets m->cgroup to the control group that owns these CPUs, if there is one.
 *
 * Return: NULL, or a complaint, in one line: they are not as empty as they should be.
 */
const char *empty_cores(struct measurement *m);

/* ---- eas-ramp-report.c ------------------------------------------------- */

/* A line of the table */
struct row {
	char *core;		/* "P-core CPU3" */
	char *config;		/* "active/powersave/balance_performance" */
	struct ramp *runs;
};

void report_table(const struct row *rows, int nr_rows, int nr_runs, enum source source,
		  FILE *to);
void report_csv(const struct row *rows, int nr_rows, int nr_runs, enum source source, FILE *to);

/* Return: NULL, or why there is no picture. */
const char *report_svg(const struct row *rows, int nr_rows, int nr_runs, const char *path);

#endif
