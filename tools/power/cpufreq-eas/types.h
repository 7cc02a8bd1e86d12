/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of CPUs: what CPUID says, and what differences in speed suggest.
 */
#ifndef CPUFREQ_EAS_TYPES_H
#define CPUFREQ_EAS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

enum core_type {
	CORE_UNKNOWN,
	CORE_P,
	CORE_E,
	CORE_LPE,	/* E-core without the level 3 cache of P-cores, or on a PMU of its own */
};

/* Registers after CPUID, in the order that /dev/cpu/N/cpuid has them */
struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * types_cpuid_fn - execute CPUID on a certain CPU
 *
 * Return: false if that is not possible.
 */
typedef bool types_cpuid_fn(int cpu, uint32_t leaf, struct cpuid *result);

/*
 * types_from_cpuid() - if the processor is one with several types, and says so
 * @run: executes CPUID
 *
 * E-cores and LPE-cores are the same to CPUID.
 */
enum core_type types_from_cpuid(int cpu, types_cpuid_fn *run);

/* Two ways of executing CPUID: by the kernel, for root, and in this thread. */
bool types_cpuid_device(int cpu, uint32_t leaf, struct cpuid *result);
bool types_cpuid_here(int cpu, uint32_t leaf, struct cpuid *result);

/*
 * types_group() - tell types from each other by speed
 * @speed: of each CPU, 0 if unknown
 * @group: on return, 0 for the fastest type, and so on; -1 if unknown
 *
 * Not every difference is a type: cores of one type may boost higher than others. Where
 * CPUs sorted by speed have a gap of more than 10 %, the next type begins.
 *
 * Return: how many types there are.
 */
int types_group(const long long *speed, int n, int *group);

#endif
