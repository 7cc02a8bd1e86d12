// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files, lists of CPUs, numbers, types of CPUs, tables.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpus.h"
#include "ktap.h"
#include "table.h"
#include "types.h"
#include "util.h"

static void cpu_lists(void)
{
	static const struct {
		const char *list, *formatted;	/* NULL: not a list */
	} cases[] = {
		{ "0", "0" }, { "0-3,8", "0-3,8" }, { "8,0-3", "0-3,8" }, { "1,2,3", "1-3" },
		{ "5-5", "5" }, { "0,2,4", "0,2,4" }, { "0-4095", "0-4095" }, { "4095", "4095" },
		{ "0-3,2-5", "0-5" },
		{ "", NULL }, { " ", NULL }, { "a", NULL }, { "1-", NULL }, { "-1", NULL },
		{ "3-1", NULL }, { "1,,2", NULL }, { "1,", NULL }, { ",1", NULL }, { "1 ", NULL },
		{ "+1", NULL }, { "4096", NULL }, { "0-4096", NULL }, { "1-2-3", NULL },
		{ "99999999999999999999", NULL }, { "0x1", NULL }, { "1\n", NULL },
	};
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS), i;
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	char name[64], *formatted;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool parsed;

		memset(set, 0xff, size);
		parsed = parse_cpu_list(cases[i].list, set);
		formatted = format_cpu_list(set);
		snprintf(name, sizeof(name), "list of CPUs '%.20s'", cases[i].list);
		if (name[strlen(name) - 2] == '\n')
			strcpy(name, "list of CPUs with a newline");
		ok_string(formatted, cases[i].formatted ?: "-", name);
		ok(parsed == !!cases[i].formatted, "it is%s one", parsed ? "" : " not");
		free(formatted);
	}
	CPU_FREE(set);
}

/* What would end the program is done by another process. Return: its exit status. */
static int status_of(const char *string, bool whole)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(STDERR_FILENO);
		if (whole)
			option_whole("rounds", string, -3, 7000000000);
		else
			option_number("scale", string, 0.5, 3600);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;

	return WEXITSTATUS(status);
}

static void numbers(void)
{
	static const char *const whole[] = {
		"", "x", "1x", "1.5", "1 ", "-4", "7000000001", "99999999999999999999", "1e3", "0x1",
	};
	static const char *const number[] = {
		"", "x", "1x", "1 ", "0.4999", "-1", "3601", "inf", "nan", "1e999",
	};
	char name[64];
	size_t i;

	ok(option_whole("rounds", "-3", -3, 7000000000) == -3, "the least whole number");
	ok(option_whole("rounds", "7000000000", -3, 7000000000) == 7000000000, "the largest one");
	ok(option_number("scale", "0.5", 0.5, 3600) == 0.5, "the least number");
	ok(option_number("scale", "3.6e3", 0.5, 3600) == 3600, "the largest one");
	for (i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		snprintf(name, sizeof(name), "'%s' is no whole number, or not in the range", whole[i]);
		ok(status_of(whole[i], true) == EXIT_USAGE, "%s", name);
	}
	for (i = 0; i < sizeof(number) / sizeof(*number); i++) {
		snprintf(name, sizeof(name), "'%s' is no number, or not in the range", number[i]);
		ok(status_of(number[i], false) == EXIT_USAGE, "%s", name);
	}
}

static void files(void)
{
	char directory[] = "/tmp/unit-common.XXXXXX", *path, *contents, *large;
	long long number = 42;
	struct stat st;

	if (!mkdtemp(directory)) {
		ok(false, "a directory for tests in /tmp");
		return;
	}
	path = xasprintf("%s/file", directory);

	errno = 0;
	contents = read_file("%s", path);
	ok(!contents && errno == ENOENT, "a file that is not there cannot be read");
	ok(write_file("1", "%s", path) == -ENOENT && access(path, F_OK), "... and is not created");
	ok(!read_number(&number, "%s", path) && number == 42, "... and is not a number");

	close(open(path, O_CREAT | O_WRONLY, 0600));
	contents = read_file("%s/%s", directory, "file");
	ok_string(contents, "", "an empty file");
	free(contents);
	ok(!read_number(&number, "%s", path) && number == 42, "an empty file is not a number");

	ok(!write_file("-17\n", "%s/%s", directory, "file") && read_number(&number, "%s", path) &&
	   number == -17, "a negative number");
	contents = read_file("%s", path);
	ok_string(contents, "-17", "no newline at the end");
	free(contents);
	ok(!write_file("0x1f0\n", "%s", path) && read_number(&number, "%s", path) &&
	   number == 0x1f0, "a number with 0x");
	unlink(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ok(!write_file("010", "%s", path) && read_number(&number, "%s", path) && number == 10,
	   "0 at the beginning does not make it octal");
	number = 42;
	ok(!write_file("12 apples", "%s", path) && !read_number(&number, "%s", path) &&
	   number == 42, "a number followed by something else is none");
	ok(!write_file("99999999999999999999\n", "%s", path) && !read_number(&number, "%s", path),
	   "a number that is too large is none");

	/* More than one buffer full, with newlines inside */
	large = xcalloc(300001, 1);
	memset(large, 'x', 300000);
	large[1000] = '\n';
	ok(!write_file(large, "%s", path) && !stat(path, &st) && st.st_size == 300000,
	   "a large file can be written");
	contents = read_file("%s", path);
	ok(contents && !strcmp(contents, large), "a large file can be read");
	free(contents);
	free(large);

	ok(write_file("x", "/dev/full") == -ENOSPC, "errors of writing are returned");
	ok(!read_file("%s", directory) && errno == EISDIR, "errors of reading are returned");

	unlink(path);
	rmdir(directory);
	free(path);
}

/* What CPUID returns on the pretended processor */
static struct {
	uint32_t vendor, max, features, type, extended_max, amd_eax, amd_ebx;
	bool fails;
} processor;

static bool run_cpuid(int cpu, uint32_t leaf, struct cpuid *r)
{
	(void)cpu;
	*r = (struct cpuid){};
	switch (leaf) {
	case 0:
		r->eax = processor.max;
		r->ebx = processor.vendor;
		break;
	case 7:
		r->edx = processor.features;
		break;
	case 0x1a:
		r->eax = processor.type;
		break;
	case 0x80000000:
		r->eax = processor.extended_max;
		break;
	case 0x80000026:
		r->eax = processor.amd_eax;
		r->ebx = processor.amd_ebx;
		break;
	}

	return !processor.fails;
}

#define GENU	0x756e6547
#define AUTH	0x68747541
#define HYBRID	(1u << 15)

static void cpuid_types(void)
{
	static const struct {
		const char *name;
		enum core_type type;
		uint32_t vendor, max, features, leaf, extended_max, amd_eax, amd_ebx;
	} cases[] = {
		{ "Intel P-core", CORE_P, GENU, 0x20, HYBRID, 0x40000001, 0, 0, 0 },
		{ "Intel E-core", CORE_E, GENU, 0x20, HYBRID, 0x20000001, 0, 0, 0 },
		{ "Intel, some other core", CORE_UNKNOWN, GENU, 0x20, HYBRID, 0x30000000, 0, 0, 0 },
		{ "Intel, not hybrid", CORE_UNKNOWN, GENU, 0x20, ~HYBRID, 0x40000001, 0, 0, 0 },
		{ "Intel, too old", CORE_UNKNOWN, GENU, 0x16, HYBRID, 0x40000001, 0, 0, 0 },
		{ "AMD P-core", CORE_P, AUTH, 0x10, 0, 0, 0x80000028, 1u << 30, 0x00010010 },
		{ "AMD E-core", CORE_E, AUTH, 0x10, 0, 0, 0x80000028, 1u << 30, 0x10010010 },
		{ "AMD, some other core", CORE_UNKNOWN,
		  AUTH, 0x10, 0, 0, 0x80000028, 1u << 30, 0x20010010 },
		{ "AMD, all alike", CORE_UNKNOWN, AUTH, 0x10, 0, 0, 0x80000028, 0, 0x10010010 },
		{ "AMD, too old", CORE_UNKNOWN,
		  AUTH, 0x10, 0, 0, 0x8000001e, 1u << 30, 0x10010010 },
		{ "another vendor", CORE_UNKNOWN,
		  0x12345678, 0x20, HYBRID, 0x40000001, 0x80000028, 1u << 30, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		processor.vendor = cases[i].vendor;
		processor.max = cases[i].max;
		processor.features = cases[i].features;
		processor.type = cases[i].leaf;
		processor.extended_max = cases[i].extended_max;
		processor.amd_eax = cases[i].amd_eax;
		processor.amd_ebx = cases[i].amd_ebx;
		ok(types_from_cpuid(0, run_cpuid) == cases[i].type, "CPUID: %s", cases[i].name);
	}
	processor.vendor = GENU;
	processor.max = 0x20;
	processor.features = HYBRID;
	processor.type = 0x40000001;
	processor.fails = true;
	ok(types_from_cpuid(0, run_cpuid) == CORE_UNKNOWN, "CPUID cannot be executed");
}

static void groups(void)
{
	static const struct {
		const char *name;
		long long speed[6];
		int groups, group[6];
	} cases[] = {
		{ "all alike", { 5, 5, 5, 5, 5, 5 }, 1, { 0, 0, 0, 0, 0, 0 } },
		{ "favoured cores", { 5700, 5700, 5500, 5500, 5400, 5400 },
		  1, { 0, 0, 0, 0, 0, 0 } },
		{ "two types", { 4700, 3700, 4700, 3700, 3700, 4700 }, 2, { 0, 1, 0, 1, 1, 0 } },
		{ "three types", { 426, 648, 1024, 426, 648, 1024 }, 3, { 2, 1, 0, 2, 1, 0 } },
		{ "small steps that add up", { 236, 226, 216, 206, 196, 186 },
		  1, { 0, 0, 0, 0, 0, 0 } },
		{ "some unknown", { 0, 100, 50, 0, -1, 50 }, 2, { -1, 0, 1, -1, -1, 1 } },
		{ "all unknown", { 0, 0, 0, 0, 0, 0 }, 0, { -1, -1, -1, -1, -1, -1 } },
		{ "gap of exactly 10 %", { 110, 100, 110, 100, 110, 100 },
		  1, { 0, 0, 0, 0, 0, 0 } },
		{ "gap of a bit more", { 111, 100, 111, 100, 111, 100 }, 2, { 0, 1, 0, 1, 0, 1 } },
	};
	int group[6];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(types_group(cases[i].speed, 6, group) == cases[i].groups &&
		   !memcmp(group, cases[i].group, sizeof(group)),
		   "types by speed: %s", cases[i].name);
}

static void type_names(void)
{
	static struct cpu cpu[] = {
		{ .number = 0, .online = true, .type = "LPE" },
		{ .number = 1, .online = true, .type = "E" },
		{ .number = 2, .online = true, .type = "P" },
		{ .number = 3, .online = true, .type = "E" },
		{ .number = 4, .online = false, .type = "core" },
		{ .number = 9, .online = true },
	};
	struct cpus cpus = { .number = 6, .cpu = cpu };
	char **types, joined[64] = "", word[48];
	int i, number = cpus_types(&cpus, &types);

	for (i = 0; i < number; i++)
		strcat(strcat(joined, types[i]), " ");
	ok(number == 3 && !types[3], "three types");
	ok_string(joined, "P E LPE ", "types, fastest first");
	ok(cpus_find(&cpus, 9) == &cpu[5] && !cpus_find(&cpus, 5), "CPUs are found by number");

	strcpy(cpu[0].epp, "dynamic(profile:balance_performance)");
	cpu_epp_word(&cpu[0], word);
	ok_string(word, "balance_performance", "dynamic EPP");
	strcpy(cpu[0].epp, "77");
	cpu_epp_word(&cpu[0], word);
	ok_string(word, "77", "EPP that is a number");
}

/* Prints to memory; to be freed. */
static char *printed(const struct table *table, void (*print)(const struct table *, FILE *))
{
	size_t length;
	char *text;
	FILE *to = open_memstream(&text, &length);

	print(table, to);
	fclose(to);

	return text;
}

static void tables(void)
{
	struct table *table = table_new("name", ">number", "last", NULL);
	char *text;

	text = printed(table, table_print);
	ok_string(text, "name  number  last\n", "table without rows");
	free(text);

	table_cell(table, "%s", "a,b");
	table_number(table, 3.14159, 2);
	table_cell(table, "%s", "x");
	table_cell(table, "%s %d", "long name", 1);
	table_number(table, NAN, 2);
	table_cell(table, NULL);
	table_cell(table, "%s", "say \"no\"");
	table_number(table, -12345678, 0);
	table_cell(table, "%s", "");

	text = printed(table, table_print);
	ok_string(text,
		  "name            number  last\n"
		  "a,b               3.14  x\n"
		  "long name 1          -  -\n"
		  "say \"no\"     -12345678  -\n", "table for people");
	free(text);
	text = printed(table, table_print_csv);
	ok_string(text,
		  "name,number,last\r\n"
		  "\"a,b\",3.14,x\r\n"
		  "long name 1,,\r\n"
		  "\"say \"\"no\"\"\",-12345678,\r\n", "table as CSV");
	free(text);
	table_free(table);
}

int main(void)
{
	cpu_lists();
	numbers();
	files();
	cpuid_types();
	groups();
	type_names();
	tables();

	return ktap_end();
}
