// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: --watch, which prints what has changed.
 */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "eas-status.h"
#include "eas-status-watch.h"
#include "util.h"

/*
 * Sched domains are rebuilt some time after what has caused it, so after being notified look
 * again, this many seconds after the last time.
 */
static const double again_after[] = { 0, 0.02, 0.1, 0.4 };

struct snapshot {
	struct facts *facts;
	struct verdict *verdict;
};

struct watcher {
	const cpu_set_t *only;
	bool json;
	struct snapshot now;
	struct trace *trace;
	/* What the trace has said last, by number of the CPU */
	enum answer *traced;
};

static struct snapshot take_snapshot(void)
{
	struct snapshot snapshot;

	snapshot.facts = facts_read();
	snapshot.verdict = conclude(snapshot.facts);

	return snapshot;
}

static void drop_snapshot(struct snapshot *snapshot)
{
	verdict_free(snapshot->verdict);
	facts_free(snapshot->facts);
}

static double clock_seconds(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);

	return time.tv_sec + time.tv_nsec / 1e9;
}

/* Local time for people, UTC for programs; to be freed */
static char *format_time(double when, bool json)
{
	time_t seconds = floor(when);
	int ms = (when - seconds) * 1000;
	char string[32];
	struct tm tm;

	if (json) {
		gmtime_r(&seconds, &tm);
		strftime(string, sizeof(string), "%FT%T", &tm);
		return xasprintf("%s.%03dZ", string, ms);
	}
	localtime_r(&seconds, &tm);
	strftime(string, sizeof(string), "%F %T", &tm);

	return xasprintf("%s.%03d", string, ms);
}

static void print_json_line(double when, json_t *object)
{
	char *time = format_time(when, true);

	json_object_set_new(object, "time", json_string(time));
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(object);
	free(time);
}

/* NULL is "unknown", or that there is none. */
static void report(const struct watcher *watcher, double when, const cpu_set_t *cpus,
		   const char *field, const char *old, const char *new)
{
	char *time, *list;

	if (watcher->json) {
		print_json_line(when, json_pack("{s:o, s:s, s:o, s:o}",
			"cpus", json_cpus(cpus), "field", field,
			"old", json_text(old), "new", json_text(new)));
		return;
	}

	time = format_time(when, false);
	list = cpus_text(cpus);
	printf("%s  %s: %s %s -> %s\n", time, list, field,
	       old && *old ? old : "-", new && *new ? new : "-");
	free(list);
	free(time);
}

static void report_domain(const struct watcher *watcher, double when, const char *old,
			  const struct domain_verdict *domain)
{
	char *time, *list;
	enum condition_name name;
	bool first = true;

	if (watcher->json) {
		json_t *reasons = json_array();

		for (name = 0; name < CONDITIONS && domain->eas != YES; name++) {
			const struct condition *condition = &domain->condition[name];

			if (condition->met == NO)
				json_array_append_new(reasons, json_string(condition->text));
		}
		print_json_line(when, json_pack("{s:o, s:s, s:o, s:s, s:o}",
			"root_domain", json_cpus(domain->cpus), "field", "eas",
			"old", json_text(old), "new", eas_word(domain->eas),
			"reasons", reasons));
		return;
	}

	time = format_time(when, false);
	list = cpus_text(domain->cpus);
	printf("%s  root domain of %s: EAS %s -> %s", time, list, old ?: "-",
	       eas_word(domain->eas));
	for (name = 0; name < CONDITIONS && domain->eas != YES; name++) {
		if (domain->condition[name].met != NO)
			continue;
		printf("%s %s", first ? ":" : ";", domain->condition[name].text);
		first = false;
	}
	putchar('\n');
	free(list);
	free(time);
}

/* What can change, each as a string; to be freed */
static const char * const fields[] = {
	"online", "type", "capacity", "perf_domain", "driver", "mode", "governor", "epp",
	"compatible",
};
#define FIELDS	(sizeof(fields) / sizeof(*fields))

static char *number_text(int number)
{
	return number == UNKNOWN ? xstrdup("") : xasprintf("%d", number);
}

static char *field_text(const struct verdict *verdict, const struct cpu *cpu, size_t field)
{
	enum answer compatible;

	if (!cpu)
		return xstrdup(field ? "" : "no");

	switch (field) {
	case 0:
		return xstrdup(cpu->online ? "yes" : "no");
	case 1:
		return xstrdup(cpu->type);
	case 2:
		return number_text(cpu->capacity);
	case 3:
		return number_text(cpu->perf_domain);
	case 4:
		return xstrdup(cpu->driver);
	case 5:
		return xstrdup(cpu->mode);
	case 6:
		return xstrdup(cpu->governor);
	case 7:
		return xstrdup(cpu->epp);
	default:
		compatible = verdict->compatible[cpu - verdict->facts->cpus->cpu];
		return xstrdup(answer_word(compatible) ?: "");
	}
}

struct change {
	char *old, *new;
	cpu_set_t *cpus;
};

/* A change that is the same on many CPUs is printed once. */
static void report_field(const struct watcher *watcher, double when, const struct snapshot *old,
			 size_t field)
{
	const struct cpus *cpus = watcher->now.facts->cpus;
	struct change *changes = NULL, *change;
	int number = 0, i, j;

	for (i = 0; i < cpus->number; i++) {
		const struct cpu *cpu = &cpus->cpu[i];
		char *before, *after;

		if (watcher->only && !set_has(watcher->only, cpu->number))
			continue;
		before = field_text(old->verdict, cpus_find(old->facts->cpus, cpu->number), field);
		after = field_text(watcher->now.verdict, cpu, field);
		if (!strcmp(before, after)) {
			free(before);
			free(after);
			continue;
		}
		for (j = 0; j < number; j++)
			if (!strcmp(changes[j].old, before) && !strcmp(changes[j].new, after))
				break;
		if (j == number) {
			changes = xrealloc(changes, ++number * sizeof(*changes));
			changes[j] = (struct change){ before, after, set_new() };
		} else {
			free(before);
			free(after);
		}
		set_add(changes[j].cpus, cpu->number);
	}

	for (change = changes; change < changes + number; change++) {
		report(watcher, when, change->cpus, fields[field], change->old, change->new);
		free(change->old);
		free(change->new);
		CPU_FREE(change->cpus);
	}
	free(changes);
}

static void report_domains(const struct watcher *watcher, double when, const struct snapshot *old)
{
	const struct domain_verdict *domain, *before;
	int i, j;

	for (i = 0; i < watcher->now.verdict->domains; i++) {
		domain = &watcher->now.verdict->domain[i];
		if (watcher->only && !set_overlaps(watcher->only, domain->cpus))
			continue;
		before = NULL;
		for (j = 0; j < old->verdict->domains; j++)
			if (CPU_EQUAL_S(CPU_ALLOC_SIZE(MAX_CPUS), domain->cpus,
					old->verdict->domain[j].cpus))
				before = &old->verdict->domain[j];
		if (!before || before->eas != domain->eas)
			report_domain(watcher, when, before ? eas_word(before->eas) : NULL, domain);
	}
}

/* The trace knows, even if it cannot be derived. */
static void apply_traced(const struct watcher *watcher, const struct snapshot *snapshot)
{
	const struct cpus *cpus = snapshot->facts->cpus;
	int i;

	for (i = 0; i < cpus->number; i++)
		if (cpus->cpu[i].online && snapshot->verdict->compatible[i] == UNSURE)
			snapshot->verdict->compatible[i] = watcher->traced[cpus->cpu[i].number];
}

static void look(struct watcher *watcher)
{
	struct snapshot old = watcher->now;
	double when = clock_seconds(CLOCK_REALTIME);
	size_t field;

	watcher->now = take_snapshot();
	apply_traced(watcher, &watcher->now);
	for (field = 0; field < FIELDS; field++)
		report_field(watcher, when, &old, field);
	report_domains(watcher, when, &old);
	drop_snapshot(&old);
}

/* All changes that the kernel tells of are reported, even those that did not last. */
static void report_traced(struct watcher *watcher, const struct compat_event *event)
{
	const struct cpus *cpus = watcher->now.facts->cpus;
	const struct cpu *first = cpus_find(cpus, event->cpu);
	enum answer answer = event->compatible ? YES : NO;
	double offset = clock_seconds(CLOCK_REALTIME) - clock_seconds(CLOCK_MONOTONIC);
	int i;

	for (i = 0; first && i < cpus->number; i++) {
		const struct cpu *cpu = &cpus->cpu[i];
		enum answer *known = &watcher->now.verdict->compatible[i];
		cpu_set_t *set;

		if (cpu != first && (cpu->policy == UNKNOWN || cpu->policy != first->policy))
			continue;
		watcher->traced[cpu->number] = answer;
		if (*known == answer || (watcher->only && !set_has(watcher->only, cpu->number)))
			continue;
		set = set_new();
		set_add(set, cpu->number);
		report(watcher, event->time + offset, set, "compatible", answer_word(*known),
		       answer_word(answer));
		CPU_FREE(set);
		*known = answer;
	}
}

static void read_trace(struct watcher *watcher)
{
	struct compat_event *events;
	bool lost;
	int i, number = trace_read(watcher->trace, &events, &lost);

	for (i = 0; i < number; i++)
		report_traced(watcher, &events[i]);
	if (lost)
		memset(watcher->traced, 0, MAX_CPUS * sizeof(*watcher->traced));
	free(events);
}

static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* The end of a pipe is an error of output like others. */
	signal(SIGPIPE, SIG_IGN);

	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void print_first(const struct watcher *watcher, bool notify, double interval)
{
	if (watcher->json) {
		json_t *object = verdict_json(watcher->now.verdict, watcher->only);
		json_t *by = json_array();

		if (watcher->trace)
			json_array_append_new(by, json_string("tracepoints"));
		if (notify)
			json_array_append_new(by, json_string("inotify"));
		json_object_set_new(object, "watching_by", by);
		json_object_set_new(object, "interval", json_real(interval));
		print_json_line(clock_seconds(CLOCK_REALTIME), object);
		return;
	}

	print_text(watcher->now.verdict, watcher->only);
	if (!watcher->trace && !facts_privileged() && watcher->now.verdict->series != NO)
		puts("Root could watch by tracepoints in addition");
	printf("\nWatching by %s%severy %g s, until interrupted:\n",
	       watcher->trace ? "tracepoints, " : "",
	       notify ? "file notification, and " : "", interval);
}

enum { FD_SIGNAL, FD_OUTPUT, FD_NOTIFY, FD_TRACE, FDS };

static void loop(struct watcher *watcher, struct pollfd *fds, double interval)
{
	const size_t last = sizeof(again_after) / sizeof(*again_after);
	double now = clock_seconds(CLOCK_MONOTONIC), next = now + interval;
	size_t again = last;
	int timeout;

	while (!fflush(stdout)) {
		now = clock_seconds(CLOCK_MONOTONIC);
		timeout = next > now ? ceil((next - now) * 1000) : 0;
		if (poll(fds, FDS, timeout) < 0)
			continue;
		/* Nobody reads any more. */
		if (fds[FD_SIGNAL].revents || (fds[FD_OUTPUT].revents & (POLLERR | POLLNVAL)))
			break;

		now = clock_seconds(CLOCK_MONOTONIC);
		if (fds[FD_NOTIFY].revents || fds[FD_TRACE].revents) {
			if (fds[FD_TRACE].revents)
				read_trace(watcher);
			if (fds[FD_NOTIFY].revents)
				notify_drain(fds[FD_NOTIFY].fd);
			again = 0;
			next = now;
		}
		if (now < next)
			continue;

		look(watcher);
		notify_add(fds[FD_NOTIFY].fd, watcher->now.facts->cpus);
		now = clock_seconds(CLOCK_MONOTONIC);
		if (again < last - 1)
			next = now + fmin(again_after[++again], interval);
		else
			next = now + interval;
	}
}

int watch(const cpu_set_t *only, bool json, double interval)
{
	struct watcher watcher = { .only = only, .json = json };
	struct pollfd fds[FDS];
	int status;

	watcher.traced = xcalloc(MAX_CPUS, sizeof(*watcher.traced));
	/* From here on, the end has to be an orderly one. */
	fds[FD_SIGNAL] = (struct pollfd){ .fd = catch_signals(), .events = POLLIN };
	fds[FD_OUTPUT] = (struct pollfd){ .fd = STDOUT_FILENO };
	watcher.trace = trace_open();
	fds[FD_TRACE] = (struct pollfd){ .fd = watcher.trace ? trace_fd(watcher.trace) : -1,
					 .events = POLLIN };
	fds[FD_NOTIFY] = (struct pollfd){ .fd = notify_open(), .events = POLLIN };

	/* Before looking at them, so that nothing is missed in between. */
	watcher.now.facts = facts_read();
	notify_add(fds[FD_NOTIFY].fd, watcher.now.facts->cpus);
	facts_free(watcher.now.facts);

	watcher.now = take_snapshot();
	print_first(&watcher, fds[FD_NOTIFY].fd >= 0, interval);
	loop(&watcher, fds, interval);

	status = verdict_status(watcher.now.verdict, only);
	trace_close(watcher.trace);
	if (fds[FD_NOTIFY].fd >= 0)
		close(fds[FD_NOTIFY].fd);
	close(fds[FD_SIGNAL].fd);
	drop_snapshot(&watcher.now);
	free(watcher.traced);

	return status;
}
