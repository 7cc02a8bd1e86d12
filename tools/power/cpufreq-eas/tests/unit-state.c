// SPDX-License-Identifier: GPL-2.0-only
/*
 * Configurations that are offered and how they are parsed, undoing, energy counters, pictures.
 *
 * In a mount namespace of its own, this replaces parts of /sys by files. They do not behave
 * like the kernel, so what is set there is for the tests in virtual machines (run-ramp).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "energy.h"
#include "ktap.h"
#include "plot.h"
#include "state.h"
#include "util.h"

#define CPU	"/sys/devices/system/cpu"
#define POL	CPU "/cpufreq/policy"

static char scratch[] = "/tmp/unit-state.XXXXXX";

static void bail_out(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

__attribute__((format(printf, 2, 3)))
static void put(const char *value, const char *format, ...)
{
	char path[256], *slash;
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "w");
	if (!file || fprintf(file, "%s\n", value) < 0 || fclose(file))
		bail_out(path);
}

/* Does a file hold that, or is there none (NULL)? Wait for it for 10 s at most. */
static bool comes_to_hold(const char *value, const char *path)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	bool same = false;
	char *now;
	int left;

	for (left = 1000; left && !same; left--) {
		now = read_file("%s", path);
		same = value ? now && !strcmp(now, value) : access(path, F_OK) != 0;
		free(now);
		if (!same)
			nanosleep(&pause, NULL);
	}

	return same;
}

/* A file of its own for each, or the next test would read a longer one's end. */
static const char *fresh(const char *value)
{
	static char path[64];
	static int n;

	snprintf(path, sizeof(path), "%s/file%d", scratch, n++);
	put(value, "%s", path);

	return path;
}

static void fake_policy(int cpu, const char *governor, const char *governors, const char *epp,
			const char *epps)
{
	char number[16], path[128], target[128];

	snprintf(number, sizeof(number), "%d", cpu);
	put(number, POL "%d/affected_cpus", cpu);
	put(governor, POL "%d/scaling_governor", cpu);
	put(governors, POL "%d/scaling_available_governors", cpu);
	put("400000", POL "%d/scaling_min_freq", cpu);
	put("4800000", POL "%d/scaling_max_freq", cpu);
	if (epp) {
		put(epp, POL "%d/energy_performance_preference", cpu);
		put(epps, POL "%d/energy_performance_available_preferences", cpu);
	}
	snprintf(path, sizeof(path), CPU "/cpu%d", cpu);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), CPU "/cpu%d/cpufreq", cpu);
	snprintf(target, sizeof(target), POL "%d", cpu);
	if (symlink(target, path))
		bail_out(path);
}

/* Cover a directory by an empty one, to be filled. */
static void cover(const char *directory)
{
	if (mount("fake", directory, "tmpfs", 0, NULL))
		bail_out(directory);
}

/* So that modes cannot be changed, as for a mere user */
static void freeze(const char *directory)
{
	if (mount(NULL, directory, NULL, MS_REMOUNT | MS_RDONLY, NULL))
		bail_out(directory);
}

static void show_configs(char *list, size_t size)
{
	struct config *configs;
	int n = state_configs(&configs), i, length = 0;

	*list = '\0';
	for (i = 0; i < n; i++) {
		char *string = state_format_config(&configs[i]);

		length += snprintf(list + length, size - length, "%s%s", i ? " " : "", string);
		free(string);
	}
	free(configs);
}

static void parse(const char *string, const char *result)
{
	struct config config;
	const char *why = state_parse_config(string, &config);
	char name[128], *parsed = why ? NULL : state_format_config(&config);

	snprintf(name, sizeof(name), "parse %s", string);
	/* Complaints differ in wording, they have to be there. */
	if (result) {
		if (!ok_string(parsed, result, name) && why)
			printf("# %s\n", why);
	} else {
		ok(why && *why && !strchr(why, '\n'), "%s: refused", name);
	}
	free(parsed);
}

/* Each in a process of its own, because what is offered is looked at only once. */
static void apart(void (*test)(void))
{
	int status;
	int ends[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(ends))
		bail_out("pipe");
	pid = fork();
	if (!pid) {
		int counts[2];

		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
			bail_out("cannot have a mount namespace (run as root)");
		test();
		fflush(stdout);
		counts[0] = ktap_n;
		counts[1] = ktap_failed;
		_exit(write(ends[1], counts, sizeof(counts)) != sizeof(counts));
	}
	close(ends[1]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bail_out("fork");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		printf("Bail out! a test has ended with status %#x\n", status);
		exit(1);
	} else {
		int counts[2];

		if (read(ends[0], counts, sizeof(counts)) != sizeof(counts))
			bail_out("read");
		ktap_n = counts[0];
		ktap_failed = counts[1];
	}
	close(ends[0]);
}

#define WORDS	"default performance balance_performance balance_power power"

static void intel_active(void)
{
	char list[1024];

	cover(CPU);
	put("active", CPU "/intel_pstate/status");
	fake_policy(0, "powersave", "performance powersave", "balance_power", WORDS);
	fake_policy(1, "powersave", "performance powersave", "balance_power", WORDS);
	freeze(CPU);

	show_configs(list, sizeof(list));
	ok_string(list, "active/performance active/powersave/performance "
		  "active/powersave/balance_performance active/powersave/balance_power "
		  "active/powersave/power", "configurations of intel_pstate, active");

	parse("active/powersave/power", "active/powersave/power");
	parse("powersave/power", "active/powersave/power");
	parse("powersave", "active/powersave/balance_power");
	parse("active/powersave", "active/powersave/balance_power");
	parse("performance", "active/performance");
	parse("active/powersave/77", "active/powersave/77");
	parse("active/powersave/default", "active/powersave/default");
	parse("active/powersave/256", NULL);
	parse("active/powersave/-1", NULL);
	parse("active/powersave/quick", NULL);
	parse("active/performance/power", NULL);
	parse("passive/schedutil", NULL);
	parse("schedutil", NULL);
	parse("off/powersave", NULL);
	parse("active//power", NULL);
	parse("active/powersave/power/power", NULL);
	parse("", NULL);
	parse("/", NULL);
	parse("active", NULL);
	parse("a_name_that_is_longer_than_any_governor_may_be", NULL);
}

static void intel_differing(void)
{
	cover(CPU);
	put("active", CPU "/intel_pstate/status");
	fake_policy(0, "powersave", "performance powersave", "balance_power", WORDS);
	fake_policy(1, "powersave", "performance powersave", "power", WORDS);
	freeze(CPU);

	parse("powersave", NULL);
	parse("powersave/power", "active/powersave/power");
}

static void intel_hiding(void)
{
	cover(CPU);
	put("active", CPU "/intel_pstate/status");
	fake_policy(0, "performance", "performance powersave", "performance", WORDS);
	freeze(CPU);

	parse("powersave", NULL);
	parse("performance", "active/performance");
}

static void intel_passive(void)
{
	char list[1024];

	cover(CPU);
	put("passive", CPU "/intel_pstate/status");
	fake_policy(0, "schedutil", "userspace schedutil performance", "128", WORDS);
	freeze(CPU);

	show_configs(list, sizeof(list));
	ok_string(list, "passive/schedutil/performance passive/schedutil/balance_performance "
		  "passive/schedutil/balance_power passive/schedutil/power "
		  "passive/performance/performance passive/performance/balance_performance "
		  "passive/performance/balance_power passive/performance/power",
		  "configurations of intel_pstate, passive");
	parse("schedutil", "passive/schedutil/128");
	parse("userspace", NULL);
}

static void amd_active(void)
{
	cover(CPU);
	put("disable", CPU "/intel_pstate/status");
	put("active", CPU "/amd_pstate/status");
	fake_policy(0, "powersave", "performance powersave", "dynamic(profile:balance_power)",
		    WORDS " dynamic");
	freeze(CPU);

	parse("powersave/dynamic", "active/powersave/dynamic");
	parse("powersave", "active/powersave/dynamic(profile:balance_power)");
}

static void no_modes(void)
{
	char list[1024];

	cover(CPU);
	put("off", CPU "/intel_pstate/status");
	fake_policy(0, "ondemand", "ondemand schedutil", NULL, NULL);
	freeze(CPU);

	show_configs(list, sizeof(list));
	ok_string(list, "ondemand schedutil", "configurations of a driver without modes");
	parse("schedutil", "schedutil");
	parse("passive/schedutil", NULL);
	parse("schedutil/power", NULL);
}

static void no_cpufreq(void)
{
	struct config config = { .governor = "schedutil" }, *configs;

	cover(CPU);
	freeze(CPU);

	ok(state_configs(&configs) == 0, "no configurations without cpufreq");
	parse("schedutil", NULL);
	ok(state_set(&config), "nothing to be set without cpufreq");
}

static void undoing(void)
{
	char a[64], b[64], directory[64];

	strcpy(a, fresh("one"));
	strcpy(b, fresh("five"));
	snprintf(directory, sizeof(directory), "%s/group", scratch);
	ok(state_write("two", "%s", a) == -EBADF, "nothing is written without a guard");
	ok(comes_to_hold("one", a), "... indeed");

	state_guard();
	ok(!state_write("two", "%s", a), "write a file");
	ok(!state_write("six", "%s", a), "write it again");
	ok(!state_write("four", "%s", b), "write another");
	ok(!state_mkdir("%s", directory), "make a directory");
	ok(state_mkdir("%s", directory) == -EEXIST, "not twice");
	ok(state_mkdir("%s", scratch) == -EEXIST, "not one that was there");
	ok(comes_to_hold("six", a) && comes_to_hold("four", b), "all is written");
	ok(state_write("x", "%s/none", scratch) == -ENOENT, "a file that is not there");
	ok(state_restore(), "restore");
	ok(comes_to_hold("one", a) && comes_to_hold("five", b), "files are as they were");
	ok(access(directory, F_OK), "the directory has gone");
	ok(!access(scratch, F_OK), "the one that was there has not");

	ok(!state_write_undo("+on", "off", "%s", a), "a file with something else to undo it");
	ok(state_restore() && comes_to_hold("off", a), "it has been undone");

	/* Things that have gone cannot be put back. */
	state_write("two", "%s", a);
	unlink(a);
	ok(!state_restore(), "a file that has gone is reported");
}

/* What a child process that changes things has done has to be undone after its end. */
static void ending(const char *name, int signal_number, bool by_group)
{
	char a[64], directory[64];
	int status, ends[2];
	pid_t pid;
	char c;

	strcpy(a, fresh("one"));
	snprintf(directory, sizeof(directory), "%s/killed", scratch);
	if (pipe(ends))
		bail_out("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		state_guard();
		if (state_write("two", "%s", a) || state_mkdir("%s", directory) ||
		    write(ends[1], "x", 1) != 1)
			_exit(99);
		if (!signal_number)
			die(42, "this is a test");
		for (;;)
			pause();
	}
	close(ends[1]);
	if (read(ends[0], &c, 1) != 1)
		bail_out("the child has changed nothing");
	close(ends[0]);
	/* The child may be past the end of this test if it ends by itself. */
	if (signal_number) {
		ok(comes_to_hold("two", a), "%s: changed", name);
		kill(by_group ? -pid : pid, signal_number);
	}
	waitpid(pid, &status, 0);
	if (signal_number)
		ok(WIFSIGNALED(status) && WTERMSIG(status) == signal_number,
		   "%s: ended by the signal", name);
	else
		ok(WIFEXITED(status) && WEXITSTATUS(status) == 42, "%s: exit status", name);
	/* Only SIGKILL cannot wait for it. */
	if (signal_number != SIGKILL)
		ok(access(directory, F_OK), "%s: undone when the process has ended", name);
	ok(comes_to_hold("one", a) && comes_to_hold(NULL, directory), "%s: undone", name);
}

static void killed(void)
{
	ending("die()", 0, false);
	ending("SIGTERM", SIGTERM, false);
	ending("SIGINT of the process group", SIGINT, true);
	ending("SIGKILL", SIGKILL, false);
	ending("SIGKILL of the process group", SIGKILL, true);
}

/* Children of a program undo nothing, and waiting for all of them comes to an end. */
static void children(void)
{
	char a[64];
	int status;

	strcpy(a, fresh("one"));
	state_guard();
	state_write("two", "%s", a);
	fflush(stdout);
	if (!fork())
		exit(0);
	while (wait(&status) > 0)
		;
	ok(errno == ECHILD, "the guard is not a child");
	ok(comes_to_hold("two", a), "the end of a child undoes nothing");
	ok(state_restore() && comes_to_hold("one", a), "that of the program does");
}

static void counters(void)
{
	struct energy *energy;
	const char *why = NULL;

	cover("/sys/class");
	cover("/sys/bus");
	ok(!energy_open(&why) && why && *why, "no energy counters");

	put("psys", "/sys/class/powercap/intel-rapl:0/name");
	put("5", "/sys/class/powercap/intel-rapl:0/energy_uj");
	put("package-0", "/sys/class/powercap/intel-rapl:1/name");
	put("9000000", "/sys/class/powercap/intel-rapl:1/energy_uj");
	put("9999999", "/sys/class/powercap/intel-rapl:1/max_energy_range_uj");
	put("core", "/sys/class/powercap/intel-rapl:1:0/name");
	put("1", "/sys/class/powercap/intel-rapl:1:0/energy_uj");
	put("package-1", "/sys/class/powercap/intel-rapl:2/name");
	put("1000000", "/sys/class/powercap/intel-rapl:2/energy_uj");
	put("9999999", "/sys/class/powercap/intel-rapl:2/max_energy_range_uj");
	energy = energy_open(&why);
	if (!ok(energy, "energy counters"))
		return;
	ok_string(energy_source(energy), "powercap intel-rapl:1", "source of energy");
	ok_near(energy_read(energy), 0, 0, "counting starts at 0");
	put("9500000", "/sys/class/powercap/intel-rapl:1/energy_uj");
	put("1250000", "/sys/class/powercap/intel-rapl:2/energy_uj");
	ok_near(energy_read(energy), 0.75, 1e-9, "energy of two packages");
	put("250000", "/sys/class/powercap/intel-rapl:1/energy_uj");
	/* 0.499999 J up to the end of the range, 0.25 J after it */
	ok_near(energy_read(energy), 1.499999, 1e-9, "a counter that has wrapped");
	ok_near(energy_read(energy), 1.499999, 1e-9, "no energy used");
	unlink("/sys/class/powercap/intel-rapl:2/energy_uj");
	ok_near(energy_read(energy), NAN, 0, "a counter that has gone");
	energy_close(energy);
}

static void pictures(void)
{
	char path[64], *svg, *quoted;
	const char *why = NULL;
	FILE *plot;

	quoted = plot_quote("it's\na_{b} \\ \"<&>\"");
	ok_string(quoted, "'it''s a_{b} \\ \"<&>\"'", "quoting");
	snprintf(path, sizeof(path), "%s/it's.svg", scratch);
	plot = plot_begin(path, 900, 540, &why);
	if (ok(plot, "start of a picture")) {
		fprintf(plot, "set title %s\nplot '-' with lines\n1 1\n2 2\ne\n", quoted);
		ok_string(plot_end(plot), NULL, "picture");
		svg = read_file("%s", path);
		ok(svg && strstr(svg, "</svg>"), "the picture is complete");
		ok(svg && strstr(svg, ">it's a_{b} \\ \"&lt;&amp;>\""),
		   "a title is printed as it is");
		free(svg);
	} else {
		printf("# %s\n", why);
	}
	free(quoted);

	plot = plot_begin(path, 900, 540, &why);
	if (plot) {
		int i;

		fprintf(plot, "plot nonsense(\n");
		/* More than a pipe takes, into one that nobody reads */
		for (i = 0; i < 100000; i++)
			fprintf(plot, "# more\n");
		why = plot_end(plot);
	}
	ok(why && !strchr(why, '\n'), "errors of gnuplot are told");

	snprintf(path, sizeof(path), "%s/none/x.svg", scratch);
	ok(!plot_begin(path, 900, 540, &why) && strstr(why, path), "a picture that cannot be written");

	setenv("PATH", scratch, 1);
	snprintf(path, sizeof(path), "%s/x.svg", scratch);
	ok(!plot_begin(path, 900, 540, &why) && strstr(why, "gnuplot-nox"), "without gnuplot");
}

int main(void)
{
	char command[64];

	/* The guard must not keep the pipes of those who started this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!mkdtemp(scratch))
		bail_out(scratch);

	apart(intel_active);
	apart(intel_differing);
	apart(intel_hiding);
	apart(intel_passive);
	apart(amd_active);
	apart(no_modes);
	apart(no_cpufreq);
	apart(undoing);
	killed();
	apart(children);
	apart(counters);
	apart(pictures);

	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	ok(!system(command) && access(scratch, F_OK), "clean up");

	return ktap_end();
}
