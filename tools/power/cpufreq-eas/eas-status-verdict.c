// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: what follows from the facts.
 *
 * The kernel checks these conditions when it builds sched domains (kernel/sched/topology.c).
 * Each of them is met, not met, or unsure; nothing is assumed to be what it usually is.
 */
#include <stdlib.h>
#include <string.h>

#include "eas-status.h"
#include "eas-status-conditions.h"
#include "util.h"

/* Conditions that /proc/sys/kernel/sched_energy_aware is empty without */
static const bool needed_for_sysctl[CONDITIONS] = {
	[COND_CAPACITY]		= true,
	[COND_SMT]		= true,
	[COND_INVARIANCE]	= true,
	[COND_CPUFREQ]		= true,
	[COND_GOVERNOR]		= true,
	[COND_EPP]		= true,
};

static bool covers_all(const struct facts *facts)
{
	return facts->domains == 1 && !facts->domains_hidden && set_empty(facts->isolated);
}

static bool sysctl_readable(const struct facts *facts)
{
	return facts->sysctl == SYSCTL_0 || facts->sysctl == SYSCTL_1;
}

/* Do these assumptions agree with what the kernel says about all CPUs together? */
static bool plausible(const struct facts *facts, const struct assumptions *assumptions)
{
	bool all_met = true, agrees = true;
	struct condition condition;
	enum condition_name name;
	cpu_set_t *online;
	int i;

	if (facts->sysctl != SYSCTL_EMPTY && !sysctl_readable(facts))
		return true;

	online = set_new();
	for (i = 0; i < facts->cpus->number; i++)
		if (facts->cpus->cpu[i].online)
			set_add(online, facts->cpus->cpu[i].number);

	for (name = 0; name < CONDITIONS; name++) {
		if (!needed_for_sysctl[name])
			continue;
		condition_check(&condition, name, facts, assumptions, online);
		if (condition.met != YES)
			all_met = false;
		/* Capacities may differ between domains only, so this one proves nothing. */
		if (condition.met == NO && name != COND_CAPACITY && sysctl_readable(facts))
			agrees = false;
		condition_clear(&condition);
	}
	/* The same goes for the opposite. */
	if (all_met && covers_all(facts) && facts->sysctl == SYSCTL_EMPTY)
		agrees = false;
	CPU_FREE(online);

	return agrees;
}

/* If it is unsure, it may still be that only one answer agrees with what the kernel says. */
static void settle(const struct facts *facts, struct assumptions *assumptions)
{
	const enum answer series = assumptions->series;
	static const enum answer answers[] = { NO, YES };
	bool series_may_be[YES + 1] = { false }, low_may_be[YES + 1] = { false };
	size_t i, j;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < 2; j++) {
			struct assumptions trial = {
				.series = answers[i], .low_epp_vetoes = answers[j],
			};

			if ((series != UNSURE && series != answers[i]) || !plausible(facts, &trial))
				continue;
			series_may_be[answers[i]] = true;
			low_may_be[answers[j]] = true;
		}
	}
	if (series_may_be[YES] != series_may_be[NO])
		assumptions->series = series_may_be[YES] ? YES : NO;
	if (low_may_be[YES] != low_may_be[NO])
		assumptions->low_epp_vetoes = low_may_be[YES] ? YES : NO;
}

/* The kernel shows the sysctl only if all of them are met, so whether it does tells something. */
static void believe_sysctl(const struct facts *facts, struct domain_verdict *domain)
{
	enum condition_name name;
	int unsure = 0, not_met = 0;

	if (sysctl_readable(facts)) {
		for (name = 0; name < CONDITIONS; name++)
			if (needed_for_sysctl[name] &&
			    (name != COND_CAPACITY ||
			     (covers_all(facts) && domain->condition[name].met == UNSURE)))
				condition_set(&domain->condition[name], YES);
		return;
	}

	if (facts->sysctl != SYSCTL_EMPTY || !covers_all(facts))
		return;

	for (name = 0; name < CONDITIONS; name++) {
		if (!needed_for_sysctl[name])
			continue;
		unsure += domain->condition[name].met == UNSURE;
		not_met += domain->condition[name].met == NO;
	}
	if (not_met || unsure != 1)
		return;
	/* One of them has to be the reason. */
	for (name = 0; name < CONDITIONS; name++)
		if (needed_for_sysctl[name] && domain->condition[name].met == UNSURE)
			condition_eliminated(&domain->condition[name], name);
}

static bool same_set(const cpu_set_t *a, const cpu_set_t *b)
{
	return CPU_EQUAL_S(CPU_ALLOC_SIZE(MAX_CPUS), a, b);
}

static enum answer decide(const struct facts *facts, const struct domain_verdict *domain)
{
	enum answer eas = YES;
	enum condition_name name;

	for (name = 0; name < CONDITIONS; name++) {
		const struct condition *condition = &domain->condition[name];

		/* There may be several domains, on some of which this does not apply. */
		if (condition->met == NO &&
		    (!facts->domains_hidden || same_set(condition->cpus, domain->cpus)))
			return NO;
		if (condition->met != YES)
			eas = UNSURE;
	}
	if (facts->sysctl == SYSCTL_EMPTY && covers_all(facts))
		return NO;
	if (facts->domains_hidden)
		return UNSURE;

	return eas;
}

static void check_domain(const struct facts *facts, const struct assumptions *assumptions,
			 struct domain_verdict *domain)
{
	enum condition_name name;

	for (name = 0; name < CONDITIONS; name++)
		condition_check(&domain->condition[name], name, facts, assumptions, domain->cpus);
	believe_sysctl(facts, domain);
	domain->eas = decide(facts, domain);

	/* Nobody should change governors where EAS can never be used. */
	if (domain->condition[COND_CAPACITY].met == NO && !domain->condition[COND_CAPACITY].remedy)
		for (name = 0; name < CONDITIONS; name++)
			if (name != COND_CPUFREQ)
				condition_no_remedy(&domain->condition[name]);

	domain->possible = domain->condition[COND_CAPACITY].met;
	if (domain->condition[COND_KERNEL].met == NO)
		domain->possible = NO;
}

static enum answer compatible(const struct facts *facts, const struct assumptions *assumptions,
			      const struct cpu *cpu)
{
	enum answer governor, epp;

	if (!cpu->online)
		return UNSURE;
	if (cpu->policy == UNKNOWN)
		return NO;
	/* The kernel has looked at all that are online. */
	if (sysctl_readable(facts))
		return YES;

	governor = governor_suitable(facts, assumptions, cpu);
	epp = epp_suitable(assumptions, cpu);
	if (governor == NO || epp == NO)
		return NO;

	return governor == YES && epp == YES ? YES : UNSURE;
}

struct verdict *conclude(const struct facts *facts)
{
	struct verdict *verdict = xcalloc(1, sizeof(*verdict));
	struct assumptions assumptions = { .series = facts->series };
	int i;

	settle(facts, &assumptions);

	verdict->facts = facts;
	verdict->series = assumptions.series;
	verdict->compatible = xcalloc(facts->cpus->number, sizeof(*verdict->compatible));
	for (i = 0; i < facts->cpus->number; i++)
		verdict->compatible[i] = compatible(facts, &assumptions, &facts->cpus->cpu[i]);

	verdict->domains = facts->domains;
	verdict->domain = xcalloc(facts->domains, sizeof(*verdict->domain));
	for (i = 0; i < facts->domains; i++) {
		verdict->domain[i].cpus = facts->domain[i];
		check_domain(facts, &assumptions, &verdict->domain[i]);
	}

	return verdict;
}

void verdict_free(struct verdict *verdict)
{
	enum condition_name name;
	int i;

	if (!verdict)
		return;

	for (i = 0; i < verdict->domains; i++)
		for (name = 0; name < CONDITIONS; name++)
			condition_clear(&verdict->domain[i].condition[name]);
	free(verdict->domain);
	free(verdict->compatible);
	free(verdict);
}

int verdict_status(const struct verdict *verdict, const cpu_set_t *only)
{
	int i, status = STATUS_ON;
	bool any = false;

	for (i = 0; i < verdict->domains; i++) {
		const struct domain_verdict *domain = &verdict->domain[i];

		if (domain->possible == NO || (only && !set_overlaps(only, domain->cpus)))
			continue;
		any = true;
		if (domain->eas == NO)
			return STATUS_OFF;
		if (domain->eas == UNSURE)
			status = STATUS_UNKNOWN;
	}

	return any ? status : STATUS_OFF;
}
