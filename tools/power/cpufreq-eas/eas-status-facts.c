// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: what files say about this machine.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "eas-status.h"
#include "util.h"

#define SYS_CPU		"/sys/devices/system/cpu"

/* Deeper than any control group is going to be */
#define MAX_DEPTH	32

cpu_set_t *set_new(void)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);

	if (!set)
		die(EXIT_FAILED, "out of memory");
	CPU_ZERO_S(CPU_ALLOC_SIZE(MAX_CPUS), set);

	return set;
}

bool set_has(const cpu_set_t *set, int cpu)
{
	return CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(MAX_CPUS), set);
}

void set_add(cpu_set_t *set, int cpu)
{
	CPU_SET_S(cpu, CPU_ALLOC_SIZE(MAX_CPUS), set);
}

bool set_empty(const cpu_set_t *set)
{
	return !CPU_COUNT_S(CPU_ALLOC_SIZE(MAX_CPUS), set);
}

bool set_overlaps(const cpu_set_t *a, const cpu_set_t *b)
{
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (set_has(a, cpu) && set_has(b, cpu))
			return true;

	return false;
}

static void set_remove(cpu_set_t *set, const cpu_set_t *others)
{
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (set_has(others, cpu))
			CPU_CLR_S(cpu, CPU_ALLOC_SIZE(MAX_CPUS), set);
}

bool facts_privileged(void)
{
	return !geteuid();
}

/* Before 6.7, the sysctl could be read even if EAS was not possible. */
static bool sysctl_always_readable(void)
{
	int major = 0, minor = 0;
	struct utsname kernel;

	uname(&kernel);
	sscanf(kernel.release, "%d.%d", &major, &minor);

	return major < 6 || (major == 6 && minor < 7);
}

static enum sysctl read_sysctl(void)
{
	char *value = read_file("/proc/sys/kernel/sched_energy_aware");
	enum sysctl sysctl = SYSCTL_HIDDEN;

	if (!value) {
		/* Not there, or is nothing there? */
		if (errno == ENOENT && !access("/proc/sys/kernel/ostype", F_OK))
			sysctl = SYSCTL_MISSING;
	} else if (!*value) {
		sysctl = SYSCTL_EMPTY;
	} else if (!strcmp(value, "0") && !sysctl_always_readable()) {
		sysctl = SYSCTL_0;
	} else if (!strcmp(value, "1") && !sysctl_always_readable()) {
		sysctl = SYSCTL_1;
	}
	free(value);

	return sysctl;
}

/* Its tracepoints are there, for those who may look. */
static enum answer series_by_tracefs(void)
{
	static const char * const dirs[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	enum answer answer = UNSURE;
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(*dirs) && answer == UNSURE; i++) {
		char *with = xasprintf("%s/events/power/cpu_eas_compatible", dirs[i]);
		char *without = xasprintf("%s/events/power/cpu_frequency", dirs[i]);

		if (!access(with, F_OK))
			answer = YES;
		else if (errno == ENOENT && !access(without, F_OK))
			answer = NO;
		free(with);
		free(without);
	}

	return answer;
}

/* Everybody may read the names of functions, if the kernel has them. */
static enum answer series_by_symbols(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	enum answer answer = UNSURE;
	char *line = NULL;
	size_t size = 0;

	while (symbols && getline(&line, &size, symbols) > 0) {
		char *name = strrchr(line, ' ');

		if (!name)
			continue;
		if (!strcmp(name, " cpufreq_eas_set_governor\n")) {
			answer = YES;
			break;
		}
		/* It is in all kernels with cpufreq and EAS. */
		if (!strcmp(name, " cpufreq_ready_for_eas\n"))
			answer = NO;
	}
	free(line);
	if (symbols)
		fclose(symbols);

	return answer;
}

static enum answer read_series(void)
{
	/* That takes a while, and does not change. */
	static enum answer answer;
	static bool known;

	if (!known) {
		answer = series_by_tracefs();
		if (answer == UNSURE)
			answer = series_by_symbols();
		known = true;
	}

	return answer;
}

static void read_smt(struct facts *facts)
{
	char *control = read_file(SYS_CPU "/smt/control");
	long long active;

	if (read_number(&active, SYS_CPU "/smt/active"))
		facts->smt_active = active ? YES : NO;
	if (control)
		facts->smt_possible = !strcmp(control, "forceoff") ||
				      !strcmp(control, "notsupported") ||
				      !strcmp(control, "notimplemented") ? NO : YES;
	free(control);
}

static cpu_set_t *read_set(const char *directory, const char *name)
{
	char *list = read_file("%s/%s", directory, name);
	cpu_set_t *set = set_new();

	if (list && *list)
		parse_cpu_list(list, set);
	free(list);

	return set;
}

static void add_domain(struct facts *facts, cpu_set_t *cpus)
{
	if (set_empty(cpus)) {
		CPU_FREE(cpus);
		return;
	}
	facts->domain = xrealloc(facts->domain, (facts->domains + 1) * sizeof(*facts->domain));
	facts->domain[facts->domains++] = cpus;
}

/* Those CPUs of a partition that it has not given to partitions below are a root domain. */
static void find_partitions(struct facts *facts, const char *directory, int depth)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char *path, *kind;

	while (dir && depth < MAX_DEPTH && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		path = xasprintf("%s/%s", directory, entry->d_name);
		kind = read_file("%s/cpuset.cpus.partition", path);
		/* Invalid ones have more words. */
		if (kind && !strcmp(kind, "root"))
			add_domain(facts, read_set(path, "cpuset.cpus.effective"));
		/* Without the controller here there is none below. */
		if (kind)
			find_partitions(facts, path, depth + 1);
		free(kind);
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* Where control groups (version 2) are, or cpusets of version 1; to be freed, or NULL */
static char *cgroup_mount(bool *v1)
{
	char *mounts = read_file("/proc/self/mounts"), *rest = mounts, *line, *found = NULL;
	char directory[256], type[32], options[512];

	while (mounts && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%*s %255s %31s %511s", directory, type, options) != 3)
			continue;
		if (!strcmp(type, "cpuset") ||
		    (!strcmp(type, "cgroup") && strstr(options, "cpuset")))
			*v1 = true;
		else if (strcmp(type, "cgroup2"))
			continue;
		free(found);
		found = xstrdup(directory);
		if (*v1)
			break;
	}
	free(mounts);

	return found;
}

static bool has_file(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	bool has = !access(path, F_OK);

	free(path);

	return has;
}

static void read_domains(struct facts *facts)
{
	cpu_set_t *rest = set_new(), *isolated, *partitioned;
	bool v1 = false;
	char *cgroups = cgroup_mount(&v1), *balance;
	int i;

	for (i = 0; i < facts->cpus->number; i++)
		if (facts->cpus->cpu[i].online)
			set_add(rest, facts->cpus->cpu[i].number);

	/* By isolcpus= */
	isolated = read_set(SYS_CPU, "isolated");
	set_remove(rest, isolated);
	CPU_FREE(isolated);

	if (cgroups && v1) {
		/* Cpusets of version 1 make domains of those that overlap. This is obsolete. */
		balance = read_file("%s/cpuset.sched_load_balance", cgroups);
		if (balance && !strcmp(balance, "0"))
			facts->domains_hidden = true;
		free(balance);
	} else if (cgroups) {
		/* The real root has no type. */
		if (has_file(cgroups, "cgroup.type"))
			facts->domains_hidden = true;
		else
			find_partitions(facts, cgroups, 0);
		for (i = 0; i < facts->domains; i++)
			set_remove(rest, facts->domain[i]);
		/* Partitions that are isolated */
		partitioned = read_set(cgroups, "cpuset.cpus.isolated");
		set_remove(rest, partitioned);
		CPU_FREE(partitioned);
	}
	free(cgroups);
	add_domain(facts, rest);

	facts->isolated = set_new();
	for (i = 0; i < facts->cpus->number; i++)
		if (facts->cpus->cpu[i].online)
			set_add(facts->isolated, facts->cpus->cpu[i].number);
	for (i = 0; i < facts->domains; i++)
		set_remove(facts->isolated, facts->domain[i]);
}

struct facts *facts_read(void)
{
	struct facts *facts = xcalloc(1, sizeof(*facts));

	facts->series = read_series();
	facts->cpus = cpus_read();
	read_smt(facts);
	read_domains(facts);
	/* The last thing, because it is the kernel's verdict on all of the above. */
	facts->sysctl = read_sysctl();

	return facts;
}

void facts_free(struct facts *facts)
{
	int i;

	if (!facts)
		return;

	cpus_free(facts->cpus);
	for (i = 0; i < facts->domains; i++)
		CPU_FREE(facts->domain[i]);
	free(facts->domain);
	CPU_FREE(facts->isolated);
	free(facts);
}
