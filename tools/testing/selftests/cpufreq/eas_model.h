/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model that eas_model compares the system with: what EPP and the use of EAS have
 * to be.  It is the rules in Documentation/cpu-freq/eas.rst, put in other words than
 * those of the drivers.
 */

#ifndef _EAS_MODEL_H
#define _EAS_MODEL_H

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS		"/sys/devices/system/cpu"
#define AWARE		"/proc/sys/kernel/sched_energy_aware"
#define MAX_CPUS	64
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

struct cpu {
	/* These do not change. */
	int capacity;
	int def;			/* what EPP "default" stands for */
	/* The model */
	bool online;
	bool gone;			/* offline since before the last mode switch */
	bool split;			/* in a cpuset partition of its own with others */
	char governor[16];
	int user;			/* EPP asked for by users */
	bool dynamic;			/* EPP is up to profile and power source */
	char profile[24];
	/* To be restored */
	char old_governor[16], old_epp[48];
};

static struct cpu cpus[MAX_CPUS];
static int nr_cpus;
static bool amd, hybrid, server;
static const char *vm, *status, *reg;
static char mode[24];
static bool on_ac = true, aware = true;

/* EPP that words stand for; "default" is different for each CPU. */
static const char * const words[] = {
	"performance", "balance_performance", "balance_power", "power"
};

static int values[4];

static char why[512];

static void fail(const char *fmt, ...)
{
	size_t len = strlen(why);
	va_list args;

	va_start(args, fmt);
	vsnprintf(why + len, sizeof(why) - len, fmt, args);
	va_end(args);
}

/* ------------------------------ files ------------------------------ */

/* The first line of a file, or an empty string. */
static char *slurp(char *buf, size_t size, const char *fmt, ...)
{
	char path[160];
	va_list args;
	ssize_t n = 0;
	int fd;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/* Returns 0 or a negative error. */
static int spill(const char *value, const char *fmt, ...)
{
	char path[160];
	va_list args;
	int fd, ret = 0;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		ret = -errno;
	close(fd);
	return ret;
}

static bool exists(const char *fmt, ...)
{
	char path[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	return !access(path, F_OK);
}

#define EPP_FILE	CPUS "/cpufreq/policy%d/energy_performance_preference"
#define GOV_FILE	CPUS "/cpufreq/policy%d/scaling_governor"

/* EPP that the processor has been told, or -1. */
static int get_register(int cpu)
{
	unsigned long long value;
	char buf[32];
	int fd;

	if (vm) {
		slurp(buf, sizeof(buf), "%s/cpu%d/%s", vm, cpu, reg);
		value = strtoull(buf, NULL, 0);
		return strcmp(reg, "energy_perf") ? value >> 24 & 255 : value & 255;
	}
	snprintf(buf, sizeof(buf), "/dev/cpu/%d/msr", cpu);
	fd = open(buf, O_RDONLY);
	if (fd < 0)
		return -1;
	if (pread(fd, &value, sizeof(value), amd ? 0xc00102b3 : 0x774) != sizeof(value)) {
		close(fd);
		return -1;
	}
	close(fd);
	return value >> 24 & 255;
}

/* ------------------------------ the model ------------------------------ */

static bool active(void)
{
	return !strcmp(mode, "active");
}

static bool has_policies(void)
{
	return strcmp(mode, "disable");
}

static bool has_epp(void)
{
	return has_policies() && (!amd || active());
}

static bool forced(const struct cpu *c)
{
	return active() && !strcmp(c->governor, "performance");
}

static int profile_epp(const struct cpu *c)
{
	if (!strcmp(c->profile, "performance"))
		return 0;
	if (!strcmp(c->profile, "low-power"))
		return 255;
	/* Balanced: clients want performance on AC. */
	return on_ac && !server ? 0 : c->def;
}

/* EPP in effect */
static int effective(const struct cpu *c)
{
	if (forced(c))
		return 0;
	return c->dynamic ? profile_epp(c) : c->user;
}

static bool compatible(const struct cpu *c)
{
	if (!c->online || !has_policies())
		return false;
	if (has_epp() && effective(c) <= values[0])
		return false;
	if (active())
		return (amd || hybrid) && !strcmp(c->governor, "powersave");
	return !strcmp(c->governor, "schedutil");
}

/* Do the online CPUs in a partition differ in capacity? */
static bool asymmetric(int split)
{
	int i, first = -1;

	for (i = 0; i < nr_cpus; i++) {
		if (!cpus[i].online || cpus[i].split != split)
			continue;
		if (first < 0)
			first = i;
		if (cpus[i].capacity != cpus[first].capacity)
			return true;
	}
	return false;
}

/* Are the online CPUs in a partition, or all of them with -1, compatible with EAS? */
static bool all_compatible(int split)
{
	int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].online && (split < 0 || cpus[i].split == split) &&
		    !compatible(&cpus[i]))
			return false;
	return true;
}

static bool eas_possible(void)
{
	return hybrid && (asymmetric(0) || asymmetric(1)) && all_compatible(-1);
}

static bool eas_on(int split)
{
	return hybrid && aware && asymmetric(split) && all_compatible(split);
}

/* What is written to the EPP file as a number, or -1 if that is nonsense. */
static int meaning(const struct cpu *c, const char *what)
{
	char *end;
	long n;
	int i;

	for (i = 0; i < 4; i++)
		if (!strcmp(what, words[i]))
			return values[i];
	if (!strcmp(what, "default"))
		return c->def;
	n = strtol(what, &end, 10);
	return *what && !*end && n >= 0 && n <= 255 ? n : -1;
}

/* Is @shown a way to say what EPP of @c is? */
static bool says(const struct cpu *c, const char *shown)
{
	char word[64];
	int i;

	snprintf(word, sizeof(word), "%s", shown);
	if (amd && c->dynamic && !forced(c)) {
		if (strncmp(shown, "dynamic(profile:", 16))
			return false;
		snprintf(word, sizeof(word), "%s", shown + 16);
		word[strcspn(word, ")")] = '\0';
	}
	/* What is forced is called performance, whatever that is elsewhere. */
	if (!effective(c) && !strcmp(word, "performance"))
		return true;
	for (i = 0; i < 4; i++)
		if (!strcmp(word, words[i]))
			return values[i] == effective(c);
	return isdigit(*word) && atoi(word) == effective(c);
}

#endif /* _EAS_MODEL_H */
