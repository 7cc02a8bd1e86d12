// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of CPUs: what CPUID says, and what differences in speed suggest.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "types.h"
#include "util.h"

/* Intel: "native model ID" leaf; it is there on processors that are not hybrid, too. */
#define INTEL_FEATURES		0x7
#define INTEL_FEATURES_HYBRID	(1u << 15)
#define INTEL_TYPE		0x1a
#define INTEL_TYPE_SHIFT	24
#define INTEL_TYPE_ATOM		0x20
#define INTEL_TYPE_CORE		0x40

/* AMD: "extended CPU topology" leaf */
#define EXTENDED		0x80000000
#define AMD_TYPE		0x80000026
#define AMD_HETEROGENEOUS	(1u << 30)
#define AMD_TYPE_SHIFT		28
#define AMD_TYPE_P		0
#define AMD_TYPE_E		1

static enum core_type intel_type(int cpu, types_cpuid_fn *run)
{
	struct cpuid r;

	if (!run(cpu, 0, &r) || r.eax < INTEL_TYPE ||
	    !run(cpu, INTEL_FEATURES, &r) || !(r.edx & INTEL_FEATURES_HYBRID) ||
	    !run(cpu, INTEL_TYPE, &r))
		return CORE_UNKNOWN;

	switch (r.eax >> INTEL_TYPE_SHIFT) {
	case INTEL_TYPE_CORE:
		return CORE_P;
	case INTEL_TYPE_ATOM:
		return CORE_E;
	default:
		return CORE_UNKNOWN;
	}
}

static enum core_type amd_type(int cpu, types_cpuid_fn *run)
{
	struct cpuid r;

	if (!run(cpu, EXTENDED, &r) || r.eax < AMD_TYPE ||
	    !run(cpu, AMD_TYPE, &r) || !(r.eax & AMD_HETEROGENEOUS))
		return CORE_UNKNOWN;

	switch (r.ebx >> AMD_TYPE_SHIFT) {
	case AMD_TYPE_P:
		return CORE_P;
	case AMD_TYPE_E:
		return CORE_E;
	default:
		return CORE_UNKNOWN;
	}
}

enum core_type types_from_cpuid(int cpu, types_cpuid_fn *run)
{
	struct cpuid r;

	if (!run(cpu, 0, &r))
		return CORE_UNKNOWN;

	switch (r.ebx) {
	case 0x756e6547:	/* "Genu"ineIntel */
		return intel_type(cpu, run);
	case 0x68747541:	/* "Auth"enticAMD */
		return amd_type(cpu, run);
	default:
		return CORE_UNKNOWN;
	}
}

bool types_cpuid_device(int cpu, uint32_t leaf, struct cpuid *result)
{
	char *path = xasprintf("/dev/cpu/%d/cpuid", cpu);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool done;

	free(path);
	if (fd < 0)
		return false;

	/* The position is the leaf, and 0 in its upper half the subleaf. */
	done = pread(fd, result, sizeof(*result), leaf) == sizeof(*result);
	close(fd);

	return done;
}

#if defined(__x86_64__) || defined(__i386__)
bool types_cpuid_here(int cpu, uint32_t leaf, struct cpuid *result)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *before = CPU_ALLOC(MAX_CPUS), *there = CPU_ALLOC(MAX_CPUS);
	bool done = false;

	if (!before || !there)
		die(EXIT_FAILED, "out of memory");

	CPU_ZERO_S(size, there);
	CPU_SET_S(cpu, size, there);
	/* Fails if the CPU is offline, or not one that this process may use. */
	if (!sched_getaffinity(0, size, before) && !sched_setaffinity(0, size, there)) {
		__cpuid_count(leaf, 0, result->eax, result->ebx, result->ecx, result->edx);
		sched_setaffinity(0, size, before);
		done = true;
	}
	CPU_FREE(before);
	CPU_FREE(there);

	return done;
}
#else
bool types_cpuid_here(int cpu, uint32_t leaf, struct cpuid *result)
{
	(void)cpu;
	(void)leaf;
	(void)result;

	return false;
}
#endif

static int faster_first(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x < y) - (x > y);
}

int types_group(const long long *speed, int n, int *group)
{
	long long *sorted = xcalloc(n, sizeof(*sorted));
	int i, j, groups = 0, known = 0;

	for (i = 0; i < n; i++) {
		group[i] = -1;
		if (speed[i] > 0)
			sorted[known++] = speed[i];
	}
	qsort(sorted, known, sizeof(*sorted), faster_first);

	for (i = 0; i < known; i++) {
		if (!i || sorted[i - 1] * 10 > sorted[i] * 11)
			groups++;
		/* Equal ones are next to each other, so all of them get the same. */
		for (j = 0; j < n; j++)
			if (speed[j] == sorted[i])
				group[j] = groups - 1;
	}
	free(sorted);

	return groups;
}
