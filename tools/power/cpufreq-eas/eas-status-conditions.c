// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: the conditions for EAS, one by one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eas-status-conditions.h"
#include "util.h"

#define SYS_POLICY	"/sys/devices/system/cpu/cpufreq/policy"

/* In all kernels so far, "performance" of intel_pstate means 0, or 16. */
#define HIGHEST_PERFORMANCE_EPP	16

const char *condition_id(enum condition_name name)
{
	static const char * const ids[CONDITIONS] = {
		[COND_KERNEL]		= "kernel",
		[COND_SYSCTL]		= "sysctl",
		[COND_CAPACITY]		= "capacity_asymmetry",
		[COND_SMT]		= "no_smt",
		[COND_INVARIANCE]	= "frequency_invariance",
		[COND_EM]		= "energy_model",
		[COND_CPUFREQ]		= "cpufreq",
		[COND_GOVERNOR]		= "governor",
		[COND_EPP]		= "epp",
	};

	return ids[name];
}

char *cpus_text(const cpu_set_t *cpus)
{
	char *list = format_cpu_list(cpus), *text;

	text = xasprintf("%s %s",
			 CPU_COUNT_S(CPU_ALLOC_SIZE(MAX_CPUS), cpus) == 1 ? "CPU" : "CPUs", list);
	free(list);

	return text;
}

void condition_clear(struct condition *condition)
{
	CPU_FREE(condition->cpus);
	free(condition->text);
	free(condition->remedy);
	memset(condition, 0, sizeof(*condition));
}

void condition_set(struct condition *condition, enum answer met)
{
	condition_clear(condition);
	condition->cpus = set_new();
	condition->met = met;
}

static void say(struct condition *condition, char *text, const char *remedy)
{
	free(condition->text);
	free(condition->remedy);
	condition->text = text;
	condition->remedy = remedy ? xstrdup(remedy) : NULL;
}

/* All CPUs are concerned. */
static void answer_all(struct condition *condition, enum answer met, const cpu_set_t *cpus)
{
	condition_set(condition, met);
	if (met != YES)
		memcpy(condition->cpus, cpus, CPU_ALLOC_SIZE(MAX_CPUS));
}

static bool driver_is(const struct cpu *cpu, const char *driver)
{
	return !strcmp(cpu->driver, driver);
}

/* Has a governor of its own: EPP and "powersave" or "performance" */
static bool driver_is_active(const struct cpu *cpu)
{
	return driver_is(cpu, "intel_pstate") || driver_is(cpu, "amd-pstate-epp");
}

static bool type_is_known(const struct cpu *cpu)
{
	return !strcmp(cpu->type, "P") || !strcmp(cpu->type, "E") || !strcmp(cpu->type, "LPE");
}

/* Does intel_pstate take the processor for a hybrid one? */
static enum answer hybrid(const struct facts *facts)
{
	enum answer answer = NO;
	int i, capacity = UNKNOWN;

	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];

		if (!cpu->online)
			continue;
		if (type_is_known(cpu))
			return YES;
		/* The driver makes them different on hybrid processors only. */
		if (cpu->capacity != UNKNOWN && !cpu->capacity_derived) {
			if (capacity != UNKNOWN && cpu->capacity != capacity)
				return YES;
			capacity = cpu->capacity;
		}
		if (strcmp(cpu->type, "core"))
			answer = UNSURE;
	}

	return answer;
}

enum answer governor_suitable(const struct facts *facts, const struct assumptions *assumptions,
			      const struct cpu *cpu)
{
	if (!*cpu->governor || !*cpu->driver)
		return UNSURE;
	if (!strcmp(cpu->governor, "schedutil"))
		return YES;
	if (assumptions->series == NO || !driver_is_active(cpu) ||
	    strcmp(cpu->governor, "powersave"))
		return NO;

	if (driver_is(cpu, "intel_pstate")) {
		enum answer is_hybrid = cpu->hwp ? hybrid(facts) : NO;

		if (is_hybrid != YES)
			return is_hybrid;
	}

	return assumptions->series;
}

static bool low_epp(const struct cpu *cpu)
{
	return strncmp(cpu->driver, "amd-pstate", 10) &&
	       cpu->epp_value > 0 && cpu->epp_value <= HIGHEST_PERFORMANCE_EPP;
}

/* Governor "performance" comes with EPP 0, which goes away with it. */
static bool epp_forced(const struct cpu *cpu)
{
	return driver_is_active(cpu) && !strcmp(cpu->governor, "performance");
}

enum answer epp_suitable(const struct assumptions *assumptions, const struct cpu *cpu)
{
	char word[sizeof(cpu->epp)];
	enum answer veto;

	if (assumptions->series == NO || !cpu->has_epp || epp_forced(cpu))
		return YES;
	if (!driver_is_active(cpu) && !driver_is(cpu, "intel_cpufreq"))
		return YES;

	cpu_epp_word(cpu, word);
	if (!strcmp(word, "performance") || !cpu->epp_value)
		veto = YES;
	else if (low_epp(cpu))
		veto = assumptions->low_epp_vetoes;
	else if (cpu->epp_value != UNKNOWN || !strcmp(word, "power") ||
		 !strncmp(word, "balance_", 8))
		veto = NO;
	else
		veto = UNSURE;

	if (veto == YES && assumptions->series == UNSURE)
		return UNSURE;

	return veto == YES ? NO : veto == NO ? YES : UNSURE;
}

static char *set_text(const cpu_set_t *cpus, const char *format)
{
	char *list = cpus_text(cpus), *text = xasprintf("%s %s", format, list);

	free(list);

	return text;
}

/* The shell's way to name files of all these policies */
static char *policy_files(const struct facts *facts, const cpu_set_t *cpus, const char *name)
{
	cpu_set_t *policies = set_new();
	char *list = NULL, *files;
	bool all = true;
	size_t length;
	FILE *to;
	int i;

	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];

		if (cpu->policy == UNKNOWN)
			continue;
		if (set_has(cpus, cpu->number))
			set_add(policies, cpu->policy);
		else
			all = false;
	}
	to = open_memstream(&list, &length);
	if (!to)
		die(EXIT_FAILED, "out of memory");
	for (i = 0; i < MAX_CPUS; i++)
		if (set_has(policies, i))
			fprintf(to, "%s%d", ftell(to) ? "," : "", i);
	fclose(to);

	if (all)
		files = xasprintf(SYS_POLICY "*/%s", name);
	else
		files = xasprintf(strchr(list, ',') ? SYS_POLICY "{%s}/%s" : SYS_POLICY "%s/%s",
				  list, name);
	free(list);
	CPU_FREE(policies);

	return files;
}

static char *write_remedy(const struct facts *facts, const cpu_set_t *cpus, const char *value,
			  const char *name)
{
	char *files = policy_files(facts, cpus, name);
	char *remedy = xasprintf("as root, echo %s | tee %s", value, files);

	free(files);

	return remedy;
}

static void check_kernel(struct condition *condition, const struct facts *facts,
			 const cpu_set_t *cpus)
{
	switch (facts->sysctl) {
	case SYSCTL_MISSING:
		answer_all(condition, NO, cpus);
		say(condition, xstrdup("the kernel cannot do EAS"),
		    "use a kernel with CONFIG_ENERGY_MODEL=y and CONFIG_CPU_FREQ_GOV_SCHEDUTIL=y");
		break;
	case SYSCTL_HIDDEN:
		answer_all(condition, UNSURE, cpus);
		say(condition, xstrdup("whether the kernel can do EAS"),
		    "/proc/sys/kernel/sched_energy_aware, if readable, on a kernel from 6.7 on");
		break;
	default:
		answer_all(condition, YES, cpus);
	}
}

static void check_sysctl(struct condition *condition, const struct facts *facts,
			 const cpu_set_t *cpus)
{
	switch (facts->sysctl) {
	case SYSCTL_1:
		answer_all(condition, YES, cpus);
		break;
	case SYSCTL_0:
		answer_all(condition, NO, cpus);
		say(condition, xstrdup("EAS is switched off by sysctl kernel.sched_energy_aware"),
		    "as root, sysctl kernel.sched_energy_aware=1");
		break;
	case SYSCTL_EMPTY:
		answer_all(condition, UNSURE, cpus);
		say(condition, xstrdup("whether sysctl kernel.sched_energy_aware allows EAS"),
		    "it reads empty until EAS is possible on all CPUs that are online");
		break;
	default:
		answer_all(condition, UNSURE, cpus);
		say(condition, xstrdup("whether sysctl kernel.sched_energy_aware allows EAS"),
		    "see the condition above");
	}
}

/* The kernel has said that all are equal: why? */
static void explain_capacity(struct condition *condition, const struct facts *facts,
			     const cpu_set_t *cpus)
{
	const char *type = NULL;
	bool types = false;
	int i;

	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];

		if (!set_has(cpus, cpu->number))
			continue;
		if (type && strcmp(type, cpu->type))
			types = true;
		type = cpu->type;
	}

	if (CPU_COUNT_S(CPU_ALLOC_SIZE(MAX_CPUS), cpus) == 1)
		say(condition, xstrdup("there is only one CPU"), NULL);
	else if (!types)
		say(condition, xstrdup("all CPUs have the same capacity, so EAS is of no use"),
		    NULL);
	else if (facts->cpus->intel && facts->smt_possible == YES)
		say(condition, xstrdup("CPUs count as equal in capacity, because SMT is possible"),
		    "boot with nosmt=force, or switch SMT off in the firmware");
	else if (facts->cpus->intel)
		say(condition, xstrdup("CPUs count as equal in capacity"),
		    "let intel_pstate drive them with HWP, see intel_pstate= in /proc/cmdline");
	else
		say(condition, xstrdup("CPUs count as equal in capacity on this processor"), NULL);
}

static void check_capacity(struct condition *condition, const struct facts *facts,
			   const cpu_set_t *cpus)
{
	int i, first = UNKNOWN;
	enum answer met = NO;

	for (i = 0; i < facts->cpus->number && met != UNSURE; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];

		if (!set_has(cpus, cpu->number))
			continue;
		if (cpu->capacity == UNKNOWN || cpu->capacity_derived)
			met = UNSURE;
		else if (first != UNKNOWN && cpu->capacity != first)
			met = YES;
		first = cpu->capacity;
	}
	if (CPU_COUNT_S(CPU_ALLOC_SIZE(MAX_CPUS), cpus) == 1)
		met = NO;
	/* intel_pstate does not tell the scheduler, then. */
	if (met == UNSURE && facts->cpus->intel && facts->smt_possible == YES)
		met = NO;

	answer_all(condition, met, cpus);
	if (met == NO)
		explain_capacity(condition, facts, cpus);
	else if (met == UNSURE)
		say(condition, xstrdup("whether CPUs differ in capacity"),
		    "use a kernel that has /sys/devices/system/cpu/cpu*/cpu_capacity");
}

static void check_smt(struct condition *condition, const struct facts *facts,
		      const cpu_set_t *cpus)
{
	if (facts->smt_active == YES) {
		answer_all(condition, NO, cpus);
		say(condition, xstrdup("SMT is in use"),
		    "boot with nosmt=force, or switch SMT off in the firmware");
	} else if (facts->smt_active == NO) {
		answer_all(condition, YES, cpus);
	} else {
		answer_all(condition, UNSURE, cpus);
		say(condition, xstrdup("whether SMT is in use"),
		    "make /sys/devices/system/cpu/smt readable: mount sysfs on /sys");
	}
}

static void check_invariance(struct condition *condition, const struct facts *facts,
			     const cpu_set_t *cpus)
{
	if (facts->cpus->x86 && !facts->cpus->aperfmperf) {
		answer_all(condition, NO, cpus);
		say(condition, xstrdup("there is no frequency invariance without APERF and MPERF"),
		    NULL);
		return;
	}

	/* The kernel says it only through the sysctl, or in its log when it gives up. */
	answer_all(condition, UNSURE, cpus);
	say(condition, xstrdup("whether there is frequency invariance"),
	    "it is known once all other conditions are met; as root, dmesg | grep -i invariance");
}

static void check_em(struct condition *condition, const struct facts *facts,
		     const cpu_set_t *cpus)
{
	const char *remedy;
	int i;

	if (!facts->cpus->em_known) {
		answer_all(condition, UNSURE, cpus);
		say(condition, set_text(cpus, "whether there is an Energy Model for"),
		    facts_privileged() ?
		    "mount debugfs on /sys/kernel/debug, or use a kernel from 7.0 on" :
		    "run this as root, or use a kernel from 7.0 on");
		return;
	}

	condition_set(condition, YES);
	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];

		if (set_has(cpus, cpu->number) && cpu->perf_domain == UNKNOWN)
			set_add(condition->cpus, cpu->number);
	}
	if (set_empty(condition->cpus))
		return;

	condition->met = NO;
	if (facts->sysctl == SYSCTL_MISSING)
		remedy = "use a kernel with CONFIG_ENERGY_MODEL=y";
	else if (facts->cpus->intel && facts->smt_possible == YES)
		remedy = "boot with nosmt=force, if the processor is a hybrid one";
	else if (facts->cpus->intel)
		remedy = "on hybrid processors, intel_pstate with HWP provides it";
	else if (facts->cpus->x86)
		remedy = NULL;
	else
		remedy = "the device tree or the cpufreq driver has to provide it";
	say(condition, set_text(condition->cpus, "there is no Energy Model for"), remedy);
}

static void check_cpufreq(struct condition *condition, const struct facts *facts,
			  const cpu_set_t *cpus)
{
	int i;

	condition_set(condition, YES);
	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];

		if (set_has(cpus, cpu->number) && cpu->policy == UNKNOWN)
			set_add(condition->cpus, cpu->number);
	}
	if (set_empty(condition->cpus))
		return;

	condition->met = NO;
	say(condition, set_text(condition->cpus, "no cpufreq driver is in use on"),
	    "load one; intel_pstate=, amd_pstate= or cpufreq.off= in /proc/cmdline may prevent it");
}

/* Those CPUs that an answer is given for; NO goes before UNSURE. */
static void collect(struct condition *condition, const struct facts *facts,
		    const struct assumptions *assumptions, const cpu_set_t *cpus, bool governor)
{
	cpu_set_t *concerned[YES + 1] = { set_new(), set_new(), set_new() };
	int i;

	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i];
		enum answer answer;

		if (!set_has(cpus, cpu->number) || cpu->policy == UNKNOWN)
			continue;
		if (governor)
			answer = governor_suitable(facts, assumptions, cpu);
		else
			answer = epp_suitable(assumptions, cpu);
		set_add(concerned[answer], cpu->number);
	}

	condition_set(condition, YES);
	CPU_FREE(concerned[YES]);
	if (!set_empty(concerned[NO]))
		condition->met = NO;
	else if (!set_empty(concerned[UNSURE]))
		condition->met = UNSURE;
	for (i = UNSURE; i <= NO; i++) {
		if (condition->met == (enum answer)i) {
			CPU_FREE(condition->cpus);
			condition->cpus = concerned[i];
		} else {
			CPU_FREE(concerned[i]);
		}
	}
}

static const struct cpu *first_of(const struct facts *facts, const cpu_set_t *cpus)
{
	int i;

	for (i = 0; i < facts->cpus->number; i++)
		if (set_has(cpus, facts->cpus->cpu[i].number))
			return &facts->cpus->cpu[i];

	return NULL;
}

/* "performance on CPUs 0-3, powersave on CPU 4" */
static char *governors_text(const struct facts *facts, const cpu_set_t *cpus)
{
	cpu_set_t *done = set_new(), *same;
	size_t length;
	char *text, *list;
	FILE *to = open_memstream(&text, &length);
	int i, j;

	if (!to)
		die(EXIT_FAILED, "out of memory");
	for (i = 0; i < facts->cpus->number; i++) {
		const struct cpu *cpu = &facts->cpus->cpu[i], *other;

		if (!set_has(cpus, cpu->number) || set_has(done, cpu->number))
			continue;
		same = set_new();
		for (j = i; j < facts->cpus->number; j++) {
			other = &facts->cpus->cpu[j];
			if (set_has(cpus, other->number) &&
			    !strcmp(other->governor, cpu->governor)) {
				set_add(same, other->number);
				set_add(done, other->number);
			}
		}
		list = cpus_text(same);
		fprintf(to, "%s%s on %s", ftell(to) ? ", " : "", cpu->governor, list);
		free(list);
		CPU_FREE(same);
	}
	fclose(to);
	CPU_FREE(done);

	return text;
}

static const char *tell_series(void)
{
	return facts_privileged() ?
		"mount tracefs on /sys/kernel/tracing, or use a kernel with CONFIG_KALLSYMS=y" :
		"run this as root, or use a kernel with CONFIG_KALLSYMS=y";
}

static void check_governor(struct condition *condition, const struct facts *facts,
			   const struct assumptions *assumptions, const cpu_set_t *cpus)
{
	const struct cpu *cpu;
	char *text, *remedy;

	collect(condition, facts, assumptions, cpus, true);
	if (condition->met == YES)
		return;

	cpu = first_of(facts, condition->cpus);
	text = governors_text(facts, condition->cpus);
	if (condition->met == UNSURE) {
		if (!*cpu->governor || !*cpu->driver)
			say(condition, set_text(condition->cpus, "the governor of"),
			    "make files in " SYS_POLICY "* readable");
		else if (hybrid(facts) == UNSURE && driver_is(cpu, "intel_pstate"))
			say(condition, xasprintf("whether EAS accepts governor %s", text),
			    "the types of CPUs tell: as root, modprobe cpuid, then run this again");
		else
			say(condition, xasprintf("whether EAS accepts governor %s", text),
			    tell_series());
		free(text);
		return;
	}

	say(condition, xasprintf("EAS does not accept governor %s", text), NULL);
	free(text);
	if (driver_is(cpu, "intel_pstate") && assumptions->series == YES &&
	    (!cpu->hwp || hybrid(facts) == NO))
		remedy = NULL;
	else if (driver_is_active(cpu) && assumptions->series == YES)
		remedy = write_remedy(facts, condition->cpus, "powersave", "scaling_governor");
	else if (driver_is_active(cpu))
		remedy = xasprintf("as root, echo passive > /sys/devices/system/cpu/%s/status, "
				   "then use governor schedutil, or a kernel with EPP-aware EAS",
				   driver_is(cpu, "intel_pstate") ? "intel_pstate" : "amd_pstate");
	else
		remedy = write_remedy(facts, condition->cpus, "schedutil", "scaling_governor");
	free(condition->remedy);
	condition->remedy = remedy;
}

static void check_epp(struct condition *condition, const struct facts *facts,
		      const struct assumptions *assumptions, const cpu_set_t *cpus)
{
	const struct cpu *cpu;

	collect(condition, facts, assumptions, cpus, false);
	if (condition->met == YES)
		return;

	if (condition->met == NO) {
		say(condition, set_text(condition->cpus, "EPP asks for performance on"), NULL);
		condition->remedy = write_remedy(facts, condition->cpus, "balance_performance",
						 "energy_performance_preference");
		return;
	}

	cpu = first_of(facts, condition->cpus);
	if (!*cpu->epp)
		say(condition, set_text(condition->cpus, "the EPP of"),
		    "energy_performance_preference cannot be read, see the kernel log");
	else if (low_epp(cpu) || assumptions->series == YES)
		say(condition, set_text(condition->cpus, "whether the EPP asks for performance on"),
		    "write a word, such as balance_performance, in place of the number");
	else
		say(condition, set_text(condition->cpus, "whether EAS minds EPP performance on"),
		    tell_series());
}

void condition_check(struct condition *condition, enum condition_name name,
		     const struct facts *facts, const struct assumptions *assumptions,
		     const cpu_set_t *cpus)
{
	memset(condition, 0, sizeof(*condition));
	switch (name) {
	case COND_KERNEL:
		return check_kernel(condition, facts, cpus);
	case COND_SYSCTL:
		return check_sysctl(condition, facts, cpus);
	case COND_CAPACITY:
		return check_capacity(condition, facts, cpus);
	case COND_SMT:
		return check_smt(condition, facts, cpus);
	case COND_INVARIANCE:
		return check_invariance(condition, facts, cpus);
	case COND_EM:
		return check_em(condition, facts, cpus);
	case COND_CPUFREQ:
		return check_cpufreq(condition, facts, cpus);
	case COND_GOVERNOR:
		return check_governor(condition, facts, assumptions, cpus);
	case COND_EPP:
		return check_epp(condition, facts, assumptions, cpus);
	case CONDITIONS:
		break;
	}
}

void condition_no_remedy(struct condition *condition)
{
	free(condition->remedy);
	condition->remedy = NULL;
}

void condition_eliminated(struct condition *condition, enum condition_name name)
{
	char *remedy;

	condition->met = NO;
	if (name == COND_INVARIANCE) {
		say(condition, xstrdup("there is no frequency invariance, as all else is met"),
		    "as root, dmesg | grep -i invariance tells why; try again after a reboot");
		return;
	}

	remedy = xstrdup(condition->remedy);
	say(condition, xasprintf("EAS is not possible, and the only reason left is: %s",
				 condition->text), remedy);
	free(remedy);
}
