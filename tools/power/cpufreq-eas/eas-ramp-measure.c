// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: a process of its own computes on the CPU and looks at the clock all the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpus.h"
#include "eas-ramp.h"
#include "util.h"

#define NS_PER_MS	1000000LL

/* Floating-point operations in a step of compute() */
#define OPS_PER_STEP	2

/* How far samples are apart at full speed. Reading APERF is a system call. */
#define CHUNK_NS	(20 * 1000)
#define CHUNK_CYCLES_NS	(50 * 1000)

/* To find out how many steps a chunk has, and where a chunk starts */
#define CALIBRATE_MS	30
#define FIRST_CHUNK	1000

/*
 * The scheduler remembers what a task used when it went to sleep last (util_est), and
 * forgets a quarter of that each time. So the first part of the idle time is cut into naps,
 * with which the memory goes down to 1/1000. This matters even if the task to be measured is
 * a new one, as it is the old one that makes it.
 */
#define NAPS		24
#define NAPPING_PART	0.6

/*
 * If the clock and APERF are read with a longer pause between them, they do not belong
 * together: something else has run. Try that often.
 */
#define APART_NS	(20 * 1000)
#define TRIES		4

/* Pauses are looked for until that long after the start. The rest is averaged anyway. */
#define RAMP_NS		(200 * NS_PER_MS)

/* Of a new thread */
#define STACK_SIZE	(256 * 1024)

#define MSR_APERF	0xe8

/* What the process that computes and the one that waits for it share */
struct run {
	char why[256];		/* what has failed, "" if nothing has */
	int64_t start;		/* ns of CLOCK_MONOTONIC */
	long chunk;
	int64_t planned;	/* when the first sample should be taken, or 0 */
	int64_t late;		/* how long after that it was taken */
	int64_t pause;		/* longest time without a sample */
	double waited;
	double result;		/* so that it has to be computed */
	int n, room;
	struct sample sample[];
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
	struct timespec t = { .tv_sec = ns / (1000 * NS_PER_MS), .tv_nsec = ns % (1000 * NS_PER_MS) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/*
 * Each step needs the result of the one before, so there is nothing to be done at the same
 * time, by vectors or otherwise. It converges to 1, so that no step is more work than others.
 */
static __attribute__((noinline)) double compute(double x, long steps)
{
	while (steps--)
		x = x * 0.75 + 0.25;

	return x;
}

__attribute__((format(printf, 2, 3), noreturn))
static void give_up(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(run->why, sizeof(run->why), format, args);
	va_end(args);
	_exit(EXIT_FAILED);
}

static void go_to(struct run *run, int cpu)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);

	if (!set)
		give_up(run, "out of memory");
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set))
		give_up(run, "cannot run on CPU%d, it is offline or outside of the cpuset of this "
			"shell", cpu);
	CPU_FREE(set);
}

const char *measure_open_msr(int cpu, int *msr)
{
	static char why[256];
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	*msr = open(path, O_RDONLY | O_CLOEXEC);
	if (*msr >= 0)
		return NULL;
	if (errno == EACCES || errno == EPERM)
		return "only root may read APERF: use sudo, or leave out --source cycles";
	snprintf(why, sizeof(why), "%s cannot be opened (%s): try modprobe msr, or leave out "
		 "--source cycles", path, strerror(errno));

	return why;
}

static uint64_t read_aperf(struct run *run, const struct measurement *m, int msr)
{
	uint64_t count;

	if (pread(msr, &count, sizeof(count), MSR_APERF) != sizeof(count))
		give_up(run, "CPU%d has no APERF register that can be read, leave out --source "
			"cycles", m->cpu);

	return count;
}

/* A time and what has been done up to there, which is @steps if not counted by hardware */
static struct sample take(struct run *run, const struct measurement *m, int msr, uint64_t steps)
{
	struct sample best = { 0 }, s;
	int64_t shortest = INT64_MAX, after;
	int i;

	if (m->source == ITERATIONS)
		return (struct sample){ now(), steps };

	for (i = 0; i < TRIES && shortest > APART_NS; i++) {
		s.ns = now();
		s.count = read_aperf(run, m, msr);
		after = now();
		if (after - s.ns >= shortest)
			continue;
		shortest = after - s.ns;
		/* It was read somewhere in between. */
		s.ns += shortest / 2;
		best = s;
	}

	return best;
}

/* How many steps take as long as a chunk shall, once the CPU has had time to get faster */
static long calibrate(struct run *run, const struct measurement *m)
{
	int64_t begin = now(), before = begin, after, fastest = INT64_MAX;

	do {
		run->result = compute(run->result, FIRST_CHUNK);
		after = now();
		if (after - before < fastest && after > before)
			fastest = after - before;
		before = after;
	} while (after - begin < CALIBRATE_MS * NS_PER_MS);

	return 1 + (m->source == CYCLES ? CHUNK_CYCLES_NS : CHUNK_NS) / fastest * FIRST_CHUNK;
}

/* ns that this task could have run but others did, or -1 */
static long long wait_time(void)
{
	char *stat = read_file("/proc/thread-self/schedstat");
	long long ran, waited;

	if (!stat || sscanf(stat, "%lld %lld", &ran, &waited) != 2)
		waited = -1;
	free(stat);

	return waited;
}

static void compute_until(struct run *run, int64_t end)
{
	while (now() < end)
		run->result = compute(run->result, run->chunk);
}

static void climb(struct run *run, const struct measurement *m, int msr)
{
	struct sample first, s = { 0 }, *last = run->sample;
	int64_t before = 0;
	uint64_t steps = 0;
	double x = run->result;

	first = take(run, m, msr, 0);
	if (run->planned)
		run->late = first.ns - run->planned;
	*last = s;
	do {
		x = compute(x, run->chunk);
		steps += run->chunk;
		s = take(run, m, msr, steps);
		s.ns -= first.ns;
		s.count -= first.count;
		if (s.ns - before > run->pause && before < RAMP_NS)
			run->pause = s.ns - before;
		before = s.ns;
		/* More samples than there is room for would say no more. */
		if (s.ns - last->ns < CHUNK_NS / 2)
			continue;
		*++last = s;
	} while (s.ns < m->duration_ms * NS_PER_MS && last - run->sample < run->room - 1);
	run->n = last - run->sample + 1;
	run->result = x;
}

/* Until all that has been before is forgotten */
static void settle(const struct run *run, const struct measurement *m)
{
	int64_t length = m->settle_ms * NS_PER_MS, begin = run->start - length;
	int i;

	for (i = 1; m->task != MIGRATED && i <= NAPS; i++)
		sleep_until(begin + length * NAPPING_PART / NAPS * i);
	sleep_until(run->start);
}

/* What a new thread needs to know */
struct climber {
	struct run *run;
	const struct measurement *m;
	int msr;
	long long waited;	/* ns, so far */
};

static void *start_climbing(void *data)
{
	const struct climber *c = data;
	long long after;

	climb(c->run, c->m, c->msr);
	after = wait_time();
	if (c->waited >= 0 && after >= 0)
		c->run->waited = (double)(after - c->waited) / c->run->sample[c->run->n - 1].ns;
	if (sched_getcpu() != c->m->cpu)
		give_up(c->run, "CPU%d has gone offline", c->m->cpu);

	return NULL;
}

/*
 * The scheduler sets the utilization of a new task to half of what the CPU has left, if
 * that has been idle for long enough, else to something that is hard to predict. So there
 * must be little to do between waking up and that.
 */
static void start_thread(struct climber *climber, void *stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	settle(climber->run, climber->m);
	if (pthread_attr_init(&attributes) ||
	    pthread_attr_setstack(&attributes, stack, STACK_SIZE) ||
	    pthread_create(&thread, &attributes, start_climbing, climber) ||
	    pthread_join(thread, NULL))
		give_up(climber->run, "cannot start a thread");
}

__attribute__((noreturn))
static void child(struct run *run, const struct measurement *m, int ready)
{
	struct climber climber = { run, m, -1, 0 };
	const char *why;
	void *stack;

	/* Without the parent, nobody would stop it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (m->cgroup && write_file("0", "%s/cgroup.procs", m->cgroup))
		give_up(run, "cannot use control group %s, try --no-cpuset", m->cgroup);

	stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (stack == MAP_FAILED)
		give_up(run, "out of memory");
	go_to(run, m->cpu);
	if (m->source == CYCLES) {
		why = measure_open_msr(m->cpu, &climber.msr);
		if (why)
			give_up(run, "%s", why);
		read_aperf(run, m, climber.msr);
	}
	if (!run->chunk)
		run->chunk = calibrate(run, m);
	if (m->task == MIGRATED)
		go_to(run, m->from);
	if (m->task != NEW)
		climber.waited = wait_time();

	run->start = now() + m->settle_ms * NS_PER_MS;
	if (write(ready, "", 1) != 1)
		_exit(EXIT_FAILED);
	if (m->task != MIGRATED)
		run->planned = run->start;
	if (m->task == NEW) {
		start_thread(&climber, stack);
		_exit(EXIT_OK);
	}
	settle(run, m);
	if (m->task == MIGRATED) {
		compute_until(run, run->start + m->warm_ms * NS_PER_MS);
		climber.waited = wait_time();
		/* This returns over there. */
		go_to(run, m->cpu);
	}
	start_climbing(&climber);
	_exit(EXIT_OK);
}

/* Wait for the child where it does not compute. */
static void stay_away(const struct measurement *m)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *others = CPU_ALLOC(MAX_CPUS);
	static cpu_set_t *all;

	if (!others)
		die(EXIT_FAILED, "out of memory");
	if (!all) {
		all = CPU_ALLOC(MAX_CPUS);
		if (!all || sched_getaffinity(0, size, all))
			die(EXIT_FAILED, "cannot find out on which CPUs this may run");
	}
	/* In "all", but not in m->cores */
	CPU_AND_S(size, others, all, m->cores);
	CPU_XOR_S(size, others, all, others);
	/* If that is no CPU at all, it has to be there. */
	if (sched_setaffinity(0, size, others))
		sched_setaffinity(0, size, all);
	CPU_FREE(others);
}

const char *measure(struct measurement *m, struct ramp *ramp, struct trouble *trouble)
{
	static char why[256];
	int room = m->duration_ms * NS_PER_MS / (CHUNK_NS / 2) + 2, ready[2], status;
	size_t size = sizeof(struct run) + room * sizeof(struct sample);
	double before = NAN, after = NAN;
	int64_t start, begin, end;
	struct run *run;
	pid_t pid;
	char c;

	run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
		   -1, 0);
	if (run == MAP_FAILED || pipe2(ready, O_CLOEXEC))
		die(EXIT_FAILED, "out of memory or files");
	run->room = room;
	run->chunk = m->chunk;
	run->waited = NAN;

	stay_away(m);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die(EXIT_FAILED, "cannot start a process: %s", strerror(errno));
	if (!pid) {
		/* There may be a page table to be filled in for this. */
		memset(run->sample, 0, room * sizeof(struct sample));
		child(run, m, ready[1]);
	}
	close(ready[1]);

	if (read(ready[0], &c, 1) == 1 && m->energy) {
		start = run->start + (m->task == MIGRATED ? m->warm_ms * NS_PER_MS : 0);
		sleep_until(start);
		before = energy_read(m->energy);
		begin = now();
		sleep_until(start + m->duration_ms * NS_PER_MS);
		after = energy_read(m->energy);
		end = now();
	} else {
		begin = end = 0;
	}
	close(ready[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;

	if (*run->why)
		memcpy(why, run->why, sizeof(why));
	else if (status)
		strcpy(why, "the process that measures was killed");
	else
		*why = '\0';
	if (!*why) {
		m->chunk = run->chunk;
		trouble->waited = run->waited;
		trouble->late_ms = run->late / 1e6;
		trouble->pause_ms = run->pause / 1e6;
		ramp_analyse(run->sample, run->n, m->source == ITERATIONS ? OPS_PER_STEP : 1, ramp);
		ramp->watts = (after - before) / (end - begin) * 1e9;
		/* Millions a second; joules for thousands of millions */
		ramp->joules = ramp->watts / ramp->steady * 1e3;
	}
	munmap(run, size);

	return *why ? why : NULL;
}
