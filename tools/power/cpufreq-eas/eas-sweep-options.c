// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of eas-sweep, and the sweep that it stands for.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "eas-sweep.h"
#include "util.h"

/* Names are words of a line in the state file. */
#define MAX_NAME	40

static const char usage[] =
	"usage: eas-sweep [OPTION...]\n"
	"\n"
	"Run tests under every combination of mode, governor and EPP, and compare.\n"
	"\n"
	"  -t, --test NAME[=COMMAND]  a command for sh -c, or a built-in load: burst, build,\n"
	"                             periodic, mixed (default: these four)\n"
	"  -c, --config LIST          only these configurations: MODE/GOVERNOR/EPP,...; patterns\n"
	"                             with * and ? as well (default: all)\n"
	"      --as-is                change nothing, measure the present settings\n"
	"      --reference CONFIG     compare with this one (default: the first)\n"
	"  -r, --rounds N             how often (default: 5)\n"
	"      --scale X              size of the built-in loads (default: 1)\n"
	"      --pause SECONDS        rest before each run (default: 1)\n"
	"      --seed N               of the random order (default: 1)\n"
	"      --csv FILE             write all samples\n"
	"      --svg FILE             draw the bars (needs gnuplot)\n"
	"      --log FILE             keep what commands print\n"
	"      --state FILE           where results are kept (default: eas-sweep.state)\n"
	"      --resume               go on with the sweep in the state file\n"
	"  -n, --dry-run              say what would be run, and how long it takes\n"
	"  -q, --quiet                no progress\n"
	"  -h, --help\n"
	"  -V, --version\n"
	"\n"
	"It needs root, but for --as-is. Settings are put back however it ends.\n";

enum {
	AS_IS_OPTION = 256, REFERENCE, SCALE, PAUSE, SEED, CSV, SVG, LOG, STATE, RESUME,
};

static const struct option long_options[] = {
	{ "test", required_argument, NULL, 't' },
	{ "config", required_argument, NULL, 'c' },
	{ "as-is", no_argument, NULL, AS_IS_OPTION },
	{ "reference", required_argument, NULL, REFERENCE },
	{ "rounds", required_argument, NULL, 'r' },
	{ "scale", required_argument, NULL, SCALE },
	{ "pause", required_argument, NULL, PAUSE },
	{ "seed", required_argument, NULL, SEED },
	{ "csv", required_argument, NULL, CSV },
	{ "svg", required_argument, NULL, SVG },
	{ "log", required_argument, NULL, LOG },
	{ "state", required_argument, NULL, STATE },
	{ "resume", no_argument, NULL, RESUME },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 }
};

/* ---- Values ----------------------------------------------------------------------------- */

static void add_test(struct sweep *sweep, const char *argument)
{
	const char *equal = strchr(argument, '='), *p;
	size_t length = equal ? (size_t)(equal - argument) : strlen(argument);
	char *name = xasprintf("%.*s", (int)length, argument);

	if (!length || length > MAX_NAME)
		die(EXIT_USAGE, "--test %s: needs a name of at most %d characters before the =",
		    argument, MAX_NAME);
	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
			die(EXIT_USAGE, "--test %s: a name has letters, digits and .-_+ only", name);
	if (sweep_find_test(sweep, name) >= 0)
		die(EXIT_USAGE, "--test %s: there is a test of that name already, use another", name);
	if (equal && !equal[1])
		die(EXIT_USAGE, "--test %s: there is no command after the =", argument);
	if (!equal && !find_load(name))
		die(EXIT_USAGE, "--test %s: is not a built-in load (burst, build, periodic, mixed); for a command, use NAME=COMMAND",
		    name);
	sweep_add_test(sweep, name, equal ? equal + 1 : NULL, equal ? NULL : find_load(name));
	free(name);
}

void options_parse(int argc, char **argv, struct options *options)
{
	int c;

	*options = (struct options) {
		.state = "eas-sweep.state",
		.sweep = { .seed = 1, .scale = 1, .pause = 1, .rounds = 5 },
	};
	while ((c = getopt_long(argc, argv, "t:c:r:nqhV", long_options, NULL)) != -1) {
		switch (c) {
		case 't':
			add_test(&options->sweep, optarg);
			break;
		case 'c':
			options->configs = options->configs ?
				xasprintf("%s,%s", options->configs, optarg) : xstrdup(optarg);
			break;
		case AS_IS_OPTION:
			options->as_is = true;
			break;
		case REFERENCE:
			options->reference = optarg;
			break;
		case 'r':
			options->sweep.rounds = option_whole("rounds", optarg, 1, MAX_ROUNDS);
			options->rounds_given = true;
			break;
		case SCALE:
			options->sweep.scale = option_number("scale", optarg, 0.001, 1000);
			options->scale_given = true;
			break;
		case PAUSE:
			options->sweep.pause = option_number("pause", optarg, 0, 3600);
			options->pause_given = true;
			break;
		case SEED:
			options->sweep.seed = option_whole("seed", optarg, 0, INT64_MAX);
			options->seed_given = true;
			break;
		case CSV:
			options->csv = optarg;
			break;
		case SVG:
			options->svg = optarg;
			break;
		case LOG:
			options->log = optarg;
			break;
		case STATE:
			options->state = optarg;
			break;
		case RESUME:
			options->resume = true;
			break;
		case 'n':
			options->dry_run = true;
			break;
		case 'q':
			options->quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(EXIT_OK);
		case 'V':
			puts("eas-sweep " VERSION);
			exit(EXIT_OK);
		default:
			/* getopt has said what is wrong, in one line. */
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc)
		die(EXIT_USAGE, "%s: is not an option; commands go into --test NAME=COMMAND",
		    argv[optind]);
	if (options->as_is && options->configs)
		die(EXIT_USAGE, "--as-is and --config exclude each other: leave one out");
}

/* ---- Configurations ---------------------------------------------------------------------- */

static void add_config(struct sweep *sweep, const struct config *config)
{
	char *name = state_format_config(config);

	if (sweep_find_config(sweep, name) < 0)
		sweep_add_config(sweep, name, config);
	free(name);
}

/* All that match */
static void add_pattern(struct sweep *sweep, const char *pattern, const struct config *offered,
			int number)
{
	bool found = false;
	char *name;
	int i;

	for (i = 0; i < number; i++) {
		name = state_format_config(&offered[i]);
		if (!fnmatch(pattern, name, 0)) {
			add_config(sweep, &offered[i]);
			found = true;
		}
		free(name);
	}
	if (!found)
		die(EXIT_USAGE, "--config %s: this machine offers nothing like that, see eas-sweep --dry-run",
		    pattern);
}

static void add_listed(struct sweep *sweep, const char *configs, const struct config *offered,
		       int number)
{
	char *list = xstrdup(configs), *rest = list, *item;
	struct config config;
	const char *why;

	while ((item = strsep(&rest, ","))) {
		if (strpbrk(item, "*?[") || !strcmp(item, "all")) {
			add_pattern(sweep, strcmp(item, "all") ? item : "*", offered, number);
			continue;
		}
		why = state_parse_config(item, &config);
		if (why)
			die(EXIT_USAGE, "--config %s", why);
		add_config(sweep, &config);
	}
	free(list);
}

static void add_configs(const struct options *options, struct sweep *sweep)
{
	struct config *offered;
	int number, i;

	if (options->as_is) {
		sweep_add_config(sweep, AS_IS, NULL);
		return;
	}

	number = state_configs(&offered);
	if (!number && options->configs)
		die(EXIT_FAILED, "there is no cpufreq on this machine: leave out --config");
	if (!number) {
		warn("there is no cpufreq on this machine: measuring the only state there is");
		sweep_add_config(sweep, AS_IS, NULL);
	} else if (options->configs) {
		add_listed(sweep, options->configs, offered, number);
	} else {
		for (i = 0; i < number; i++)
			add_config(sweep, &offered[i]);
	}
	free(offered);
}

/* ---- Machine ------------------------------------------------------------------------------ */

static char *cpu_model(void)
{
	char *info = read_file("/proc/cpuinfo"), *model = NULL, *p;

	p = info ? strstr(info, "model name") : NULL;
	p = p ? strchr(p, ':') : NULL;
	if (p)
		model = xasprintf("%.*s", (int)strcspn(p + 2, "\n"), p + 2);
	free(info);

	return model ?: xstrdup("unknown CPU");
}

/* All of it has to be the same, or results cannot be compared. */
static char *describe_machine(bool as_is)
{
	char *model = cpu_model(), *online = read_file("/sys/devices/system/cpu/online"), *text;
	char *settings = as_is ? settings_text() : NULL;
	struct utsname name;

	uname(&name);
	text = xasprintf("%s, CPUs %s, Linux %s %s%s%s", model, online ?: "unknown", name.release,
			 name.version, settings ? ", " : "", settings ?: "");
	free(model);
	free(online);
	free(settings);

	return text;
}

/* ---- The sweep ----------------------------------------------------------------------------- */

static bool is_as_is(const struct sweep *sweep)
{
	return !strcmp(sweep->config[0].name, AS_IS);
}

void options_new_sweep(const struct options *options, struct sweep *sweep)
{
	const struct load *load;

	/* Tests have gone over to it. */
	*sweep = options->sweep;
	for (load = loads; !options->sweep.tests && load->name; load++)
		sweep_add_test(sweep, load->name, NULL, load);
	add_configs(options, sweep);
	sweep->machine = describe_machine(is_as_is(sweep));
}

static void differs(const struct options *options, const char *option)
{
	die(EXIT_USAGE, "the sweep in %s was started with another --%s: leave it out, or start a new sweep with another --state",
	    options->state, option);
}

static bool same_tests(const struct sweep *a, const struct sweep *b)
{
	int i;

	if (a->tests != b->tests)
		return false;
	for (i = 0; i < a->tests; i++)
		if (strcmp(a->test[i].name, b->test[i].name) || a->test[i].load != b->test[i].load ||
		    strcmp(a->test[i].command ?: "", b->test[i].command ?: ""))
			return false;

	return true;
}

static bool same_configs(const struct sweep *a, const struct sweep *b)
{
	int i;

	if (a->configs != b->configs)
		return false;
	for (i = 0; i < a->configs; i++)
		if (strcmp(a->config[i].name, b->config[i].name))
			return false;

	return true;
}

void options_check_sweep(const struct options *options, struct sweep *sweep)
{
	const struct sweep *given = &options->sweep;
	struct sweep listed = { 0 };
	const char *why;
	char *machine;
	int i, last = 0;

	if (options->seed_given && given->seed != sweep->seed)
		differs(options, "seed");
	if (options->scale_given && given->scale != sweep->scale)
		differs(options, "scale");
	if (options->pause_given && given->pause != sweep->pause)
		differs(options, "pause");
	if (given->tests && !same_tests(given, sweep))
		differs(options, "test");
	if (options->as_is && !is_as_is(sweep))
		differs(options, "config");

	machine = describe_machine(is_as_is(sweep));
	if (strcmp(machine, sweep->machine))
		die(EXIT_FAILED, "%s is of another machine, kernel or set of online CPUs (%s, now %s): start a new sweep with another --state",
		    options->state, sweep->machine, machine);
	free(machine);

	for (i = 0; !is_as_is(sweep) && i < sweep->configs; i++) {
		why = state_parse_config(sweep->config[i].name, &sweep->config[i].config);
		if (why)
			die(EXIT_FAILED, "cannot go on with %s, configuration %s", options->state,
			    why);
	}
	if (options->configs) {
		add_configs(options, &listed);
		if (!same_configs(&listed, sweep))
			differs(options, "config");
		sweep_free(&listed);
	}

	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].round > last)
			last = sweep->sample[i].round;
	if (options->rounds_given && given->rounds < last)
		die(EXIT_USAGE, "--rounds %d: there are results of round %d in %s already",
		    given->rounds, last, options->state);
}

int options_reference(const struct options *options, const struct sweep *sweep)
{
	struct config config;
	const char *why;
	char *name;
	int found;

	if (!options->reference)
		return 0;
	found = sweep_find_config(sweep, options->reference);
	if (found >= 0)
		return found;
	if (is_as_is(sweep))
		die(EXIT_USAGE, "--reference %s: there is only " AS_IS, options->reference);

	/* Parts may be missing here, too. */
	why = state_parse_config(options->reference, &config);
	if (why)
		die(EXIT_USAGE, "--reference %s", why);
	name = state_format_config(&config);
	found = sweep_find_config(sweep, name);
	if (found < 0)
		die(EXIT_USAGE, "--reference %s: is not part of the sweep, add it to --config", name);
	free(name);

	return found;
}
