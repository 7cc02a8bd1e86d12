// SPDX-License-Identifier: GPL-2.0-only
/*
 * duty - light periodic tasks, and where they wake up
 *
 * usage: duty TASKS PERCENT PERIOD_MS SECONDS
 *
 * Every task is a process that uses PERCENT of a CPU's time in bursts once per
 * PERIOD_MS.  Prints "cpu N: WAKEUPS" for every CPU that tasks woke up on.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_CPUS	64
#define NSEC		1000000000ULL

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

static void burn(uint64_t nsec)
{
	uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);
	volatile int i;

	while (now(CLOCK_THREAD_CPUTIME_ID) - start < nsec)
		for (i = 0; i < 1000; i++)
			;
}

static void task(unsigned int *wakeups, uint64_t burst, uint64_t period, uint64_t length)
{
	uint64_t next = now(CLOCK_MONOTONIC), end = next + length;
	struct timespec ts;
	int cpu;

	while (next < end) {
		next += period;
		ts.tv_sec = next / NSEC;
		ts.tv_nsec = next % NSEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		cpu = sched_getcpu();
		if (cpu >= 0 && cpu < MAX_CPUS)
			__atomic_fetch_add(&wakeups[cpu], 1, __ATOMIC_RELAXED);
		burn(burst);
	}
}

int main(int argc, char **argv)
{
	unsigned int *wakeups, tasks, percent, period_ms, seconds, i;

	if (argc != 5) {
		fprintf(stderr, "usage: %s TASKS PERCENT PERIOD_MS SECONDS\n", argv[0]);
		return 2;
	}
	tasks = atoi(argv[1]);
	percent = atoi(argv[2]);
	period_ms = atoi(argv[3]);
	seconds = atoi(argv[4]);

	wakeups = mmap(NULL, MAX_CPUS * sizeof(*wakeups), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (wakeups == MAP_FAILED) {
		perror(argv[0]);
		return 1;
	}

	for (i = 0; i < tasks; i++) {
		switch (fork()) {
		case -1:
			perror(argv[0]);
			return 1;
		case 0:
			/* Do not let all of them wake up at the same time. */
			usleep(i * period_ms * 1000 / tasks);
			task(wakeups, period_ms * 1000000ULL * percent / 100,
			     period_ms * 1000000ULL, seconds * NSEC);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;

	for (i = 0; i < MAX_CPUS; i++)
		if (wakeups[i])
			printf("cpu %u: %u\n", i, wakeups[i]);

	return 0;
}
