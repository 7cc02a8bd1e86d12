// SPDX-License-Identifier: GPL-2.0-only
/*
 * What eas-status concludes from given facts: in known cases, and compared with a model of the
 * kernel of which it is told only a part.
 */
#include <stdlib.h>

#include "eas-status.h"
#include "eas-status-conditions.h"
#include "eas-status-watch.h"
#include "ktap.h"
#include "util.h"

#define RANDOM_CASES	50000

/* Facts of a machine with CPUs PPLL in the default state, with the series; parts get changed. */
static struct facts *new_facts(void)
{
	struct facts *facts = xcalloc(1, sizeof(*facts));
	int i;

	facts->series = YES;
	facts->sysctl = SYSCTL_1;
	facts->smt_active = facts->smt_possible = NO;
	facts->cpus = xcalloc(1, sizeof(*facts->cpus));
	*facts->cpus = (struct cpus){
		.number = 4, .intel = true, .x86 = true, .aperfmperf = true, .em_known = true,
	};
	facts->cpus->cpu = xcalloc(4, sizeof(*facts->cpus->cpu));
	facts->domain = xcalloc(4, sizeof(*facts->domain));
	facts->domain[0] = set_new();
	facts->domains = 1;
	facts->isolated = set_new();
	for (i = 0; i < 4; i++) {
		facts->cpus->cpu[i] = (struct cpu){
			.number = i, .online = true, .capacity = i < 2 ? 1024 : 688,
			.perf_domain = i, .policy = i, .sibling = i, .driver = "intel_pstate",
			.mode = "active", .governor = "powersave", .epp = "balance_performance",
			.has_epp = true, .epp_value = UNKNOWN, .hwp = true,
		};
		strcpy(facts->cpus->cpu[i].type, i < 2 ? "P" : "LPE");
		set_add(facts->domain[0], i);
	}

	return facts;
}

static void set_epp(struct cpu *cpu, const char *epp)
{
	char *end;
	long value = strtol(epp, &end, 10);

	strcpy(cpu->epp, epp);
	cpu->epp_value = *epp && !*end ? value : !strcmp(epp, "power") ? 255 : UNKNOWN;
}

static void set_passive(struct facts *facts, const char *governor)
{
	int i;

	for (i = 0; i < facts->cpus->number; i++) {
		strcpy(facts->cpus->cpu[i].driver, "intel_cpufreq");
		strcpy(facts->cpus->cpu[i].mode, "passive");
		strcpy(facts->cpus->cpu[i].governor, governor);
	}
}

/* CPUs 2 and 3 become another root domain. */
static void split(struct facts *facts)
{
	CPU_FREE(facts->domain[0]);
	facts->domain[0] = set_new();
	set_add(facts->domain[0], 0);
	set_add(facts->domain[0], 2);
	facts->domain[1] = set_new();
	set_add(facts->domain[1], 1);
	set_add(facts->domain[1], 3);
	facts->domains = 2;
}

/* "kernel=yes sysctl=? ..." of those that are not met; to be freed */
static char *not_met(const struct domain_verdict *domain)
{
	char *text = xstrdup("");
	enum condition_name name;

	for (name = 0; name < CONDITIONS; name++) {
		const struct condition *condition = &domain->condition[name];
		char *list, *longer;

		if (condition->met == YES)
			continue;
		list = format_cpu_list(condition->cpus);
		longer = xasprintf("%s%s%s%s:%s", text, *text ? " " : "", condition_id(name),
				   condition->met == NO ? "" : "?", list);
		free(text);
		free(list);
		text = longer;
	}

	return text;
}

static const char *compatible_text(const struct verdict *verdict)
{
	static char text[16];
	int i;

	for (i = 0; i < verdict->facts->cpus->number; i++)
		text[i] = "?-+"[verdict->compatible[i]];
	text[i] = '\0';

	return text;
}

/* The verdict on the first root domain, and on all CPUs; frees the facts. */
static void expect(struct facts *facts, const char *name, enum answer eas, int status,
		   const char *reasons, const char *compatible)
{
	struct verdict *verdict = conclude(facts);
	char *text = not_met(&verdict->domain[0]);
	enum condition_name condition;
	bool explained = true;

	ok(verdict->domain[0].eas == eas, "%s: EAS is %s", name, eas_word(eas));
	ok(verdict_status(verdict, NULL) == status, "%s: exit status %d", name, status);
	ok_string(text, reasons, name);
	ok_string(compatible_text(verdict), compatible, "... compatible");
	for (condition = 0; condition < CONDITIONS; condition++)
		if (verdict->domain[0].condition[condition].met != YES &&
		    !verdict->domain[0].condition[condition].text)
			explained = false;
	ok(explained, "%s: all is explained", name);
	free(text);
	verdict_free(verdict);
	facts_free(facts);
}

static void known_cases(void)
{
	struct facts *f;
	int i;

	expect(new_facts(), "defaults", YES, STATUS_ON, "", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_0;
	expect(f, "sysctl is 0", NO, STATUS_OFF, "sysctl:0-3", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	set_epp(&f->cpus->cpu[1], "performance");
	expect(f, "EPP of one CPU", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 epp:1", "+-++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	for (i = 2; i < 4; i++) {
		strcpy(f->cpus->cpu[i].governor, "performance");
		set_epp(&f->cpus->cpu[i], "performance");
	}
	expect(f, "governor performance forces EPP", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 governor:2-3", "++--");

	f = new_facts();
	f->series = UNSURE;
	expect(f, "powersave is fine for the kernel", YES, STATUS_ON, "", "++++");

	f = new_facts();
	f->series = UNSURE;
	f->sysctl = SYSCTL_EMPTY;
	expect(f, "is powersave fine for the kernel?", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 governor?:0-3", "????");

	f = new_facts();
	f->series = NO;
	f->sysctl = SYSCTL_EMPTY;
	expect(f, "no series", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 governor:0-3", "----");

	f = new_facts();
	f->series = NO;
	set_passive(f, "schedutil");
	for (i = 0; i < 4; i++)
		set_epp(&f->cpus->cpu[i], "performance");
	expect(f, "no series, EPP does not matter", YES, STATUS_ON, "", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	set_passive(f, "ondemand");
	expect(f, "ondemand", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 governor:0-3", "----");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	set_epp(&f->cpus->cpu[0], "10");
	expect(f, "low number, may be it", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 epp?:0", "?+++");

	f = new_facts();
	set_epp(&f->cpus->cpu[0], "10");
	expect(f, "low number, is not it", YES, STATUS_ON, "", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	expect(f, "nothing else is left", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance:0-3", "++++");

	f = new_facts();
	f->cpus->em_known = false;
	for (i = 0; i < 4; i++)
		f->cpus->cpu[i].perf_domain = UNKNOWN;
	expect(f, "Energy Model is hidden", UNSURE, STATUS_UNKNOWN, "energy_model?:0-3", "++++");

	f = new_facts();
	f->cpus->cpu[2].perf_domain = UNKNOWN;
	expect(f, "no Energy Model of one CPU", NO, STATUS_OFF, "energy_model:2", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	f->smt_active = f->smt_possible = YES;
	for (i = 0; i < 4; i++)
		f->cpus->cpu[i].capacity = 1024;
	expect(f, "SMT", NO, STATUS_OFF,
	       "sysctl?:0-3 capacity_asymmetry:0-3 no_smt:0-3 frequency_invariance?:0-3", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	for (i = 0; i < 4; i++)
		f->cpus->cpu[i].policy = UNKNOWN;
	expect(f, "no cpufreq", NO, STATUS_OFF,
	       "sysctl?:0-3 frequency_invariance?:0-3 cpufreq:0-3", "----");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	f->cpus->aperfmperf = false;
	expect(f, "no APERF", NO, STATUS_OFF, "sysctl?:0-3 frequency_invariance:0-3", "++++");

	f = new_facts();
	for (i = 0; i < 4; i++)
		f->cpus->cpu[i].capacity_derived = true;
	expect(f, "capacities are derived, the kernel knows", YES, STATUS_ON, "", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_MISSING;
	f->domains_hidden = true;
	expect(f, "no kernel support", NO, STATUS_OFF,
	       "kernel:0-3 sysctl?:0-3 frequency_invariance?:0-3", "++++");

	f = new_facts();
	f->domains_hidden = true;
	expect(f, "in a container", UNSURE, STATUS_UNKNOWN, "", "++++");

	f = new_facts();
	f->domains_hidden = true;
	f->sysctl = SYSCTL_EMPTY;
	set_epp(&f->cpus->cpu[1], "performance");
	expect(f, "in a container, EPP of one CPU", UNSURE, STATUS_UNKNOWN,
	       "sysctl?:0-3 frequency_invariance?:0-3 epp:1", "+-++");

	f = new_facts();
	f->sysctl = SYSCTL_HIDDEN;
	expect(f, "no procfs", UNSURE, STATUS_UNKNOWN,
	       "kernel?:0-3 sysctl?:0-3 frequency_invariance?:0-3", "++++");

	f = new_facts();
	f->sysctl = SYSCTL_EMPTY;
	set_add(f->isolated, 3);
	CPU_CLR_S(3, CPU_ALLOC_SIZE(MAX_CPUS), f->domain[0]);
	set_epp(&f->cpus->cpu[3], "performance");
	expect(f, "an isolated CPU hides the sysctl", UNSURE, STATUS_UNKNOWN,
	       "sysctl?:0-2 frequency_invariance?:0-2", "+++-");
}

static void several_domains(void)
{
	cpu_set_t *first = set_new(), *second = set_new();
	struct facts *f = new_facts();
	struct verdict *verdict;

	set_add(first, 0);
	set_add(second, 3);

	split(f);
	f->sysctl = SYSCTL_EMPTY;
	set_epp(&f->cpus->cpu[3], "performance");
	verdict = conclude(f);
	ok(verdict->domains == 2 && verdict->domain[0].eas == UNSURE &&
	   verdict->domain[1].eas == NO,
	   "one domain hides the sysctl from the other");
	ok(verdict_status(verdict, NULL) == STATUS_OFF, "exit status of both");
	ok(verdict_status(verdict, first) == STATUS_UNKNOWN, "exit status of the first");
	ok(verdict_status(verdict, second) == STATUS_OFF, "exit status of the second");
	verdict_free(verdict);
	facts_free(f);

	f = new_facts();
	split(f);
	f->cpus->cpu[1].capacity = 688;
	verdict = conclude(f);
	ok(verdict->domain[0].eas == YES && verdict->domain[1].eas == NO &&
	   verdict->domain[1].possible == NO, "EAS is not for equal CPUs");
	ok(verdict_status(verdict, NULL) == STATUS_ON, "exit status without that domain");
	ok(verdict_status(verdict, second) == STATUS_OFF, "exit status of equal CPUs");
	verdict_free(verdict);
	facts_free(f);
	CPU_FREE(first);
	CPU_FREE(second);
}

/* With the series, and nothing else to go by */
static void truth_table(void)
{
	static const struct {
		const char *driver, *governor, *epp;
		enum answer hybrid, plain, series;	/* hybrid: UNSURE is "does not matter" */
	} rows[] = {
		{ "intel_pstate", "powersave", "balance_performance", YES, NO, YES },
		{ "intel_pstate", "powersave", "balance_power", YES, NO, YES },
		{ "intel_pstate", "powersave", "power", YES, NO, YES },
		{ "intel_pstate", "powersave", "77", YES, NO, YES },
		{ "intel_pstate", "powersave", "17", YES, NO, YES },
		{ "intel_pstate", "powersave", "16", YES, NO, UNSURE },
		{ "intel_pstate", "powersave", "1", YES, NO, UNSURE },
		{ "intel_pstate", "powersave", "0", YES, NO, NO },
		{ "intel_pstate", "powersave", "performance", YES, NO, NO },
		{ "intel_pstate", "powersave", "", YES, NO, UNSURE },
		{ "intel_pstate", "powersave", NULL, YES, NO, YES },
		{ "intel_pstate", "performance", "balance_performance", YES, NO, NO },
		{ "intel_pstate", "performance", "performance", YES, NO, NO },
		{ "intel_pstate", "powersave", "balance_performance", NO, NO, NO },
		{ "intel_pstate", "performance", "balance_performance", NO, NO, NO },
		{ "intel_cpufreq", "schedutil", "balance_performance", UNSURE, YES, YES },
		{ "intel_cpufreq", "schedutil", "200", UNSURE, YES, YES },
		{ "intel_cpufreq", "schedutil", "performance", UNSURE, YES, NO },
		{ "intel_cpufreq", "schedutil", "0", UNSURE, YES, NO },
		{ "intel_cpufreq", "schedutil", "5", UNSURE, YES, UNSURE },
		{ "intel_cpufreq", "schedutil", NULL, UNSURE, YES, YES },
		{ "intel_cpufreq", "ondemand", "balance_performance", UNSURE, NO, NO },
		{ "intel_cpufreq", "powersave", "balance_performance", UNSURE, NO, NO },
		{ "intel_cpufreq", "performance", NULL, UNSURE, NO, NO },
		{ "amd-pstate-epp", "powersave", "balance_performance", UNSURE, NO, YES },
		{ "amd-pstate-epp", "powersave", "1", UNSURE, NO, YES },
		{ "amd-pstate-epp", "powersave", "0", UNSURE, NO, NO },
		{ "amd-pstate-epp", "powersave", "performance", UNSURE, NO, NO },
		{ "amd-pstate-epp", "powersave", "dynamic(profile:power)", UNSURE, NO, YES },
		{ "amd-pstate-epp", "powersave", "dynamic(profile:balance_power)",
		  UNSURE, NO, YES },
		{ "amd-pstate-epp", "powersave", "dynamic(profile:performance)",
		  UNSURE, NO, NO },
		{ "amd-pstate-epp", "performance", "performance", UNSURE, NO, NO },
		{ "amd-pstate", "schedutil", NULL, UNSURE, YES, YES },
		{ "amd-pstate", "schedutil", "performance", UNSURE, YES, YES },
		{ "amd-pstate", "powersave", NULL, UNSURE, NO, NO },
		{ "acpi-cpufreq", "schedutil", NULL, UNSURE, YES, YES },
		{ "acpi-cpufreq", "powersave", NULL, UNSURE, NO, NO },
		{ "cppc_cpufreq", "ondemand", NULL, UNSURE, NO, NO },
	};
	size_t i;
	int c, series;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (series = 0; series < 2; series++) {
			struct facts *facts = new_facts();
			enum answer want = series ? rows[i].series : rows[i].plain;
			struct verdict *verdict;
			bool good = true;

			facts->sysctl = SYSCTL_HIDDEN;
			facts->series = series ? YES : NO;
			for (c = 0; c < 4; c++) {
				struct cpu *cpu = &facts->cpus->cpu[c];

				strcpy(cpu->driver, rows[i].driver);
				strcpy(cpu->governor, rows[i].governor);
				cpu->has_epp = rows[i].epp;
				set_epp(cpu, rows[i].epp ?: "");
				if (rows[i].hybrid != NO)
					continue;
				strcpy(cpu->type, "core");
				cpu->capacity = 1024;
			}
			verdict = conclude(facts);
			for (c = 0; c < 4; c++)
				good &= verdict->compatible[c] == want;
			ok(good, "%s: %s%s, %s, EPP %s: compatible is %s",
			   series ? "series" : "plain", rows[i].driver,
			   rows[i].hybrid == NO ? " (not hybrid)" : "",
			   rows[i].governor, rows[i].epp ?: "none", answer_word(want) ?: "unknown");
			verdict_free(verdict);
			facts_free(facts);
		}
	}
}

static int pick(int n)
{
	return random() % n;
}

/* What is really so, in a random machine; facts tell part of it. */
struct machine {
	bool series, sysctl, smt, invariance;
	int performance;	/* EPP that is */
	bool compatible[4];
	bool eas[4];		/* per domain */
};

static bool really_compatible(const struct machine *machine, const struct cpu *cpu)
{
	int epp = !strcmp(cpu->epp, "performance") ? machine->performance :
		  !strcmp(cpu->epp, "balance_performance") ? 128 : atoi(cpu->epp);
	bool veto = epp <= machine->performance;

	if (!machine->series)
		return !strcmp(cpu->governor, "schedutil");
	if (!strcmp(cpu->driver, "intel_cpufreq"))
		return !strcmp(cpu->governor, "schedutil") && !veto;

	return !strcmp(cpu->governor, "powersave") && !veto;
}

static bool domain_asymmetric(const struct facts *facts, int domain)
{
	int i, first = UNKNOWN;

	for (i = 0; i < 4; i++) {
		if (!set_has(facts->domain[domain], i))
			continue;
		if (first != UNKNOWN && facts->cpus->cpu[i].capacity != first)
			return true;
		first = facts->cpus->cpu[i].capacity;
	}

	return false;
}

static struct facts *random_facts(struct machine *machine)
{
	static const char * const epps[] = {
		"balance_performance", "performance", "77", "10", "0", "200",
	};
	struct facts *facts = new_facts();
	bool all = true, any_asymmetric = false, passive = pick(2);
	int i, d;

	*machine = (struct machine){
		.series = pick(2), .sysctl = pick(8), .smt = !pick(8), .invariance = pick(8),
		.performance = pick(2) ? 0 : 16,
	};
	if (!pick(4))
		split(facts);
	facts->smt_active = facts->smt_possible = machine->smt ? YES : NO;
	for (i = 0; i < 4; i++) {
		struct cpu *cpu = &facts->cpus->cpu[i];

		if (!pick(16) || machine->smt)
			cpu->capacity = 1024;
		if (!pick(16))
			cpu->perf_domain = UNKNOWN;
		strcpy(cpu->driver, passive ? "intel_cpufreq" : "intel_pstate");
		strcpy(cpu->governor, passive ? (pick(16) ? "schedutil" : "ondemand") :
						(pick(16) ? "powersave" : "performance"));
		set_epp(cpu, pick(3) ? epps[0] : epps[pick(6)]);
		/* The kernel has a word for that. */
		if (cpu->epp_value == machine->performance)
			set_epp(cpu, "performance");
		if (!passive && !strcmp(cpu->governor, "performance"))
			set_epp(cpu, "performance");
		machine->compatible[i] = really_compatible(machine, cpu);
		all &= machine->compatible[i];
	}

	for (d = 0; d < facts->domains; d++) {
		bool eas = machine->sysctl && !machine->smt && machine->invariance;

		any_asymmetric |= domain_asymmetric(facts, d);
		eas &= domain_asymmetric(facts, d);
		for (i = 0; i < 4; i++)
			if (set_has(facts->domain[d], i))
				eas &= machine->compatible[i] &&
				       facts->cpus->cpu[i].perf_domain != UNKNOWN;
		machine->eas[d] = eas;
	}
	facts->series = machine->series ? YES : NO;
	facts->sysctl = all && any_asymmetric && !machine->smt && machine->invariance ?
			(machine->sysctl ? SYSCTL_1 : SYSCTL_0) : SYSCTL_EMPTY;

	return facts;
}

static void hide_something(struct facts *facts)
{
	int i, what = pick(256);

	if (what & 1)
		facts->series = UNSURE;
	if (what & 2)
		facts->smt_active = facts->smt_possible = UNSURE;
	if (what & 4)
		facts->cpus->em_known = false;
	if (!(what & 0x18))
		facts->sysctl = SYSCTL_HIDDEN;
	for (i = 0; i < 4; i++) {
		struct cpu *cpu = &facts->cpus->cpu[i];

		if (what & 4)
			cpu->perf_domain = UNKNOWN;
		if (what & 32)
			cpu->capacity_derived = true;
		if (what & 64)
			strcpy(cpu->type, i < 2 ? "type0" : "type1");
		if (!(what & 0x82))
			facts->domains_hidden = true;
	}
}

static void random_cases(void)
{
	int n, i, wrong_eas = 0, wrong_compatible = 0, unsure = 0, answers[YES + 1] = {};
	struct machine machine;

	srandom(20261203);
	for (n = 0; n < RANDOM_CASES; n++) {
		struct facts *facts = random_facts(&machine);
		struct verdict *verdict;
		bool hide = n % 2;

		if (hide)
			hide_something(facts);
		verdict = conclude(facts);
		for (i = 0; i < verdict->domains; i++) {
			enum answer eas = verdict->domain[i].eas;

			answers[eas]++;
			if (eas != UNSURE && eas != (machine.eas[i] ? YES : NO))
				wrong_eas++;
			/* What the kernel tells of one domain is always enough. */
			if (!hide && facts->domains == 1 && eas == UNSURE)
				unsure++;
		}
		for (i = 0; i < 4; i++)
			if (verdict->compatible[i] != UNSURE &&
			    verdict->compatible[i] != (machine.compatible[i] ? YES : NO))
				wrong_compatible++;
		verdict_free(verdict);
		facts_free(facts);
	}
	printf("# EAS on %d, off %d, unknown %d\n", answers[YES], answers[NO], answers[UNSURE]);
	ok(!wrong_eas, "random machines: on and off are never wrong (%d)", wrong_eas);
	ok(!wrong_compatible, "random machines: compatible is never wrong (%d)", wrong_compatible);
	ok(!unsure, "random machines: if nothing is hidden, EAS is known (%d)", unsure);
	ok(answers[YES] > RANDOM_CASES / 20 && answers[NO] > RANDOM_CASES / 20 &&
	   answers[UNSURE] > RANDOM_CASES / 20, "random machines: all answers come up");
}

static void json(void)
{
	struct facts *facts = new_facts();
	struct verdict *verdict;
	json_t *object, *domain, *cpu;

	facts->series = UNSURE;
	facts->sysctl = SYSCTL_EMPTY;
	facts->cpus->cpu[3].online = false;
	facts->cpus->cpu[3].policy = facts->cpus->cpu[3].perf_domain = UNKNOWN;
	*facts->cpus->cpu[3].driver = '\0';
	verdict = conclude(facts);
	object = verdict_json(verdict, NULL);
	domain = json_array_get(json_object_get(object, "root_domains"), 0);
	cpu = json_array_get(json_object_get(object, "cpus"), 3);
	ok_string(json_string_value(json_object_get(object, "eas")), "off", "JSON: eas");
	ok(json_is_null(json_object_get(object, "epp_aware")), "JSON: what is unknown is null");
	ok(json_array_size(json_object_get(domain, "conditions")) == CONDITIONS,
	   "JSON: conditions");
	ok(json_array_size(json_object_get(domain, "cpus")) == 4, "JSON: CPUs of a domain");
	ok(json_is_false(json_object_get(cpu, "online")) &&
	   json_is_null(json_object_get(cpu, "driver")) &&
	   json_is_null(json_object_get(cpu, "perf_domain")) &&
	   json_is_null(json_object_get(cpu, "compatible")), "JSON: an offline CPU");
	json_decref(object);
	verdict_free(verdict);
	facts_free(facts);
}

static void trace_lines(void)
{
	struct compat_event e;

	ok(trace_parse("          sh-105     [001] d..2.    12.345678: cpu_eas_compatible: "
		       "old=1 new=0 active=1 governor=1 epp_veto=1 epp=0 cpu_id=3", &e) &&
	   e.time == 12.345678 && e.cpu == 3 && !e.compatible, "trace: no longer compatible");
	ok(trace_parse("   <...>-7 [000] ..... 1.5: cpu_eas_compatible: old=0 new=1 active=1 "
		       "governor=1 epp_veto=0 epp=-1 cpu_id=0", &e) && e.cpu == 0 && e.compatible &&
	   e.time == 1.5, "trace: compatible, without EPP");
	ok(trace_parse("1: cpu_eas_compatible: old=0 new=0 active=1 governor=1 epp_veto=1 "
		       "epp=0 cpu_id=9-7 [000] ..... 2.5: cpu_eas_compatible: old=0 new=1 "
		       "active=1 governor=1 "
		       "epp_veto=0 epp=128 cpu_id=4", &e) && e.cpu == 4 && e.compatible &&
	   e.time == 2.5, "trace: name of a task that looks like an event");
	ok(!trace_parse("  kworker/0:1-9 [000] ..... 1.5: eas_root_domain: cpus=0-3 in_use=1 "
			"wanted=0 rebuild=1", &e), "trace: another event");
	ok(!trace_parse("CPU:2 [LOST 3 EVENTS]", &e), "trace: lost events");
	ok(!trace_parse("", &e), "trace: nothing");
	ok(!trace_parse("  sh-1 [000] ..... 1.5: cpu_eas_compatible: old=1 new=", &e),
	   "trace: end of line is missing");
}

int main(void)
{
	known_cases();
	several_domains();
	truth_table();
	random_cases();
	json();
	trace_lines();

	return ktap_end();
}
