// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: for people, and as JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "eas-status.h"
#include "table.h"
#include "util.h"

/* To be increased when something is renamed or removed */
#define SCHEMA_VERSION	1

const char *eas_word(enum answer eas)
{
	return eas == YES ? "on" : eas == NO ? "off" : "unknown";
}

const char *answer_word(enum answer answer)
{
	return answer == YES ? "yes" : answer == NO ? "no" : NULL;
}

/* If something stands in the way, others are of no interest that will be known without it. */
static bool worth_mentioning(const struct domain_verdict *domain, enum condition_name name)
{
	enum condition_name other;

	if (domain->condition[name].met != UNSURE)
		return true;
	if (domain->condition[COND_KERNEL].met == NO)
		return false;
	if (name != COND_SYSCTL && name != COND_INVARIANCE)
		return true;
	for (other = 0; other < CONDITIONS; other++)
		if (domain->condition[other].met == NO)
			return false;

	return true;
}

static void print_conditions(const struct domain_verdict *domain, enum answer met, const char *mark)
{
	enum condition_name name;

	for (name = 0; name < CONDITIONS; name++) {
		const struct condition *condition = &domain->condition[name];

		if (condition->met != met || !worth_mentioning(domain, name))
			continue;
		printf("  %s %s\n", mark, condition->text);
		if (condition->remedy)
			printf("      %s: %s\n", met == NO ? "remedy" : "what tells",
			       condition->remedy);
	}
}

void print_domain(const struct domain_verdict *domain)
{
	char *cpus = cpus_text(domain->cpus);

	printf("Root domain of %s: EAS is %s\n", cpus, eas_word(domain->eas));
	free(cpus);
	if (domain->eas == YES)
		return;

	print_conditions(domain, NO, "-");
	print_conditions(domain, UNSURE, "?");
}

static bool shown(const cpu_set_t *only, int cpu)
{
	return !only || set_has(only, cpu);
}

static void print_table(const struct verdict *verdict, const cpu_set_t *only)
{
	struct table *table = table_new(">CPU", "type", ">capacity", ">perf domain", "driver",
					"mode", "governor", "EPP", "compatible", NULL);
	bool derived = false, offline = false;
	int i;

	for (i = 0; i < verdict->facts->cpus->number; i++) {
		const struct cpu *cpu = &verdict->facts->cpus->cpu[i];

		if (!shown(only, cpu->number))
			continue;
		table_cell(table, "%d", cpu->number);
		table_cell(table, "%s", cpu->online ? cpu->type : "offline");
		if (!cpu->online || cpu->capacity == UNKNOWN)
			table_cell(table, NULL);
		else
			table_cell(table, "%s%d", cpu->capacity_derived ? "~" : "", cpu->capacity);
		if (cpu->perf_domain == UNKNOWN)
			table_cell(table, NULL);
		else
			table_cell(table, "%d", cpu->perf_domain);
		table_cell(table, "%s", cpu->driver);
		table_cell(table, "%s", cpu->mode);
		table_cell(table, "%s", cpu->governor);
		table_cell(table, "%s", cpu->epp);
		table_cell(table, "%s", answer_word(verdict->compatible[i]) ?: "");
		derived |= cpu->online && cpu->capacity_derived;
		offline |= !cpu->online;
	}
	table_print(table, stdout);
	table_free(table);
	if (derived)
		puts("~ derived from ACPI CPPC, the scheduler may have another value");
	if (offline)
		puts("Offline CPUs have no cpufreq policy; 1 in cpuN/online puts them online");
}

char *missing_text(const struct verdict *verdict)
{
	const struct facts *facts = verdict->facts;
	bool types = false;
	char *text;
	int i;

	if (facts_privileged())
		return NULL;

	for (i = 0; i < facts->cpus->number; i++)
		types |= !strncmp(facts->cpus->cpu[i].type, "type", 4);

	text = xasprintf("%s%s%s",
			 !facts->cpus->em_known && facts->sysctl != SYSCTL_MISSING ?
			 ", Energy Model" : "",
			 verdict->series == UNSURE ? ", whether the kernel accepts powersave" : "",
			 types ? ", types of CPUs" : "");
	if (!*text) {
		free(text);
		return NULL;
	}
	/* Without the first comma */
	memmove(text, text + 2, strlen(text + 2) + 1);

	return text;
}

void print_text(const struct verdict *verdict, const cpu_set_t *only)
{
	const struct facts *facts = verdict->facts;
	char *text;
	int i;

	for (i = 0; i < verdict->domains; i++)
		if (!only || set_overlaps(only, verdict->domain[i].cpus))
			print_domain(&verdict->domain[i]);
	if (!set_empty(facts->isolated) && (!only || set_overlaps(only, facts->isolated))) {
		text = cpus_text(facts->isolated);
		printf("Isolated, without EAS or any load balancing: %s\n", text);
		free(text);
	}
	if (facts->domains_hidden)
		puts("There may be more root domains: cpusets cannot be seen from here");

	putchar('\n');
	print_table(verdict, only);

	text = missing_text(verdict);
	if (text)
		printf("\nRoot would be told in addition: %s\n", text);
	free(text);
}

json_t *json_text(const char *string)
{
	return string && *string ? json_string(string) : json_null();
}

static json_t *json_number(int number)
{
	return number == UNKNOWN ? json_null() : json_integer(number);
}

json_t *json_answer(enum answer answer)
{
	return answer == UNSURE ? json_null() : json_boolean(answer == YES);
}

json_t *json_cpus(const cpu_set_t *cpus)
{
	json_t *array = json_array();
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (set_has(cpus, cpu))
			json_array_append_new(array, json_integer(cpu));

	return array;
}

static json_t *json_domain(const struct domain_verdict *domain)
{
	json_t *conditions = json_array();
	enum condition_name name;

	for (name = 0; name < CONDITIONS; name++) {
		const struct condition *condition = &domain->condition[name];

		json_array_append_new(conditions, json_pack("{s:s, s:o, s:o, s:o, s:o}",
			"name", condition_id(name),
			"met", json_answer(condition->met),
			"cpus", json_cpus(condition->cpus),
			"text", json_text(condition->text),
			"remedy", json_text(condition->remedy)));
	}

	return json_pack("{s:o, s:s, s:o, s:o}",
			 "cpus", json_cpus(domain->cpus),
			 "eas", eas_word(domain->eas),
			 "possible", json_answer(domain->possible),
			 "conditions", conditions);
}

static json_t *json_cpu(const struct cpu *cpu, enum answer compatible)
{
	return json_pack("{s:i, s:b, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "cpu", cpu->number,
			 "online", cpu->online,
			 "type", json_text(cpu->type),
			 "capacity", json_number(cpu->capacity),
			 "capacity_derived", cpu->capacity_derived,
			 "perf_domain", json_number(cpu->perf_domain),
			 "policy", json_number(cpu->policy),
			 "driver", json_text(cpu->driver),
			 "mode", json_text(cpu->mode),
			 "governor", json_text(cpu->governor),
			 "epp", json_text(cpu->epp),
			 "epp_value", json_number(cpu->epp_value),
			 "compatible", json_answer(compatible));
}

json_t *verdict_json(const struct verdict *verdict, const cpu_set_t *only)
{
	static const char * const states[] = {
		[STATUS_ON] = "on", [STATUS_OFF] = "off", [STATUS_UNKNOWN] = "unknown",
	};
	json_t *domains = json_array(), *cpus = json_array(), *object;
	const struct facts *facts = verdict->facts;
	char *missing = missing_text(verdict);
	struct utsname kernel;
	int i;

	uname(&kernel);
	for (i = 0; i < verdict->domains; i++)
		if (!only || set_overlaps(only, verdict->domain[i].cpus))
			json_array_append_new(domains, json_domain(&verdict->domain[i]));
	for (i = 0; i < facts->cpus->number; i++)
		if (shown(only, facts->cpus->cpu[i].number))
			json_array_append_new(cpus, json_cpu(&facts->cpus->cpu[i],
							     verdict->compatible[i]));

	object = json_pack("{s:i, s:s, s:o, s:s, s:o, s:o, s:b, s:o, s:o}",
			   "version", SCHEMA_VERSION,
			   "kernel", kernel.release,
			   "epp_aware", json_answer(verdict->series),
			   "eas", states[verdict_status(verdict, only)],
			   "root_domains", domains,
			   "isolated", json_cpus(facts->isolated),
			   "root_domains_hidden", facts->domains_hidden,
			   "cpus", cpus,
			   "missing", json_text(missing));
	free(missing);
	if (!object)
		die(STATUS_UNKNOWN, "cannot make JSON, out of memory");

	return object;
}
