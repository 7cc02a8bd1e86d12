// SPDX-License-Identifier: GPL-2.0-only
/*
 * What CPUs there are and what cpufreq does with them, as far as this user may know.
 */
#include <cpufreq.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"
#include "em.h"
#include "types.h"
#include "util.h"

#define SYS_CPU	"/sys/devices/system/cpu"

static const char * const core_type_names[] = {
	[CORE_UNKNOWN]	= "",
	[CORE_P]	= "P",
	[CORE_E]	= "E",
	[CORE_LPE]	= "LPE",
};

static cpu_set_t *read_cpu_list(const char *path)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	char *list = read_file("%s", path);

	if (!set)
		die(EXIT_FAILED, "out of memory");
	if (!list || !parse_cpu_list(list, set))
		CPU_ZERO_S(CPU_ALLOC_SIZE(MAX_CPUS), set);
	free(list);

	return set;
}

static bool in_set(int cpu, const cpu_set_t *set)
{
	return CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(MAX_CPUS), set);
}

/* Empty if it cannot be read, or does not fit. */
static void copy_string(char *to, size_t size, char *from)
{
	if (from && strlen(from) < size)
		strcpy(to, from);
	else
		*to = '\0';
	free(from);
}

static void read_online(struct cpus *cpus)
{
	cpu_set_t *present = read_cpu_list(SYS_CPU "/present");
	cpu_set_t *online = read_cpu_list(SYS_CPU "/online");
	int number;

	for (number = 0; number < MAX_CPUS; number++) {
		struct cpu *cpu;

		if (!in_set(number, present))
			continue;
		cpus->cpu = xrealloc(cpus->cpu, (cpus->number + 1) * sizeof(*cpus->cpu));
		cpu = &cpus->cpu[cpus->number++];
		memset(cpu, 0, sizeof(*cpu));
		cpu->number = number;
		cpu->online = in_set(number, online);
	}
	CPU_FREE(present);
	CPU_FREE(online);
}

static void read_sibling(struct cpu *cpu)
{
	char *list = read_file(SYS_CPU "/cpu%d/topology/thread_siblings_list", cpu->number);

	/* The lowest one comes first. */
	cpu->sibling = list && *list ? atoi(list) : cpu->number;
	free(list);
}

void cpu_epp_word(const struct cpu *cpu, char word[48])
{
	static const char dynamic[] = "dynamic(profile:";

	if (!strncmp(cpu->epp, dynamic, sizeof(dynamic) - 1)) {
		strcpy(word, cpu->epp + sizeof(dynamic) - 1);
		word[strcspn(word, ")")] = '\0';
	} else {
		strcpy(word, cpu->epp);
	}
}

static int epp_value(const struct cpu *cpu)
{
	static const struct {
		const char *word;
		int value;
	} amd[] = {
		{ "performance", 0 },
		{ "balance_performance", 128 },
		{ "balance_power", 191 },
	};
	char word[sizeof(cpu->epp)], *end;
	long number;
	size_t i;

	cpu_epp_word(cpu, word);
	number = strtol(word, &end, 10);
	if (end != word)
		return !*end && number >= 0 && number <= 255 ? number : UNKNOWN;

	if (!strcmp(word, "power"))
		return 255;
	/* These are the same on all AMD processors, but not on all of Intel's. */
	if (!strncmp(cpu->driver, "amd-pstate", 10)) {
		for (i = 0; i < sizeof(amd) / sizeof(*amd); i++)
			if (!strcmp(word, amd[i].word))
				return amd[i].value;
	}

	return UNKNOWN;
}

static bool has_attribute(const struct cpu *cpu, const char *name)
{
	char *path = xasprintf(SYS_CPU "/cpufreq/policy%d/%s", cpu->policy, name);
	bool has = !access(path, F_OK);

	free(path);

	return has;
}

static void read_cpufreq(struct cpu *cpu, char *intel_mode, char *amd_mode)
{
	char *link, target[64], *driver;
	struct cpufreq_policy *policy;
	ssize_t length;

	cpu->policy = cpu->epp_value = UNKNOWN;

	/* It is a link to ../cpufreq/policyN, or nothing. */
	link = xasprintf(SYS_CPU "/cpu%d/cpufreq", cpu->number);
	length = readlink(link, target, sizeof(target) - 1);
	free(link);
	if (length < 0)
		return;
	target[length] = '\0';
	link = strrchr(target, '/');
	if (!link || sscanf(link, "/policy%d", &cpu->policy) != 1)
		return;

	driver = cpufreq_get_driver(cpu->number);
	if (driver) {
		snprintf(cpu->driver, sizeof(cpu->driver), "%s", driver);
		cpufreq_put_driver(driver);
	}
	policy = cpufreq_get_policy(cpu->number);
	if (policy) {
		snprintf(cpu->governor, sizeof(cpu->governor), "%s", policy->governor);
		cpufreq_put_policy(policy);
	}
	if (!strcmp(cpu->driver, "intel_pstate") || !strcmp(cpu->driver, "intel_cpufreq"))
		strcpy(cpu->mode, intel_mode);
	else if (!strncmp(cpu->driver, "amd-pstate", 10))
		strcpy(cpu->mode, amd_mode);

	cpu->has_epp = has_attribute(cpu, "energy_performance_preference");
	copy_string(cpu->epp, sizeof(cpu->epp),
		    read_file(SYS_CPU "/cpufreq/policy%d/energy_performance_preference",
			      cpu->policy));
	cpu->epp_value = epp_value(cpu);
	/* intel_pstate has this file with HWP only. */
	cpu->hwp = has_attribute(cpu, "base_frequency");
}

static void read_all_cpufreq(struct cpus *cpus)
{
	char intel_mode[sizeof(cpus->cpu->mode)], amd_mode[sizeof(cpus->cpu->mode)];
	int i;

	copy_string(intel_mode, sizeof(intel_mode), read_file(SYS_CPU "/intel_pstate/status"));
	copy_string(amd_mode, sizeof(amd_mode), read_file(SYS_CPU "/amd_pstate/status"));
	for (i = 0; i < cpus->number; i++)
		read_cpufreq(&cpus->cpu[i], intel_mode, amd_mode);
}

/* From the best source that there is for all CPUs that are online */
static void read_capacities(struct cpus *cpus, const struct em *em)
{
	bool from_kernel = true, from_em = true, from_cppc = true;
	long long *perf = xcalloc(cpus->number, sizeof(*perf)), max = 0, value;
	struct cpu *cpu;
	int i;

	for (i = 0; i < cpus->number; i++) {
		cpu = &cpus->cpu[i];
		cpu->capacity = UNKNOWN;
		cpu->perf_domain = em->perf_domain[cpu->number];
		if (!cpu->online)
			continue;
		if (read_number(&value, SYS_CPU "/cpu%d/cpu_capacity", cpu->number))
			cpu->capacity = value;
		else
			from_kernel = false;
		if (em->capacity[cpu->number] <= 0)
			from_em = false;
		if (read_number(&perf[i], SYS_CPU "/cpu%d/acpi_cppc/highest_perf", cpu->number) &&
		    perf[i] > 0)
			max = perf[i] > max ? perf[i] : max;
		else
			from_cppc = false;
	}

	for (i = 0; i < cpus->number && !from_kernel; i++) {
		cpu = &cpus->cpu[i];
		if (!cpu->online || (!from_em && !from_cppc)) {
			cpu->capacity = UNKNOWN;
		} else if (from_em) {
			cpu->capacity = em->capacity[cpu->number];
		} else {
			cpu->capacity = perf[i] * 1024 / max;
			cpu->capacity_derived = true;
		}
	}
	free(perf);
}

/* CPUs that share a level 3 cache with this one; none if there is no such cache */
static cpu_set_t *l3_sharers(int cpu)
{
	cpu_set_t *sharers;
	long long level;
	char *path;
	int i;

	for (i = 0; read_number(&level, SYS_CPU "/cpu%d/cache/index%d/level", cpu, i); i++) {
		if (level != 3)
			continue;
		path = xasprintf(SYS_CPU "/cpu%d/cache/index%d/shared_cpu_list", cpu, i);
		sharers = read_cpu_list(path);
		free(path);
		return sharers;
	}

	return read_cpu_list("/dev/null");
}

/*
 * LPE-cores are E-cores to CPUID, but are kept apart from the others: they have no level 3 cache,
 * or at least not that of the P-cores.
 */
static void find_lpe_cores(const struct cpus *cpus, enum core_type *type)
{
	bool any_p = false, with_p;
	cpu_set_t *sharers;
	int i, j;

	for (i = 0; i < cpus->number; i++)
		any_p |= type[i] == CORE_P && cpus->cpu[i].online;

	for (i = 0; i < cpus->number; i++) {
		if (type[i] != CORE_E || !cpus->cpu[i].online)
			continue;
		sharers = l3_sharers(cpus->cpu[i].number);
		/* If no P-core is online, it does not tell who shares it. */
		with_p = !any_p && in_set(cpus->cpu[i].number, sharers);
		for (j = 0; j < cpus->number; j++)
			with_p |= type[j] == CORE_P && in_set(cpus->cpu[j].number, sharers);
		if (!with_p)
			type[i] = CORE_LPE;
		CPU_FREE(sharers);
	}
}

/* Performance counters of hybrid processors: one directory for each type */
static bool types_from_pmus(const struct cpus *cpus, enum core_type *type)
{
	cpu_set_t *p = read_cpu_list("/sys/devices/cpu_core/cpus");
	cpu_set_t *e = read_cpu_list("/sys/devices/cpu_atom/cpus");
	cpu_set_t *lpe = read_cpu_list("/sys/devices/cpu_lowpower/cpus");
	bool known = true;
	int i, cpu;

	for (i = 0; i < cpus->number; i++) {
		cpu = cpus->cpu[i].number;
		if (in_set(cpu, lpe))
			type[i] = CORE_LPE;
		else if (in_set(cpu, e))
			type[i] = CORE_E;
		else if (in_set(cpu, p))
			type[i] = CORE_P;
		else if (cpus->cpu[i].online)
			known = false;
	}
	CPU_FREE(p);
	CPU_FREE(e);
	CPU_FREE(lpe);

	return known;
}

static bool types_from_all_cpuids(const struct cpus *cpus, enum core_type *type,
				  types_cpuid_fn *run)
{
	int i;

	for (i = 0; i < cpus->number; i++) {
		type[i] = CORE_UNKNOWN;
		if (!cpus->cpu[i].online)
			continue;
		type[i] = types_from_cpuid(cpus->cpu[i].number, run);
		if (type[i] == CORE_UNKNOWN)
			return false;
	}

	return true;
}

static int group_by_file(const struct cpus *cpus, const char *file, int *group)
{
	long long *speed = xcalloc(cpus->number, sizeof(*speed));
	int i, groups;

	for (i = 0; i < cpus->number; i++)
		if (cpus->cpu[i].online)
			read_number(&speed[i], SYS_CPU "/cpu%d/%s", cpus->cpu[i].number, file);
	groups = types_group(speed, cpus->number, group);
	free(speed);

	return groups;
}

static void types_from_speed(struct cpus *cpus)
{
	/* What the scheduler goes by comes first, but it may take all CPUs for equal. */
	static const char * const files[] = {
		"cpu_capacity", "acpi_cppc/highest_perf", "cpufreq/cpuinfo_max_freq",
	};
	int *group = xcalloc(cpus->number, sizeof(*group));
	int groups = 0;
	struct cpu *cpu;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files) && groups < 2; i++)
		groups = group_by_file(cpus, files[i], group);

	for (cpu = cpus->cpu; cpu < cpus->cpu + cpus->number; cpu++) {
		if (!cpu->online)
			continue;
		if (groups < 2)
			strcpy(cpu->type, "core");
		else if (group[cpu - cpus->cpu] >= 0)
			snprintf(cpu->type, sizeof(cpu->type), "type%d", group[cpu - cpus->cpu]);
	}
	free(group);
}

static void find_types(struct cpus *cpus)
{
	enum core_type *type = xcalloc(cpus->number, sizeof(*type));
	int i;

	if (types_from_pmus(cpus, type) ||
	    types_from_all_cpuids(cpus, type, types_cpuid_device) ||
	    types_from_all_cpuids(cpus, type, types_cpuid_here)) {
		if (cpus->intel)
			find_lpe_cores(cpus, type);
		for (i = 0; i < cpus->number; i++)
			strcpy(cpus->cpu[i].type, core_type_names[type[i]]);
	} else {
		types_from_speed(cpus);
	}
	free(type);
}

/* They do not change, and asking disturbs all CPUs, so ask again only if others are online. */
static void read_types(struct cpus *cpus)
{
	static struct cpu *last;
	static int last_number;
	bool same = cpus->number == last_number;
	int i;

	for (i = 0; i < cpus->number && same; i++)
		same = cpus->cpu[i].number == last[i].number &&
		       cpus->cpu[i].online == last[i].online;

	if (same) {
		for (i = 0; i < cpus->number; i++)
			strcpy(cpus->cpu[i].type, last[i].type);
		return;
	}

	find_types(cpus);
	last_number = cpus->number;
	last = xrealloc(last, last_number * sizeof(*last));
	memcpy(last, cpus->cpu, last_number * sizeof(*last));
}

static void read_cpuinfo(struct cpus *cpus)
{
	/* All processors are alike in this respect, and it does not change. */
	static struct cpus known;
	static bool done;
	char *info, *line;

	if (!done) {
		info = read_file("/proc/cpuinfo");
		line = info ? strstr(info, "vendor_id") : NULL;
		if (line)
			known.intel = !strncmp(line + strcspn(line, "\n:"), ": GenuineIntel", 14);
		line = info ? strstr(info, "\nflags") : NULL;
		if (line) {
			line[1 + strcspn(line + 1, "\n")] = '\0';
			known.x86 = true;
			known.aperfmperf = strstr(line, " aperfmperf");
		}
		free(info);
		done = true;
	}
	cpus->intel = known.intel;
	cpus->x86 = known.x86;
	cpus->aperfmperf = known.aperfmperf;
}

struct cpus *cpus_read(void)
{
	struct cpus *cpus = xcalloc(1, sizeof(*cpus));
	struct em *em = em_read();
	int i;

	read_online(cpus);
	if (!cpus->number)
		die(EXIT_FAILED, "there are no CPUs in " SYS_CPU ", mount sysfs on /sys");
	read_cpuinfo(cpus);
	for (i = 0; i < cpus->number; i++)
		read_sibling(&cpus->cpu[i]);
	read_all_cpufreq(cpus);
	read_capacities(cpus, em);
	cpus->em_known = em->source != EM_HIDDEN;
	em_free(em);
	read_types(cpus);

	return cpus;
}

void cpus_free(struct cpus *cpus)
{
	if (!cpus)
		return;

	free(cpus->cpu);
	free(cpus);
}

const struct cpu *cpus_find(const struct cpus *cpus, int number)
{
	int i;

	for (i = 0; i < cpus->number; i++)
		if (cpus->cpu[i].number == number)
			return &cpus->cpu[i];

	return NULL;
}

/* P before E before LPE; others have their order in their names. */
static int rank(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof(core_type_names) / sizeof(*core_type_names); i++)
		if (!strcmp(type, core_type_names[i]))
			return i;

	return 0;
}

static int by_rank(const void *a, const void *b)
{
	const char *x = *(char * const *)a, *y = *(char * const *)b;

	return rank(x) - rank(y) ?: strcmp(x, y);
}

int cpus_types(const struct cpus *cpus, char ***types)
{
	int i, j, number = 0;

	*types = NULL;
	for (i = 0; i < cpus->number; i++) {
		if (!cpus->cpu[i].online || !*cpus->cpu[i].type)
			continue;
		for (j = 0; j < number; j++)
			if (!strcmp((*types)[j], cpus->cpu[i].type))
				break;
		if (j < number)
			continue;
		*types = xrealloc(*types, (number + 2) * sizeof(**types));
		(*types)[number++] = xstrdup(cpus->cpu[i].type);
	}
	*types = xrealloc(*types, (number + 1) * sizeof(**types));
	(*types)[number] = NULL;
	qsort(*types, number, sizeof(**types), by_rank);

	return number;
}
