// SPDX-License-Identifier: GPL-2.0-only
/*
 * eas-status: is Energy-Aware Scheduling in use, and if it is not, why?
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eas-status.h"
#include "util.h"

#define DEFAULT_INTERVAL	1.0

static const char usage[] =
"usage: eas-status [OPTION]...\n"
"Tell whether Energy-Aware Scheduling is in use, and if it is not, why.\n"
"\n"
"  -c, --cpus LIST         only these CPUs and their root domains, e.g. 0-3,8\n"
"  -j, --json              print JSON; with --watch, one object on each line\n"
"  -w, --watch             go on, and print changes, until interrupted\n"
"  -i, --interval SECONDS  with --watch, look at least that often (default: 1)\n"
"  -h, --help              print this\n"
"  -V, --version           print the version\n"
"\n"
"Exit status: 0 EAS is on in all root domains that could have it, 1 it is off,\n"
"2 wrong usage, 3 it is unknown.\n";

static __attribute__((noreturn)) void usage_error(void)
{
	fputs("Try 'eas-status --help'.\n", stderr);
	exit(STATUS_USAGE);
}

/* The CPUs asked for have to be there, and at least one of them be online. */
static cpu_set_t *parse_only(const char *list)
{
	struct cpus *cpus = cpus_read();
	cpu_set_t *only = set_new(), *present = set_new();
	bool online = false;
	int i;

	if (!parse_cpu_list(list, only))
		die(STATUS_USAGE, "'%s' is not a list of CPUs, write something like 0-3,8", list);

	for (i = 0; i < cpus->number; i++) {
		set_add(present, cpus->cpu[i].number);
		if (cpus->cpu[i].online && set_has(only, cpus->cpu[i].number))
			online = true;
	}
	for (i = 0; i < MAX_CPUS; i++)
		if (set_has(only, i) && !set_has(present, i))
			die(STATUS_USAGE, "there is no CPU %d, there are %s", i,
			    format_cpu_list(present));
	if (!online)
		die(STATUS_USAGE, "%s: offline, put it online first: as root, "
		    "echo 1 > /sys/devices/system/cpu/cpuN/online", cpus_text(only));
	cpus_free(cpus);
	CPU_FREE(present);

	return only;
}

static double parse_interval(const char *string)
{
	double interval;
	char *end;

	errno = 0;
	interval = strtod(string, &end);
	if (errno || end == string || *end || !(interval >= 0.01 && interval <= 3600))
		die(STATUS_USAGE, "'%s' is not an interval, write seconds from 0.01 to 3600",
		    string);

	return interval;
}

static int show(const cpu_set_t *only, bool json)
{
	struct facts *facts = facts_read();
	struct verdict *verdict = conclude(facts);
	int status = verdict_status(verdict, only);
	json_t *object;

	if (json) {
		object = verdict_json(verdict, only);
		json_dumpf(object, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(object);
	} else {
		print_text(verdict, only);
	}
	verdict_free(verdict);
	facts_free(facts);

	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpus",	required_argument,	NULL, 'c' },
		{ "json",	no_argument,		NULL, 'j' },
		{ "watch",	no_argument,		NULL, 'w' },
		{ "interval",	required_argument,	NULL, 'i' },
		{ "help",	no_argument,		NULL, 'h' },
		{ "version",	no_argument,		NULL, 'V' },
		{ }
	};
	bool json = false, watching = false;
	double interval = NAN;
	const char *list = NULL;
	cpu_set_t *only = NULL;
	int option, status;

	setlocale(LC_CTYPE, "");

	while ((option = getopt_long(argc, argv, "c:jwi:hV", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			list = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'w':
			watching = true;
			break;
		case 'i':
			interval = parse_interval(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return STATUS_ON;
		case 'V':
			puts("eas-status " VERSION);
			return STATUS_ON;
		default:
			usage_error();
		}
	}
	if (optind < argc) {
		warn("'%s' is too much: CPUs are given with --cpus", argv[optind]);
		usage_error();
	}
	if (!isnan(interval) && !watching) {
		warn("--interval is of no use without --watch");
		usage_error();
	}

	if (list)
		only = parse_only(list);
	if (watching)
		status = watch(only, json, isnan(interval) ? DEFAULT_INTERVAL : interval);
	else
		status = show(only, json);
	CPU_FREE(only);

	if (fflush(stdout) || ferror(stdout))
		die(STATUS_UNKNOWN, "cannot write the output, is there space left?");

	return status;
}
