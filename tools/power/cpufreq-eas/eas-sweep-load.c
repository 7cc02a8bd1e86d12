// SPDX-License-Identifier: GPL-2.0-only
/*
 * Built-in loads: the same amount of work every time.
 *
 * Work is counted, not timed, so that a slow configuration takes longer. Nothing is left
 * behind when a load is killed: temporary files have no names.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "eas-sweep.h"
#include "stats.h"

/* A unit of work is about a microsecond at 4 GHz. */
#define MSEC		1000

#define NSEC_PER_SEC	1000000000LL

/* Single-thread burst */
#define BURSTS		20
#define BURST_WORK	(50 * MSEC)
#define BURST_PAUSE	100000000LL		/* ns: long enough for clocks to go down */

/* Parallel load, per CPU */
#define BUILD_JOBS	100
#define BUILD_WORK	(20 * MSEC)		/* on average */
#define BUILD_MEMORY	(1 << 20)
#define BUILD_FILE	(64 << 10)

/* Periodic tasks: 60 times a second, as something on the screen would */
#define PERIOD		16000000LL		/* ns */
#define PERIODIC_WORK	(1 * MSEC)
#define ACTIVATIONS	200

/* Whatever is calculated ends here, so that the compiler cannot leave it out. */
static volatile uint64_t sink;

/* Integer operations that wait for each other and for the first-level cache */
static void work(uint64_t units)
{
	uint64_t table[512], x = sink | 1;
	int i;

	for (i = 0; i < 512; i++)
		table[i] = i * x;
	while (units--) {
		for (i = 0; i < 360; i++) {
			x = (x ^ x >> 29) * 0x9e3779b97f4a7c15;
			x += table[x >> 55];
		}
	}
	sink = x;
}

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void sleep_until(long long when)
{
	struct timespec ts = { when / NSEC_PER_SEC, when % NSEC_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static int online_cpus(void)
{
	long number = sysconf(_SC_NPROCESSORS_ONLN);

	return number > 0 ? number : 1;
}

static int scaled(int number, double scale, int least)
{
	double result = round(number * scale);

	return result < least ? least : result > 1e9 ? 1000000000 : (int)result;
}

static bool fail(struct load_result *result, const char *what)
{
	snprintf(result->error, sizeof(result->error), "%s: %s", what, strerror(errno));

	return false;
}

/* ---- burst ---------------------------------------------------------------- */

static bool run_burst(double scale, struct load_result *result)
{
	int bursts = scaled(BURSTS, scale, 1);
	long long start, sum = 0;

	while (bursts--) {
		start = now();
		work(BURST_WORK);
		sum += now() - start;
		if (bursts)
			sleep_until(now() + BURST_PAUSE);
	}
	result->work = (double)sum / NSEC_PER_SEC;

	return true;
}

/* ---- build ---------------------------------------------------------------- */

/* One process, like a compiler: reads, allocates, calculates, writes. Return: exit status */
static int build_process(int fd, unsigned int job)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	char *memory;

	memory = mmap(NULL, BUILD_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	/* What some process before this one has written, or a hole */
	if (pread(fd, memory, BUILD_FILE, (off_t)(job / 2) * BUILD_FILE) < 0)
		return 1;
	for (i = BUILD_FILE; i < BUILD_MEMORY; i += page)
		memory[i] = job;
	/* From a half to one and a half of the average, in an order that is always the same */
	work(BUILD_WORK / 2 + job * 7919 % BUILD_WORK);
	if (pwrite(fd, memory, BUILD_FILE, (off_t)job * BUILD_FILE) != BUILD_FILE)
		return 1;

	return 0;
}

/* Return: false if the process has failed, or there is none. */
static bool wait_for_one(void)
{
	int status;

	while (wait(&status) < 0)
		if (errno != EINTR)
			return false;

	/* wait() has not failed, so there is no better reason. */
	errno = EIO;

	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int unnamed_file(void)
{
	const char *directory = getenv("TMPDIR") ?: "/tmp";
	char name[4096];
	int fd;

	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;

	/* Not every file system can do that. */
	snprintf(name, sizeof(name), "%s/eas-sweep.XXXXXX", directory);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);

	return fd;
}

static bool build(int jobs, int parallel, struct load_result *result)
{
	int fd = unnamed_file(), job, running = 0;
	long long start = now();
	bool good = true;
	pid_t pid;

	if (fd < 0)
		return fail(result, "cannot make a temporary file, set TMPDIR");

	for (job = 0; job < jobs && good; job++) {
		if (running == parallel) {
			good = wait_for_one();
			running--;
		}
		pid = good ? fork() : -1;
		if (!pid)
			_exit(build_process(fd, job));
		if (pid < 0)
			good = false;
		else
			running++;
	}
	if (!good)
		fail(result, "a process has failed");
	for (; running; running--) {
		if (!wait_for_one() && good) {
			fail(result, "a process has failed, is there space for temporary files?");
			good = false;
		}
	}
	/* Like linking: the only part that one CPU does alone */
	work(BUILD_WORK);
	result->work = (double)(now() - start) / NSEC_PER_SEC;
	close(fd);

	return good;
}

static bool run_build(double scale, struct load_result *result)
{
	int cpus = online_cpus();

	return build(scaled(BUILD_JOBS * cpus, scale, 2), cpus, result);
}

/* ---- periodic --------------------------------------------------------------- */

struct task {
	pthread_t thread;
	long long first;
	int activations;
	double *latency;
};

static void *periodic_task(void *argument)
{
	struct task *task = argument;
	long long when = task->first;
	int i;

	/* Timers of normal tasks may be late by as much; this is not what is measured. */
	prctl(PR_SET_TIMERSLACK, 1);
	for (i = 0; i < task->activations; i++, when += PERIOD) {
		sleep_until(when);
		work(PERIODIC_WORK);
		task->latency[i] = (double)(now() - when) / NSEC_PER_SEC;
	}

	return NULL;
}

static bool periodic(int tasks, int activations, struct load_result *result)
{
	struct task *task = calloc(tasks, sizeof(*task));
	int number = tasks * activations, i, started;
	double *latency = calloc(number, sizeof(*latency)), sum = 0;
	long long start = now() + PERIOD;

	if (!task || !latency)
		return fail(result, "cannot start");
	for (started = 0; started < tasks; started++) {
		/* Evenly over the period */
		task[started].first = start + PERIOD * started / tasks;
		task[started].activations = activations;
		task[started].latency = latency + started * activations;
		errno = pthread_create(&task[started].thread, NULL, periodic_task,
				       &task[started]);
		if (errno)
			return fail(result, "cannot start a thread");
	}
	for (i = 0; i < tasks; i++)
		pthread_join(task[i].thread, NULL);

	for (i = 0; i < number; i++)
		sum += latency[i];
	result->mean = sum / number;
	result->p99 = stats_quantile(latency, number, 0.99);
	free(latency);
	free(task);

	return true;
}

static bool run_periodic(double scale, struct load_result *result)
{
	int tasks = online_cpus() / 2;

	return periodic(tasks < 2 ? 2 : tasks, scaled(ACTIVATIONS, scale, 5), result);
}

/* ---- mixed ------------------------------------------------------------------ */

/* Processes on half of the CPUs, and periodic tasks beside them */
static bool run_mixed(double scale, struct load_result *result)
{
	int parallel = online_cpus() / 2, tasks = online_cpus() / 4;
	struct load_result *built;
	bool good;
	pid_t pid;

	built = mmap(NULL, sizeof(*built), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (built == MAP_FAILED)
		return fail(result, "cannot start");
	if (parallel < 1)
		parallel = 1;
	if (tasks < 1)
		tasks = 1;

	pid = fork();
	if (!pid)
		_exit(!build(scaled(BUILD_JOBS / 2 * parallel, scale, 2), parallel, built));
	if (pid < 0)
		return fail(result, "cannot start a process");
	good = periodic(tasks, scaled(ACTIVATIONS, scale, 5), result);
	if (!wait_for_one() && good) {
		memcpy(result->error, built->error, sizeof(result->error));
		good = false;
	}
	result->work = built->work;

	return good;
}

const struct load loads[] = {
	{ "burst", "time in bursts of one thread", 3, false, false, run_burst },
	{ "build", "time for many short processes", 2.5, false, false, run_build },
	{ "periodic", "latency of light periodic tasks, mean", 3.3, true, true, run_periodic },
	{ "mixed", "time for processes beside periodic tasks", 3.3, false, true, run_mixed },
	{ 0 }
};
