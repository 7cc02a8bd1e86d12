// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a test and measuring it.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpus.h"
#include "eas-sweep.h"
#include "util.h"

/* Energy counters want to be read once a minute. More often would disturb the test. */
#define ENERGY_EVERY	20

/* A test that is stopped has that many seconds before it is killed. */
#define GRACE		2

/* ---- Settings -------------------------------------------------------------------- */

char *settings_text(void)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS), *seen = CPU_ALLOC(MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS), length;
	struct cpus *cpus = cpus_read();
	char *text, *list;
	FILE *to = open_memstream(&text, &length);
	int i, j, different = 0;

	if (!to || !set || !seen)
		die(EXIT_FAILED, "out of memory");

	/* CPUs that are alike, then those that are not like these, and so on */
	CPU_ZERO_S(size, seen);
	for (i = 0; i < cpus->number; i++) {
		struct cpu *cpu = &cpus->cpu[i];

		if (!cpu->online || !*cpu->governor || CPU_ISSET_S(cpu->number, size, seen))
			continue;
		CPU_ZERO_S(size, set);
		for (j = i; j < cpus->number; j++) {
			struct cpu *other = &cpus->cpu[j];

			if (other->online && !strcmp(cpu->mode, other->mode) &&
			    !strcmp(cpu->governor, other->governor) && !strcmp(cpu->epp, other->epp))
				CPU_SET_S(other->number, size, set);
		}
		CPU_OR_S(size, seen, seen, set);
		list = format_cpu_list(set);
		fprintf(to, "%s%s%s%s%s%s on CPUs %s", different++ ? ", " : "",
			cpu->mode, *cpu->mode ? "/" : "", cpu->governor,
			*cpu->epp ? "/" : "", cpu->epp, list);
		free(list);
	}
	if (!different)
		fputs("no cpufreq", to);
	if (fclose(to))
		die(EXIT_FAILED, "out of memory");
	cpus_free(cpus);
	CPU_FREE(set);
	CPU_FREE(seen);

	return text;
}

/* ---- Signals and the end of this process ------------------------------------------ */

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static sigset_t ending_set, waiting_set, mask_before;
static pid_t keeper;
static int keeper_pipe = -1;

/*
 * A process that does nothing but waiting for this one to end, SIGKILL included, since
 * otherwise the test would go on for hours. It learns the process group through a pipe.
 */
static void keep(int from)
{
	sigset_t all;
	pid_t group = 0, next;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setpgid(0, 0);
	dup2(from, 0);
	close_range(1, ~0U, 0);
	while (read(0, &next, sizeof(next)) == sizeof(next))
		group = next;
	if (group > 0)
		kill(-group, SIGKILL);
	_exit(0);
}

void run_begin(void)
{
	struct sigaction action;
	int ends[2];
	size_t i;

	sigemptyset(&ending_set);
	for (i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		sigaction(ending[i], NULL, &action);
		/* As nohup does. */
		if (action.sa_handler != SIG_IGN)
			sigaddset(&ending_set, ending[i]);
	}
	waiting_set = ending_set;
	sigaddset(&waiting_set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &waiting_set, &mask_before);
	/* A test in another process group would go on unobserved. */
	signal(SIGTSTP, SIG_IGN);

	if (pipe2(ends, O_CLOEXEC))
		die(EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
	keeper = fork();
	if (!keeper) {
		close(ends[1]);
		keep(ends[0]);
	}
	if (keeper < 0)
		die(EXIT_FAILED, "cannot start a process: %s", strerror(errno));
	close(ends[0]);
	keeper_pipe = ends[1];
}

void run_end(void)
{
	size_t i;

	close(keeper_pipe);
	keeper_pipe = -1;
	while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
		;
	for (i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigismember(&ending_set, ending[i]))
			signal(ending[i], SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

static void tell_keeper(pid_t group)
{
	/* So short that it is written as a whole. */
	while (write(keeper_pipe, &group, sizeof(group)) < 0 && errno == EINTR)
		;
}

static double clock_seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);

	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* One of these signals, or 0 after that time */
static int wait_signal(const sigset_t *set, double seconds)
{
	double end = clock_seconds(CLOCK_MONOTONIC) + seconds;
	struct timespec ts;
	int received;

	do {
		ts.tv_sec = seconds;
		ts.tv_nsec = (seconds - ts.tv_sec) * 1e9;
		received = sigtimedwait(set, NULL, &ts);
		if (received > 0)
			return received;
		seconds = end - clock_seconds(CLOCK_MONOTONIC);
	} while (errno == EINTR && seconds > 0);

	return 0;
}

int run_pause(double seconds)
{
	return wait_signal(&ending_set, seconds);
}

/* ---- A run --------------------------------------------------------------------------- */

static void child(const struct sweep *sweep, const struct sample *sample, int output, int errors,
		  struct load_result *result)
{
	const struct test *test = &sweep->test[sample->test];
	char round[16];
	size_t i;

	setpgid(0, 0);
	tell_keeper(getpid());

	for (i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigismember(&ending_set, ending[i]))
			signal(ending[i], SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);

	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(output, 1);
	dup2(errors, 2);
	/* Loads do not exec; they must not keep pipes open of which others wait for the end. */
	close_range(3, ~0U, 0);

	if (test->load)
		_exit(!test->load->run(sweep->scale, result));

	snprintf(round, sizeof(round), "%d", sample->round);
	setenv("EAS_SWEEP_ROUND", round, 1);
	setenv("EAS_SWEEP_TEST", test->name, 1);
	setenv("EAS_SWEEP_CONFIG", sweep->config[sample->config].name, 1);
	execl("/bin/sh", "sh", "-c", test->command, (char *)NULL);
	dprintf(2, "cannot start /bin/sh: %s\n", strerror(errno));
	_exit(127);
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/* Return: 0, or the signal that is to end the sweep; the process has ended in any case. */
static int wait_for(pid_t pid, struct energy *energy)
{
	int received, end = 0, left = GRACE;

	for (;;) {
		received = wait_signal(&waiting_set, end ? 1 : ENERGY_EVERY);
		if (has_ended(pid))
			break;
		if (received && received != SIGCHLD && !end) {
			end = received;
			kill(-pid, SIGTERM);
			/* Stopped processes do not end. */
			kill(-pid, SIGCONT);
		} else if (!received && end && --left <= 0) {
			kill(-pid, SIGKILL);
		}
		if (!received && energy)
			energy_read(energy);
	}

	return received && received != SIGCHLD ? received : end;
}

/* The last line of a file that is not empty, to be freed; NULL if there is none */
static char *last_line(int fd, off_t from)
{
	char text[1024], *start, *end;
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n;

	if (size - from >= (off_t)sizeof(text))
		from = size - sizeof(text) + 1;
	n = pread(fd, text, sizeof(text) - 1, from);
	if (n <= 0)
		return NULL;
	text[n] = '\0';
	for (end = text + strlen(text); end > text && strchr(" \t\r\n", end[-1]); end--)
		;
	*end = '\0';
	start = strrchr(text, '\n');
	start = start ? start + 1 : text;

	return *start ? xasprintf("%.200s", start) : NULL;
}

/* @errors: where it has written messages to, @from there */
static char *failure(int status, const struct load_result *result, int errors, off_t from)
{
	char *line, *why;

	if (*result->error)
		return xstrdup(result->error);
	if (WIFSIGNALED(status))
		return xasprintf("killed by signal %d (%s)", WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	line = last_line(errors, from);
	if (!line)
		return xasprintf("exit status %d", WEXITSTATUS(status));
	why = xasprintf("exit status %d: %s", WEXITSTATUS(status), line);
	free(line);

	return why;
}

/* Was it a run like others? Return: NULL, or why not, to be freed */
static char *disturbance(const char *settings, double slept)
{
	char *now, *why = NULL;

	/* Clocks are not read at the same moment. */
	if (slept > 0.5)
		return xstrdup("the machine was suspended meanwhile");
	now = settings_text();
	if (strcmp(now, settings))
		why = xasprintf("something else has changed the settings to %s", now);
	free(now);

	return why;
}

/* What commands print goes to the log, or errors to a file that nobody else sees. */
static int open_errors(int log)
{
	return log < 0 ? memfd_create("eas-sweep", MFD_CLOEXEC) : dup(log);
}

int run_test(const struct sweep *sweep, struct energy *energy, int log, const char *settings,
	     struct sample *sample, char **why)
{
	int output = log, errors = open_errors(log), status, end;
	double start, slept, joules = NAN;
	struct load_result *result;
	off_t from;
	pid_t pid;

	*why = NULL;
	if (log < 0)
		output = open("/dev/null", O_WRONLY | O_CLOEXEC);
	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (result == MAP_FAILED || errors < 0 || output < 0)
		die(EXIT_FAILED, "cannot prepare a test: %s", strerror(errno));
	*result = (struct load_result) { NAN, NAN, NAN, "" };
	from = lseek(errors, 0, SEEK_END);
	slept = clock_seconds(CLOCK_BOOTTIME) - clock_seconds(CLOCK_MONOTONIC);

	if (energy)
		joules = energy_read(energy);
	start = clock_seconds(CLOCK_MONOTONIC);
	pid = fork();
	if (!pid)
		child(sweep, sample, output, errors, result);
	if (pid < 0)
		die(EXIT_FAILED, "cannot start a process: %s", strerror(errno));
	/* Whichever of the two is first. */
	setpgid(pid, pid);
	end = wait_for(pid, energy);
	sample->seconds = clock_seconds(CLOCK_MONOTONIC) - start;
	sample->joules = energy ? energy_read(energy) - joules : NAN;

	/* What it has left running in the background would disturb the next one. */
	kill(-pid, SIGKILL);
	tell_keeper(0);
	/* Only now may another process get this number. */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;

	slept = clock_seconds(CLOCK_BOOTTIME) - clock_seconds(CLOCK_MONOTONIC) - slept;
	sample->work = sweep->test[sample->test].load ? result->work : sample->seconds;
	sample->mean = result->mean;
	sample->p99 = result->p99;
	sample->status = RUN_OK;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		sample->status = RUN_FAILED;
		*why = failure(status, result, errors, from);
	} else {
		*why = disturbance(settings, slept);
		if (*why)
			sample->status = RUN_DISTURBED;
	}
	close(errors);
	if (log < 0)
		close(output);
	munmap(result, sizeof(*result));

	return end;
}
