// SPDX-License-Identifier: GPL-2.0-only
/*
 * What changes of EPP and governors take, in ns, as a table: a line for each
 * figure with its name, the value, and how often it has been measured.  With
 * "vhybrid run --icount", one ns is one instruction.
 *
 * usage: bench write|profile|governor
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CPUS		"/sys/devices/system/cpu/cpu"
#define VM		"/sys/kernel/debug/vhybrid/"
#define MAX_CPUS	64
#define REPEAT		21

static int epp[MAX_CPUS], governor[MAX_CPUS], control, ncpus;

static void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void put(int fd, const char *value)
{
	if (pwrite(fd, value, strlen(value), 0) < 0)
		die(value);
}

static void settle(void)
{
	put(control, "settle");
}

static int open_attr(int cpu, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CPUS "%d/cpufreq/%s", cpu, name);
	return open(path, O_WRONLY);
}

/* A line of the file "eas", up to two numbers. */
static void eas(const char *name, long long *a, long long *b)
{
	size_t len = strlen(name);
	char line[256];
	FILE *f = fopen(VM "eas", "r");

	if (!f)
		die(VM "eas");
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, name, len) || line[len] != ' ')
			continue;
		if (sscanf(line + len, "%lld %lld", a, b) >= 1)
			break;
	}
	fclose(f);
}

static long long rebuilds(void)
{
	long long a = 0, b;

	eas("rebuilds", &a, &b);
	return a;
}

static long long last_end(void)
{
	long long a, b = 0;

	eas("last", &a, &b);
	return b;
}

static int compare(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static long long median(long long *v, int n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

/* Alternate between two values. */
static void measure(const char *name, int fd, const char *one, const char *two)
{
	long long v[REPEAT], start;
	int i;

	put(fd, two);
	settle();
	for (i = 0; i < REPEAT; i++) {
		start = now();
		put(fd, i & 1 ? two : one);
		v[i] = now() - start;
		settle();
	}
	printf("%s\t%lld\t%d\n", name, median(v, REPEAT), REPEAT);
}

static void bench_write(void)
{
	long long before;
	int i, other = 1;

	for (i = 0; i < ncpus; i++)
		put(epp[i], "balance_performance");
	settle();
	measure("unchanged EPP write", epp[other], "balance_performance", "balance_performance");
	/* EAS is off because of the first CPU, so nothing is rebuilt. */
	put(epp[0], "performance");
	settle();
	before = rebuilds();
	measure("EPP write without effect on EAS", epp[other], "balance_power", "balance_performance");
	measure("EPP write changing compatibility", epp[other], "performance", "balance_performance");
	printf("rebuilds because of these\t%lld\t1\n", rebuilds() - before);
	put(epp[0], "balance_performance");
	settle();
}

static void change_profile(const char *value, long long *last_write)
{
	int i;

	for (i = 0; i < ncpus; i++) {
		put(governor[i], "powersave");
		if (last_write)
			*last_write = now();
		put(epp[i], value);
	}
}

static void bench_profile(void)
{
	long long off[REPEAT], on[REPEAT], latency[REPEAT], bare[REPEAT], all[REPEAT];
	long long start, last = 0, before;
	int i, n = 5;

	change_profile("balance_performance", NULL);
	settle();
	for (i = 0; i < n; i++) {
		before = rebuilds();
		change_profile("performance", NULL);
		settle();
		off[i] = rebuilds() - before;

		before = rebuilds();
		start = now();
		change_profile("balance_performance", &last);
		settle();
		all[i] = now() - start;
		on[i] = rebuilds() - before;
		latency[i] = on[i] ? last_end() - last : 0;
		/* The write itself does not count. */
		start = now();
		put(epp[ncpus - 1], "balance_performance");
		if (on[i])
			latency[i] -= now() - start;

		/* A rebuild that has been requested in the same way. */
		start = now();
		put(control, "request");
		settle();
		bare[i] = last_end() - start;
	}
	printf("rebuilds, profile for performance\t%lld\t%d\n", median(off, n), n);
	printf("rebuilds, profile for balance\t%lld\t%d\n", median(on, n), n);
	printf("profile for balance\t%lld\t%d\n", median(all, n), n);
	printf("last write to EAS in use\t%lld\t%d\n", median(latency, n), n);
	printf("one rebuild\t%lld\t%d\n", median(bare, n), n);
}

static void bench_governor(void)
{
	long long v[REPEAT], before, start;
	int i, k, n = 5;

	for (i = 0; i < ncpus; i++)
		put(governor[i], "powersave");
	settle();
	before = rebuilds();
	for (k = 0; k < n; k++) {
		start = now();
		for (i = 0; i < ncpus; i++)
			put(governor[i], k & 1 ? "powersave" : "schedutil");
		settle();
		v[k] = now() - start;
	}
	printf("governor change of all CPUs\t%lld\t%d\n", median(v, n), n);
	printf("rebuilds per governor change of all CPUs\t%.1f\t%d\n",
	       (double)(rebuilds() - before) / n, n);
}

int main(int argc, char *argv[])
{
	cpu_set_t here;

	if (argc != 2) {
		fprintf(stderr, "usage: bench write|profile|governor\n");
		return 2;
	}

	/*
	 * On the second CPU, whose EPP is going to be written then, so that it does not
	 * depend on how soon another CPU responds.
	 */
	CPU_ZERO(&here);
	CPU_SET(1, &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		die("sched_setaffinity");

	control = open(VM "control", O_WRONLY);
	if (control < 0)
		die(VM "control");
	for (ncpus = 0; ncpus < MAX_CPUS; ncpus++) {
		governor[ncpus] = open_attr(ncpus, "scaling_governor");
		if (governor[ncpus] < 0)
			break;
		epp[ncpus] = open_attr(ncpus, "energy_performance_preference");
	}
	if (ncpus < 2)
		die("less than two CPUs with cpufreq");

	if (!strcmp(argv[1], "write"))
		bench_write();
	else if (!strcmp(argv[1], "profile"))
		bench_profile();
	else if (!strcmp(argv[1], "governor"))
		bench_governor();
	else
		return 2;
	return 0;
}
