/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eas-status: how --watch learns of changes.
 */
#ifndef CPUFREQ_EAS_STATUS_WATCH_H
#define CPUFREQ_EAS_STATUS_WATCH_H

#include "eas-status.h"

/* A cpufreq policy has become compatible with EAS, or is no longer, said the kernel. */
struct compat_event {
	double time;		/* in seconds of CLOCK_MONOTONIC */
	int cpu;
	bool compatible;
};

struct trace;

/*
 * trace_open() - have the kernel tell about its decisions
 *
 * Return: NULL if it does not have these tracepoints, or this user may not use them.
 */
struct trace *trace_open(void);

/* Leaves tracing as it was before. */
void trace_close(struct trace *trace);

/* To be polled for POLLIN */
int trace_fd(const struct trace *trace);

/*
 * trace_read() - what there is, without waiting
 * @events: to be freed
 * @lost: some have got lost
 *
 * Return: how many. There may be none after POLLIN: other things have happened.
 */
int trace_read(struct trace *trace, struct compat_event **events, bool *lost);

/* trace_parse() - one line of trace_pipe. Return: false if it is something else. */
bool trace_parse(const char *line, struct compat_event *event);

/* File notification on everything that can be written to: an inotify descriptor, or -1 */
int notify_open(void);

/* Again and again: there may be other files. */
void notify_add(int fd, const struct cpus *cpus);

/* Forget what has been told. */
void notify_drain(int fd);

#endif
