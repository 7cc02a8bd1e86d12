/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eas-status: the conditions for EAS, one by one.
 */
#ifndef CPUFREQ_EAS_STATUS_CONDITIONS_H
#define CPUFREQ_EAS_STATUS_CONDITIONS_H

#include "eas-status.h"

/* What is not known, but may be settled by trying */
struct assumptions {
	enum answer series;
	/* Intel: EPP of 1 to 16 is at or below what "performance" means on this processor. */
	enum answer low_epp_vetoes;
};

/* condition_check() - on these CPUs; to be cleared before it is used again */
void condition_check(struct condition *condition, enum condition_name name,
		     const struct facts *facts, const struct assumptions *assumptions,
		     const cpu_set_t *cpus);
void condition_clear(struct condition *condition);

/* condition_set() - known from elsewhere to be met */
void condition_set(struct condition *condition, enum answer met);

/* condition_no_remedy() - there is one, but it would not help */
void condition_no_remedy(struct condition *condition);

/* condition_eliminated() - was unsure, but something is not met and nothing else is left */
void condition_eliminated(struct condition *condition, enum condition_name name);

/* Of a CPU that is online and has a policy: */
enum answer governor_suitable(const struct facts *facts, const struct assumptions *assumptions,
			      const struct cpu *cpu);
enum answer epp_suitable(const struct assumptions *assumptions, const struct cpu *cpu);

#endif
