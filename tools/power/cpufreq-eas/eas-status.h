/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eas-status: facts about this machine, conclusions from them, and how they are shown.
 */
#ifndef CPUFREQ_EAS_STATUS_H
#define CPUFREQ_EAS_STATUS_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>

#include "cpus.h"

/* Exit statuses */
enum {
	STATUS_ON = 0,
	STATUS_OFF = 1,
	STATUS_USAGE = 2,
	STATUS_UNKNOWN = 3,
};

enum answer {
	UNSURE,
	NO,
	YES,
};

/* What /proc/sys/kernel/sched_energy_aware says */
enum sysctl {
	SYSCTL_HIDDEN,		/* it cannot be read */
	SYSCTL_MISSING,		/* the kernel cannot do EAS */
	SYSCTL_EMPTY,		/* EAS is not possible on all active CPUs together */
	SYSCTL_0,		/* it would be, but has been disabled */
	SYSCTL_1,
};

/* Sets have MAX_CPUS bits. */
struct facts {
	struct cpus *cpus;

	/* Does the kernel let cpufreq drivers and EPP decide, or ask for schedutil only? */
	enum answer series;
	enum sysctl sysctl;
	enum answer smt_active;		/* a core has two CPUs online */
	enum answer smt_possible;	/* ... or may have them later: "off" is not "forceoff" */

	/* Online CPUs by root domain; those in none are isolated. */
	cpu_set_t **domain;
	int domains;
	cpu_set_t *isolated;
	/* Cpusets outside of this container may have made more of them. */
	bool domains_hidden;
};

struct facts *facts_read(void);
void facts_free(struct facts *facts);

/* Can read what other users cannot: if not, root would know more. */
bool facts_privileged(void);

enum condition_name {
	COND_KERNEL,
	COND_SYSCTL,
	COND_CAPACITY,
	COND_SMT,
	COND_INVARIANCE,
	COND_EM,
	COND_CPUFREQ,
	COND_GOVERNOR,
	COND_EPP,
	CONDITIONS,
};

struct condition {
	enum answer met;
	cpu_set_t *cpus;	/* that it is not met on, or may not be met on */
	char *text;		/* in plain words; what it is that is unknown, if unsure */
	char *remedy;		/* or what would tell; NULL if there is none */
};

struct domain_verdict {
	cpu_set_t *cpus;
	enum answer eas;
	enum answer possible;	/* could it be on if other conditions were met? */
	struct condition condition[CONDITIONS];
};

struct verdict {
	const struct facts *facts;
	enum answer series;		/* as in the facts, or concluded from others */
	enum answer *compatible;	/* of each CPU in facts->cpus */
	struct domain_verdict *domain;
	int domains;
};

/* conclude() - from nothing but the facts */
struct verdict *conclude(const struct facts *facts);
void verdict_free(struct verdict *verdict);

/* Exit status for all root domains with one of these CPUs (NULL: any) */
int verdict_status(const struct verdict *verdict, const cpu_set_t *only);

const char *condition_id(enum condition_name name);

/* "CPU 3", "CPUs 0-3"; to be freed */
char *cpus_text(const cpu_set_t *cpus);
cpu_set_t *set_new(void);
bool set_has(const cpu_set_t *set, int cpu);
void set_add(cpu_set_t *set, int cpu);
bool set_empty(const cpu_set_t *set);
bool set_overlaps(const cpu_set_t *a, const cpu_set_t *b);

/* What is to be shown; @only: these CPUs, or NULL */
void print_text(const struct verdict *verdict, const cpu_set_t *only);
void print_domain(const struct domain_verdict *domain);
json_t *verdict_json(const struct verdict *verdict, const cpu_set_t *only);
json_t *json_cpus(const cpu_set_t *cpus);
json_t *json_answer(enum answer answer);
json_t *json_text(const char *string);
const char *eas_word(enum answer eas);
const char *answer_word(enum answer answer);

/* What this user is not told, in one line to be freed, or NULL */
char *missing_text(const struct verdict *verdict);

/* Does not return before a signal or an error of output, but then with the exit status. */
int watch(const cpu_set_t *only, bool json, double interval);

#endif
