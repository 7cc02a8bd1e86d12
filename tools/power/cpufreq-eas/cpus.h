/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What CPUs there are and what cpufreq does with them, as far as this user may know.
 */
#ifndef CPUFREQ_EAS_CPUS_H
#define CPUFREQ_EAS_CPUS_H

#include <sched.h>
#include <stdbool.h>

/* Unknown numbers */
#define UNKNOWN		(-1)

struct cpu {
	int number;
	bool online;
	/* "P", "E", "LPE", "core" if all are alike, "type0", "type1" (fastest first) if unknown */
	char type[16];
	int capacity;		/* 1 to 1024, as the scheduler has it, or UNKNOWN */
	bool capacity_derived;	/* ... but not from the scheduler: ratio of ACPI CPPC values */
	int perf_domain;	/* lowest CPU number in it, or UNKNOWN */
	int policy;		/* number of the cpufreq policy, or UNKNOWN */
	int sibling;		/* lowest CPU number of the same core (SMT) */
	/* Empty strings if not there */
	char driver[32];
	char mode[16];		/* active, passive, guided */
	char governor[32];
	char epp[48];		/* as shown: a word, a number, or these in "dynamic(profile:)" */
	bool has_epp;		/* there is a file for it; if epp is empty, reading has failed */
	int epp_value;		/* 0 to 255, what the word means if that is known, or UNKNOWN */
	bool hwp;		/* intel_pstate uses hardware-managed P-states */
};

struct cpus {
	int number;		/* entries: possible CPUs that are present */
	struct cpu *cpu;	/* by ascending number */
	bool intel;
	bool x86;
	bool aperfmperf;	/* there are APERF and MPERF (x86) */
	bool em_known;		/* perf_domain of CPUs tells if they have an Energy Model */
};

/* cpus_read() - how it is right now. Never fails; die()s if there are no CPUs at all. */
struct cpus *cpus_read(void);
void cpus_free(struct cpus *cpus);

/* cpus_find() - by number, or NULL */
const struct cpu *cpus_find(const struct cpus *cpus, int number);

/* cpu_epp_word() - the word or number in effect, without "dynamic(profile:" and ")" */
void cpu_epp_word(const struct cpu *cpu, char word[48]);

/*
 * cpus_types() - the types of online CPUs, fastest first
 * @types: NULL-terminated array of strings, to be freed, as the strings
 *
 * Return: how many.
 */
int cpus_types(const struct cpus *cpus, char ***types);

#endif
