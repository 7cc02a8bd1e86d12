// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: how --watch learns of changes: tracepoints and file notification.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/inotify.h>
#include <tracefs.h>
#include <unistd.h>

#include "eas-status-watch.h"
#include "util.h"

#define SYS_CPU		"/sys/devices/system/cpu"

/* Followed by the number of the process */
#define INSTANCE	"eas-status-"

/* A few lines for each change: there is no need for megabytes on each CPU. */
#define BUFFER_KB	"64"

struct trace {
	struct tracefs_instance *instance;
	int fd;
	char rest[4096];	/* beginning of a line that has not been read completely */
	size_t length;
};

/* libtracefs would mount it, but this program changes nothing. */
static bool tracefs_usable(void)
{
	return !access("/sys/kernel/tracing/instances", W_OK) ||
	       !access("/sys/kernel/debug/tracing/instances", W_OK);
}

/* Others may have been killed before they could remove theirs. */
static void remove_stale_instances(void)
{
	char **names = tracefs_instances(NULL);
	struct tracefs_instance *instance;
	int i, pid, end;

	for (i = 0; names && names[i]; i++) {
		if (sscanf(names[i], INSTANCE "%d%n", &pid, &end) != 1 || names[i][end] || pid <= 0)
			continue;
		if (!kill(pid, 0) || errno != ESRCH)
			continue;
		instance = tracefs_instance_create(names[i]);
		if (instance) {
			tracefs_instance_destroy(instance);
			tracefs_instance_free(instance);
		}
	}
	tracefs_list_free(names);
}

struct trace *trace_open(void)
{
	struct trace *trace;
	char *name;

	if (!tracefs_usable() ||
	    !tracefs_event_file_exists(NULL, "power", "cpu_eas_compatible", "enable"))
		return NULL;

	remove_stale_instances();

	trace = xcalloc(1, sizeof(*trace));
	trace->fd = -1;
	name = xasprintf(INSTANCE "%d", getpid());
	trace->instance = tracefs_instance_create(name);
	free(name);
	if (!trace->instance)
		goto fail;

	/* Readers are woken up by the first event, not by half a buffer full of them. */
	if (tracefs_instance_file_write(trace->instance, "buffer_size_kb", BUFFER_KB) < 0 ||
	    tracefs_instance_file_write(trace->instance, "buffer_percent", "0") < 0 ||
	    tracefs_instance_file_write(trace->instance, "trace_clock", "mono") < 0)
		goto fail;
	trace->fd = tracefs_instance_file_open(trace->instance, "trace_pipe",
					       O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (trace->fd < 0 ||
	    tracefs_event_enable(trace->instance, "power", "cpu_eas_compatible") ||
	    tracefs_event_enable(trace->instance, "power", "eas_root_domain"))
		goto fail;

	return trace;

fail:
	trace_close(trace);

	return NULL;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;

	/* It is busy as long as it is being read. */
	if (trace->fd >= 0)
		close(trace->fd);
	if (trace->instance) {
		tracefs_event_disable(trace->instance, "power", "cpu_eas_compatible");
		tracefs_event_disable(trace->instance, "power", "eas_root_domain");
		if (tracefs_instance_destroy(trace->instance))
			warn("cannot remove %s%d, try rmdir in the instances directory of tracefs",
			     INSTANCE, getpid());
		tracefs_instance_free(trace->instance);
	}
	free(trace);
}

int trace_fd(const struct trace *trace)
{
	return trace->fd;
}

bool trace_parse(const char *line, struct compat_event *event)
{
	static const char name[] = ": cpu_eas_compatible: ";
	const char *found = NULL, *next = line, *time;
	int new;

	/* Names of tasks, which come first, may hold anything. */
	while ((next = strstr(next, name)))
		found = next++;
	if (!found)
		return false;

	for (time = found; time > line && time[-1] != ' '; time--)
		;
	if (sscanf(time, "%lf", &event->time) != 1 ||
	    sscanf(found + sizeof(name) - 1,
		   "old=%*d new=%d active=%*d governor=%*d epp_veto=%*d epp=%*d cpu_id=%d",
		   &new, &event->cpu) != 2)
		return false;
	event->compatible = new;

	return true;
}

int trace_read(struct trace *trace, struct compat_event **events, bool *lost)
{
	struct compat_event event;
	int number = 0;
	char *line, *end;
	ssize_t n;

	*events = NULL;
	*lost = false;
	for (;;) {
		n = read(trace->fd, trace->rest + trace->length,
			 sizeof(trace->rest) - 1 - trace->length);
		if (n <= 0)
			break;
		trace->length += n;
		trace->rest[trace->length] = '\0';

		for (line = trace->rest; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			if (strstr(line, "LOST") && strstr(line, "EVENTS]"))
				*lost = true;
			if (!trace_parse(line, &event))
				continue;
			*events = xrealloc(*events, (number + 1) * sizeof(**events));
			(*events)[number++] = event;
		}
		trace->length -= line - trace->rest;
		memmove(trace->rest, line, trace->length);
		/* No line is as long as that. */
		if (trace->length == sizeof(trace->rest) - 1)
			trace->length = 0;
	}

	return number;
}

int notify_open(void)
{
	return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

static void notify_add_file(int fd, char *path)
{
	/* Those that are not there, or are watched already, do no harm. */
	inotify_add_watch(fd, path, IN_MODIFY);
	free(path);
}

void notify_add(int fd, const struct cpus *cpus)
{
	static const char * const files[] = {
		"/proc/sys/kernel/sched_energy_aware", SYS_CPU "/intel_pstate/status",
		SYS_CPU "/amd_pstate/status", SYS_CPU "/smt/control",
	};
	static const char * const attributes[] = {
		"scaling_governor", "energy_performance_preference",
	};
	size_t i;
	int j;

	if (fd < 0)
		return;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		notify_add_file(fd, xstrdup(files[i]));
	for (j = 0; j < cpus->number; j++) {
		const struct cpu *cpu = &cpus->cpu[j];

		notify_add_file(fd, xasprintf(SYS_CPU "/cpu%d/online", cpu->number));
		if (cpu->policy != cpu->number)
			continue;
		for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
			notify_add_file(fd, xasprintf(SYS_CPU "/cpufreq/policy%d/%s", cpu->policy,
						      attributes[i]));
	}
}

void notify_drain(int fd)
{
	char buffer[4096];

	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
}
