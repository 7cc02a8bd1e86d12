// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take random steps that have to do with the energy performance preference (EPP) and
 * Energy-Aware Scheduling (EAS), and compare EPP, governors, errors and the use of
 * EAS with a model after each of them, which is in eas_model.h.
 *
 * usage: eas_model [-s SEED] [-n STEPS] [-f FILE] [-v]
 *	-s: of the random numbers; the same seed on the same machine means the same
 *	    steps
 *	-n: how many steps (default 500)
 *	-f: take the steps in FILE, lines as printed for a failure, and no others
 *	-v: print every step
 *
 * When a step fails, those before it which do not matter are sorted out by trying
 * without them, and the rest is printed.  Settings are restored at the end.
 *
 * With EAS_VM set to a directory like the debugfs one of tools/testing/vhybrid, the
 * registers, the compatibility of each CPU and root domains are looked at, too, and
 * there are more kinds of steps.
 */

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include "eas_model.h"

#define PROFILE		"/sys/firmware/acpi/platform_profile"
#define POWER		"/sys/module/test_power/parameters"
#define CGROUP		"/sys/fs/cgroup"
#define SKIP		4
/* Something asynchronous may take so many times 10 ms. */
#define TRIES		1000

struct step {
	char what[16];
	int cpu;			/* -1: all */
	char value[24];
};

static bool verbose;
static char old_mode[24];
static unsigned long long rng;
static unsigned int steps_on;

static void die(int code, const char *fmt, ...)
{
	va_list args;

	fputs(code == SKIP ? "1..0 # SKIP " : "Bail out! ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	exit(code);
}

/* ------------------------------ comparing ------------------------------ */

static void compare_cpu(int i)
{
	struct cpu *c = &cpus[i];
	char buf[64];
	int epp;

	if (!c->online || !has_policies())
		return;
	slurp(buf, sizeof(buf), GOV_FILE, i);
	if (strcmp(buf, c->governor))
		fail("CPU%d has governor '%s', not %s; ", i, buf, c->governor);
	if (!has_epp())
		return;
	slurp(buf, sizeof(buf), EPP_FILE, i);
	if (!says(c, buf))
		fail("CPU%d shows EPP '%s', not %d; ", i, buf, effective(c));
	epp = get_register(i);
	if (epp >= 0 && epp != effective(c))
		fail("CPU%d has EPP %d in the register, not %d; ", i, epp, effective(c));
}

static void compare_vm(void)
{
	char line[160], path[160], list[100];
	int n, on, seen = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/eas", vm);
	f = fopen(path, "r");
	if (!f) {
		fail("there is no %s; ", path);
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "cpu%d ready %d", &n, &on) == 2 && n < nr_cpus) {
			if (on != compatible(&cpus[n]))
				fail("CPU%d is%s compatible; ", n, on ? "" : " not");
			seen++;
		} else if (sscanf(line, "rd %99s pd %d", list, &on) == 2) {
			n = atoi(list);
			if (n < nr_cpus && on != eas_on(cpus[n].split))
				fail("EAS is %s on CPUs %s; ", on ? "on" : "off", list);
		} else if (sscanf(line, "enabled %d", &on) == 1) {
			if (on != (eas_on(0) || eas_on(1)))
				fail("EAS is %s; ", on ? "on" : "off");
		}
	}
	fclose(f);
	for (n = 0; n < nr_cpus; n++)
		seen -= cpus[n].online;
	if (seen)
		fail("there are %d more CPUs than expected; ", seen);
}

/* Fills in @why if anything differs. */
static void compare(void)
{
	char buf[16];
	int i, tries;

	if (vm)
		spill("settle", "%s/control", vm);
	for (tries = 0; tries < TRIES; tries++) {
		if (tries)
			usleep(10000);
		why[0] = '\0';
		for (i = 0; i < nr_cpus; i++)
			compare_cpu(i);
		if (vm)
			compare_vm();
		slurp(buf, sizeof(buf), AWARE);
		if (exists(AWARE) && !*buf != !eas_possible())
			fail("EAS is %spossible; ", *buf ? "" : "not ");
		if (!why[0])
			break;
		/* With the emulation, nothing but power supply events takes time. */
		if (vm && !amd && tries > 1)
			break;
	}
}

static void expect(int error, int got, const char *what)
{
	if (got != error)
		fail("%s ends with '%s', not '%s'; ", what, strerror(-got), strerror(-error));
}

/* ------------------------------ steps ------------------------------ */

/* The kernel decides which governor it starts with. */
static void adopt_governors(void)
{
	int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].online && has_policies())
			slurp(cpus[i].governor, sizeof(cpus[i].governor), GOV_FILE, i);
	for (i = 0; i < nr_cpus; i++)
		if (forced(&cpus[i]) || !active())
			cpus[i].dynamic = false;
}

static bool governor_available(const char *governor)
{
	char buf[160], *word, *save;
	int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].online)
			break;
	slurp(buf, sizeof(buf), CPUS "/cpufreq/policy%d/scaling_available_governors", i);
	for (word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!strcmp(word, governor))
			return true;
	return false;
}

/* What writing @what to EPP of @c comes to: returns the error. */
static int model_epp(struct cpu *c, const char *what)
{
	int value = meaning(c, what);
	bool dynamic = amd && !strcmp(what, "dynamic");

	if (!c->online)
		return c->gone ? -ENOENT : -EBUSY;
	if (value < 0 && !dynamic)
		return -EINVAL;
	if (forced(c) && (dynamic || value > values[0]))
		return -EBUSY;
	if (dynamic) {
		if (!c->dynamic)
			snprintf(c->profile, sizeof(c->profile), "balanced");
		c->dynamic = true;
	} else {
		c->user = value;
		c->dynamic = false;
	}
	return 0;
}

static int model_governor(struct cpu *c, const char *governor)
{
	if (!c->online)
		return c->gone ? -ENOENT : -EBUSY;
	if (!governor_available(governor))
		return -EINVAL;
	snprintf(c->governor, sizeof(c->governor), "%s", governor);
	if (forced(c))
		c->dynamic = false;
	return 0;
}

static void step_epp(int i, const char *what)
{
	if (has_epp())
		expect(model_epp(&cpus[i], what), spill(what, EPP_FILE, i), "the EPP write");
}

static void step_governor(int i, const char *what)
{
	if (has_policies())
		expect(model_governor(&cpus[i], what), spill(what, GOV_FILE, i),
		       "the governor write");
}

/* With the register not taking the write, nothing must change. */
static void step_failing(int i, const char *what, bool governor)
{
	struct cpu *c = &cpus[i], before = *c;
	int error, got, old = effective(c);
	char rule[48];

	if (!c->online || !has_epp() || (governor && !active()))
		return;
	snprintf(rule, sizeof(rule), "%d write %s 0 1", i, reg);
	if (spill(rule, "%s/fail", vm))
		fail("there is no fault injection; ");
	error = governor ? model_governor(c, what) : model_epp(c, what);
	got = governor ? spill(what, GOV_FILE, i) : spill(what, EPP_FILE, i);
	spill("clear", "%s/fail", vm);
	if (!error && effective(c) != old)
		error = -EIO;
	/* The register may be written even if EPP stays the same. */
	if (!error && got == -EIO)
		error = -EIO;
	/*
	 * In passive mode, the governor writes it, too, and that may be what has failed.
	 * Then EPP must be what was asked for, which is compared later.
	 */
	if (error == -EIO && !got && !active())
		error = 0;
	expect(error, got, "the write of a register that fails");
	if (error)
		*c = before;
}

/* The register changes behind the driver, under the performance governor or not. */
static void step_behind(int i, const char *what)
{
	struct cpu *c = &cpus[i];
	unsigned long long value;
	char buf[32];

	if (!c->online || !active() || amd || !vm)
		return;
	slurp(buf, sizeof(buf), "%s/cpu%d/%s", vm, i, reg);
	value = (strtoull(buf, NULL, 0) & ~0xff000000ULL) | strtoull(what, NULL, 0) << 24;
	snprintf(buf, sizeof(buf), "%#llx", value);
	if (spill(buf, "%s/cpu%d/%s", vm, i, reg))
		fail("the register cannot be changed; ");
	/*
	 * That is what stays in effect when the governor is left or, without that, until
	 * something else is written.
	 */
	if (forced(c)) {
		/* 0 is what is forced, so nothing has changed then. */
		if (atoi(what))
			c->user = atoi(what);
		step_governor(i, "powersave");
	} else {
		step_epp(i, "balance_power");
	}
}

static void step_mode(const char *what)
{
	int error = 0, i;
	bool stay;

	if (!amd && !strcmp(what, "off"))
		error = -EBUSY;
	else if (strcmp(what, "active") && strcmp(what, "passive") &&
		 (!amd || (strcmp(what, "guided") && strcmp(what, "disable"))))
		error = -EINVAL;
	expect(error, spill(what, "%s", status), "the mode switch");
	if (error || !strcmp(mode, what))
		return;
	/* Between these two, policies stay. */
	stay = (!strcmp(mode, "passive") && !strcmp(what, "guided")) ||
	       (!strcmp(mode, "guided") && !strcmp(what, "passive"));
	snprintf(mode, sizeof(mode), "%s", what);
	for (i = 0; i < nr_cpus; i++) {
		cpus[i].dynamic = false;
		if (!stay)
			cpus[i].gone = !cpus[i].online;
	}
	adopt_governors();
}

static bool partitioned(void)
{
	int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].split)
			return true;
	return false;
}

static void step_online(int i, const char *what)
{
	bool online = atoi(what);

	/* CPU hotplug with partitions is a subject of its own. */
	if (!i || partitioned() || !exists(CPUS "/cpu%d/online", i) || online == cpus[i].online)
		return;
	expect(0, spill(what, CPUS "/cpu%d/online", i), "CPU hotplug");
	cpus[i].online = online;
	cpus[i].gone = false;
	if (online)
		adopt_governors();
}

static void step_partition(int first, const char *what)
{
	char list[32];
	int i;

	for (i = 0; i < nr_cpus; i++)
		if (!cpus[i].online)
			return;
	if (!first || !exists(CGROUP "/eas_model/cpuset.cpus"))
		return;
	if (partitioned()) {
		expect(0, spill("member", CGROUP "/eas_model/cpuset.cpus.partition"),
		       "no partition");
		for (i = 0; i < nr_cpus; i++)
			cpus[i].split = false;
	}
	if (!strcmp(what, "member"))
		return;
	snprintf(list, sizeof(list), "%d-%d", first, nr_cpus - 1);
	expect(0, spill(list, CGROUP "/eas_model/cpuset.cpus"), "CPUs for a partition");
	expect(0, spill("root", CGROUP "/eas_model/cpuset.cpus.partition"), "a partition");
	for (i = first; i < nr_cpus; i++)
		cpus[i].split = true;
}

static void step_profile(const char *what)
{
	int i;

	if (!exists(PROFILE))
		return;
	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].dynamic)
			break;
	if (i == nr_cpus)
		return;
	expect(0, spill(what, PROFILE), "the profile write");
	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].dynamic)
			snprintf(cpus[i].profile, sizeof(cpus[i].profile), "%s", what);
}

static void step_power(const char *what)
{
	if (!exists(POWER "/ac_online"))
		return;
	expect(0, spill(what, POWER "/usb_online"), "the power source");
	expect(0, spill(what, POWER "/ac_online"), "the power source");
	on_ac = !strcmp(what, "on");
}

static void step_limit(int i, const char *what)
{
	char freq[32];

	slurp(freq, sizeof(freq), CPUS "/cpufreq/policy%d/cpuinfo_%s_freq", i, what);
	expect(0, spill(freq, CPUS "/cpufreq/policy%d/scaling_max_freq", i), "the limit");
}

/* Fills in @why if anything is not as it should be. */
static void apply(const struct step *s)
{
	int i;

	why[0] = '\0';
	for (i = 0; i < nr_cpus; i++) {
		if (s->cpu >= 0 && i != s->cpu)
			continue;
		if (!strcmp(s->what, "epp"))
			step_epp(i, s->value);
		else if (!strcmp(s->what, "governor"))
			step_governor(i, s->value);
		else if (!strcmp(s->what, "fail-epp"))
			step_failing(i, s->value, false);
		else if (!strcmp(s->what, "fail-governor"))
			step_failing(i, s->value, true);
		else if (!strcmp(s->what, "behind"))
			step_behind(i, s->value);
		else if (!strcmp(s->what, "online"))
			step_online(i, s->value);
		else if (!strcmp(s->what, "partition"))
			step_partition(i, s->value);
		else if (!strcmp(s->what, "limit") && cpus[i].online && has_policies())
			step_limit(i, s->value);
	}
	if (!strcmp(s->what, "mode")) {
		step_mode(s->value);
	} else if (!strcmp(s->what, "profile")) {
		step_profile(s->value);
	} else if (!strcmp(s->what, "power")) {
		step_power(s->value);
	} else if (!strcmp(s->what, "turbo") && has_policies()) {
		if (amd)
			expect(0, spill(s->value, CPUS "/cpufreq/boost"), "boost");
		else
			expect(0, spill(s->value, CPUS "/intel_pstate/no_turbo"), "no_turbo");
	} else if (!strcmp(s->what, "aware") && exists(AWARE)) {
		expect(eas_possible() ? 0 : -EOPNOTSUPP, spill(s->value, AWARE), "the sysctl");
		if (eas_possible())
			aware = atoi(s->value);
	}
}

static void take(const struct step *s)
{
	apply(s);
	if (!why[0])
		compare();
}

/* Where every sequence of steps begins. */
static void reset(void)
{
	static const struct step common[] = {
		{ "partition", 1, "member" }, { "online", -1, "1" }, { "mode", -1, "active" },
		{ "governor", -1, "powersave" }, { "epp", -1, "balance_performance" },
		{ "power", -1, "on" }, { "limit", -1, "max" }, { "aware", -1, "1" },
	};
	unsigned int i;

	if (vm)
		spill("clear", "%s/fail", vm);
	/* Whatever may have gone wrong before, this is how it is. */
	slurp(mode, sizeof(mode), "%s", status);
	adopt_governors();
	spill(amd ? "1" : "0", amd ? CPUS "/cpufreq/boost" : CPUS "/intel_pstate/no_turbo");
	/* It is the end that counts. */
	for (i = 0; i < ARRAY_SIZE(common) - 1; i++)
		apply(&common[i]);
	take(&common[i]);
}

/* ------------------------------ random steps ------------------------------ */

static unsigned int below(unsigned int n)
{
	/* SplitMix64 */
	unsigned long long z = rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) % n;
}

#define PICK(...)								\
	({									\
		static const char * const list[] = { __VA_ARGS__ };		\
		list[below(ARRAY_SIZE(list))];			\
	})

static struct step set(const char *what, int cpu, const char *value)
{
	struct step s = { .cpu = cpu };

	snprintf(s.what, sizeof(s.what), "%s", what);
	snprintf(s.value, sizeof(s.value), "%s", value);
	return s;
}

static const char *some_epp(void)
{
	switch (below(8)) {
	case 0:
		return PICK("performance", "0", "1", "15", "16", "17");
	case 1:
		return PICK("default", "77", "128", "254", "255");
	case 2:
		return PICK("256", "-1", "nonsense", "custom", "performanc");
	case 3:
		return PICK("performance", "dynamic", "dynamic");
	default:
		return PICK("balance_performance", "balance_power", "power");
	}
}

static const char *some_governor(void)
{
	if (!below(8))
		return PICK("ondemand", "conservative", "userspace", "nonsense");
	return PICK("performance", "powersave", "powersave", "schedutil", "schedutil");
}

static struct step draw(void)
{
	int cpu = below(nr_cpus);

	switch (below(vm ? 33 : 26)) {
	case 0 ... 7:
		return set("epp", cpu, some_epp());
	case 8 ... 10:
		return set("epp", -1, PICK("balance_performance", "power", "performance"));
	case 11 ... 14:
		return set("governor", cpu, some_governor());
	case 15 ... 17:
		return set("governor", -1, some_governor());
	case 18:
		if (!below(6))
			return set("mode", -1, PICK("off", "nonsense"));
		if (amd && below(2))
			return set("mode", -1, PICK("guided", "disable"));
		return set("mode", -1, PICK("active", "passive"));
	case 19: case 20:
		return set("online", cpu, PICK("0", "1", "1"));
	case 21:
		return set("aware", -1, PICK("0", "1", "1"));
	case 22:
		return set("partition", cpu, PICK("root", "member", "member"));
	case 23:
		return set("turbo", -1, PICK("0", "1"));
	case 24:
		return set("limit", cpu, PICK("min", "max"));
	case 25:
		return set("mode", -1, "active");
	case 26: case 27:
		return set("fail-epp", cpu, some_epp());
	case 28: case 29:
		return set("fail-governor", cpu, PICK("performance", "powersave"));
	case 30:
		if (!amd)
			return set("behind", cpu, PICK("0", "16", "17", "100", "255"));
		return set("epp", -1, "dynamic");
	case 31:
		return set("profile", -1, PICK("performance", "balanced", "low-power"));
	default:
		return set("power", -1, PICK("on", "off"));
	}
}

static void print_step(const struct step *s, const char *prefix)
{
	if (s->cpu < 0)
		printf("%s%s all %s\n", prefix, s->what, s->value);
	else
		printf("%s%s %d %s\n", prefix, s->what, s->cpu, s->value);
}

/* The signals are blocked, so that nothing is left half done. */
static bool interrupted(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP);
}

/* Returns the number of the step that has failed, or -1. */
static int run(const struct step *steps, int n, bool print)
{
	int i;

	reset();
	if (why[0])
		return 0;
	for (i = 0; i < n && !interrupted(); i++) {
		if (print && verbose)
			print_step(&steps[i], "# ");
		take(&steps[i]);
		if (why[0])
			return i;
		steps_on += print && (eas_on(0) || eas_on(1));
		if (print && !((i + 1) % 500)) {
			printf("# %d steps\n", i + 1);
			fflush(stdout);
		}
	}
	return -1;
}

/* Leave out steps, in smaller and smaller pieces, as long as it still fails. */
static int shrink(struct step *steps, int n)
{
	struct step *less = calloc(n, sizeof(*less));
	int piece, first, rest, tries = 0;

	for (piece = n / 2; less && piece && !interrupted(); piece /= 2) {
		for (first = 0; first < n && tries < 300 && !interrupted(); tries++) {
			int len = first + piece > n ? n - first : piece;

			memcpy(less, steps, first * sizeof(*less));
			rest = n - first - len;
			memcpy(less + first, steps + first + len, rest * sizeof(*less));
			if (rest + first && run(less, first + rest, false) >= 0) {
				n = first + rest;
				memcpy(steps, less, n * sizeof(*less));
			} else {
				first += len;
			}
		}
	}
	free(less);
	return n;
}

/* ------------------------------ start and end ------------------------------ */

static void discover(void)
{
	char buf[64];
	int i, j;

	status = CPUS "/intel_pstate/status";
	reg = "hwp_request";
	if (!exists("%s", status)) {
		amd = true;
		status = CPUS "/amd_pstate/status";
		reg = vm && exists("%s/cpu0/energy_perf", vm) ? "energy_perf" : "amd_cppc_req";
	}
	if (geteuid())
		die(SKIP, "must be run as root");
	if (!exists("%s", status))
		die(SKIP, "needs intel_pstate or amd-pstate");
	slurp(old_mode, sizeof(old_mode), "%s", status);
	for (i = 0; i < MAX_CPUS && exists(CPUS "/cpu%d", i); i++) {
		if (exists(CPUS "/cpu%d/online", i) &&
		    *slurp(buf, sizeof(buf), CPUS "/cpu%d/online", i) != '1')
			die(SKIP, "CPU%d is offline", i);
		cpus[i].online = true;
		cpus[i].capacity = atoi(slurp(buf, sizeof(buf), CPUS "/cpu%d/cpu_capacity", i));
		slurp(cpus[i].old_governor, sizeof(cpus[i].old_governor), GOV_FILE, i);
		slurp(cpus[i].old_epp, sizeof(cpus[i].old_epp), EPP_FILE, i);
	}
	nr_cpus = i;
	if (spill("active", "%s", status) && strcmp(old_mode, "active"))
		die(SKIP, "there is no active mode");
	if (!exists(EPP_FILE, 0))
		die(SKIP, "there is no EPP");
	slurp(buf, sizeof(buf), CPUS "/smt/active");
	hybrid = !amd && strcmp(buf, "1") && exists("/sys/kernel/debug/energy_model/cpu0") &&
		 asymmetric(0);
	i = atoi(slurp(buf, sizeof(buf), "/sys/firmware/acpi/pm_profile"));
	server = i == 0 || i == 4 || i == 5 || i == 7;

	for (i = 0; i < nr_cpus; i++) {
		spill("powersave", GOV_FILE, i);
		for (j = 0; j < 4; j++) {
			if (spill(words[j], EPP_FILE, i))
				die(1, "CPU%d does not take EPP %s", i, words[j]);
			values[j] = get_register(i);
			if (values[j] < 0)
				die(SKIP, "there are no MSR devices");
		}
		spill("default", EPP_FILE, i);
		cpus[i].def = get_register(i);
	}
	if (!exists(CGROUP "/cgroup.controllers"))
		mount("cgroup2", CGROUP, "cgroup2", 0, NULL);
	if (!spill("+cpuset", CGROUP "/cgroup.subtree_control"))
		mkdir(CGROUP "/eas_model", 0755);
}

static void restore(void)
{
	int i;

	reset();
	why[0] = '\0';
	rmdir(CGROUP "/eas_model");
	for (i = 0; i < nr_cpus; i++)
		if (cpus[i].old_epp[0])
			spill(strncmp(cpus[i].old_epp, "dynamic", 7) ? cpus[i].old_epp : "dynamic",
			      EPP_FILE, i);
	spill(old_mode, "%s", status);
	for (i = 0; i < nr_cpus; i++)
		spill(cpus[i].old_governor, GOV_FILE, i);
}

static int load(const char *path, struct step **steps)
{
	char line[80], what[16], cpu[8], value[24];
	FILE *f = fopen(path, "r");
	int n = 0;

	if (!f)
		die(1, "cannot open %s", path);
	*steps = NULL;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*[# ]%15s %7s %23s", what, cpu, value) != 3 &&
		    sscanf(line, "%15s %7s %23s", what, cpu, value) != 3)
			continue;
		*steps = realloc(*steps, (n + 1) * sizeof(**steps));
		if (!*steps)
			die(1, "no memory");
		(*steps)[n++] = set(what, strcmp(cpu, "all") ? atoi(cpu) : -1, value);
	}
	fclose(f);
	return n;
}

int main(int argc, char *argv[])
{
	const char *file = NULL;
	struct step *steps;
	sigset_t signals;
	int n = 500, opt, failed, i;

	rng = time(NULL);
	while ((opt = getopt(argc, argv, "s:n:f:v")) != -1) {
		switch (opt) {
		case 's':
			rng = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			n = atoi(optarg);
			break;
		case 'f':
			file = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			fprintf(stderr, "usage: eas_model [-s SEED] [-n STEPS] [-f FILE] [-v]\n");
			return 2;
		}
	}
	puts("TAP version 13");
	vm = getenv("EAS_VM");
	discover();
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);

	if (file) {
		n = load(file, &steps);
	} else {
		printf("# seed %llu\n", (unsigned long long)rng);
		steps = calloc(n, sizeof(*steps));
		for (i = 0; steps && i < n; i++)
			steps[i] = draw();
	}
	if (!steps || n < 1)
		die(1, "there are no steps");
	printf("1..%d\n", hybrid ? 2 : 1);
	fflush(stdout);

	failed = run(steps, n, true);
	if (failed >= 0) {
		char reason[sizeof(why)];

		snprintf(reason, sizeof(reason), "%s", why);
		printf("# step %d, or what precedes all of them, fails: %s\n", failed + 1, reason);
		print_step(&steps[failed], "# that step: ");
		fflush(stdout);
		n = shrink(steps, failed + 1);
		i = run(steps, n, false);
		for (n = 0; n <= i; n++)
			print_step(&steps[n], "# ");
		printf("# %s\nnot ok 1 %s\n", i < 0 ? "this does not fail again" : why,
		       "the system agrees with the model");
		steps_on = 1;
	} else {
		printf("ok 1 the system agrees with the model for %d steps\n", n);
	}
	/* Or else there was nothing to see. */
	if (hybrid)
		printf("%s 2 EAS has been in use\n", steps_on ? "ok" : "not ok");
	printf("# EAS in use after %u steps\n", steps_on);
	restore();
	if (interrupted())
		puts("Bail out! interrupted");
	return failed >= 0 || interrupted() || (hybrid && !steps_on);
}
