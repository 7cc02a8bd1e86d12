// SPDX-License-Identifier: GPL-2.0-only
/*
 * Setting mode, governor and EPP.
 */
#include <cpufreq.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"
#include "guard.h"
#include "state.h"
#include "util.h"

#define CPU_DIR		"/sys/devices/system/cpu"
#define CPUFREQ_DIR	CPU_DIR "/cpufreq"
#define EPP_FILE	"energy_performance_preference"
#define EPP_WORDS	"energy_performance_available_preferences"

static char failure[512];

__attribute__((format(printf, 1, 2)))
static const char *fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(failure, sizeof(failure), format, args);
	va_end(args);

	return failure;
}

/* ---- Policies ---------------------------------------------------------- */

static int is_policy(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "policy", 6);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Paths of all policies, up to NULL; empty without cpufreq. */
static char **policies(void)
{
	struct dirent **list;
	char **paths, *cpus;
	int n = scandir(CPUFREQ_DIR, &list, is_policy, by_number), i, found = 0;

	paths = xcalloc(n < 0 ? 1 : n + 1, sizeof(*paths));
	for (i = 0; i < n; i++) {
		/* While all of its CPUs are offline, a policy is there but dead. */
		cpus = read_file(CPUFREQ_DIR "/%s/affected_cpus", list[i]->d_name);
		if (cpus && *cpus)
			paths[found++] = xasprintf(CPUFREQ_DIR "/%s", list[i]->d_name);
		free(cpus);
		free(list[i]);
	}
	if (n >= 0)
		free(list);

	return paths;
}

static void free_strings(char **strings)
{
	char **s;

	for (s = strings; s && *s; s++)
		free(*s);
	free(strings);
}

/* An online CPU of a policy, which the library wants, or -1 */
static int policy_cpu(const char *policy)
{
	char *cpus = read_file("%s/affected_cpus", policy);
	int cpu = cpus && *cpus ? atoi(cpus) : -1;

	free(cpus);

	return cpu;
}

/* "CPU3" or the like, for messages; valid until the next call */
static const char *policy_name(const char *policy)
{
	static char name[32];

	snprintf(name, sizeof(name), "CPU%.20s", policy + strlen(CPUFREQ_DIR "/policy"));

	return name;
}

static bool holds(const char *value, const char *directory, const char *file)
{
	char *now = read_file("%s/%s", directory, file);
	bool same = now && !strcmp(now, value);

	free(now);

	return same;
}

/* A governor other than performance that can be used for a moment. To be freed. */
static char *other_governor(const char *policy)
{
	struct cpufreq_available_governors *all, *g;
	char *found = NULL;

	all = cpufreq_get_available_governors(policy_cpu(policy));
	for (g = all; g && !found; g = g->next)
		if (strcmp(g->governor, "performance") && strcmp(g->governor, "userspace"))
			found = xstrdup(g->governor);
	if (all)
		cpufreq_put_available_governors(all);

	return found;
}

static const char *write_governor(const char *policy, const char *governor)
{
	int cpu = policy_cpu(policy);

	if (holds(governor, policy, "scaling_governor"))
		return NULL;
	if (cpu < 0)
		return fail("%s is offline", policy_name(policy));
	errno = 0;
	if (cpufreq_modify_policy_governor(cpu, (char *)governor))
		return fail("%s cannot use governor %s: %s", policy_name(policy), governor,
			    errno ? strerror(errno) : "there is no such governor");

	return NULL;
}

static const char *write_epp(const char *policy, const char *epp)
{
	int ret;

	if (holds(epp, policy, EPP_FILE))
		return NULL;
	ret = write_file(epp, "%s/" EPP_FILE, policy);
	/* That is how it is shown, but not every kernel takes it. */
	if (ret && !strncmp(epp, "dynamic(", 8))
		ret = write_file("dynamic", "%s/" EPP_FILE, policy);
	if (ret)
		return fail("%s cannot use EPP %s: %s", policy_name(policy), epp, strerror(-ret));

	return NULL;
}

/*
 * Set governor and EPP (unless that is "") in an order that works. AMD's dynamic EPP ends
 * with a change of the governor, so EPP comes last if possible.
 *
 * @hidden: the EPP to be set is that which governor performance hides
 */
static const char *set_policy(const char *policy, const char *governor, const char *epp,
			      bool hidden)
{
	bool performance = !strcmp(governor, "performance");
	bool already = holds("performance", policy, "scaling_governor");
	const char *why = NULL;
	char *via = NULL;

	if (*epp && (hidden || !holds(governor, policy, "scaling_governor") ||
		     !holds(epp, policy, EPP_FILE))) {
		if (!performance)
			why = write_governor(policy, governor);
		else if (already) {
			via = other_governor(policy);
			if (via)
				why = write_governor(policy, via);
		}
		if (!why)
			why = write_epp(policy, epp);
		free(via);
		/* Without EPP, the governor is still better than nothing. */
		if (why) {
			char *first = xstrdup(why);

			write_governor(policy, governor);
			fail("%s", first);
			free(first);
			return failure;
		}
	}

	return write_governor(policy, governor);
}

/*
 * A new mode makes new policies, without the limits that users have set. What a limit file
 * shows may be somebody else's limit, so leave it alone unless it has changed.
 */
static void undo_limit(const struct item *item, int which, const char *file, const char *full)
{
	const char *policy = item->text[PATH], *value = item->text[which];
	int cpu = policy_cpu(policy);

	if (!*value || holds(value, policy, file) || holds(value, policy, full))
		return;
	if (which == MAX)
		cpufreq_modify_policy_max(cpu, strtoul(value, NULL, 10));
	else
		cpufreq_modify_policy_min(cpu, strtoul(value, NULL, 10));
}

bool state_undo_policy(const struct item *item)
{
	const char *policy = item->text[PATH], *governor = item->text[GOVERNOR], *why;

	if (policy_cpu(policy) < 0) {
		warn("%s has gone, its governor and EPP cannot be put back", policy_name(policy));
		return false;
	}
	why = set_policy(policy, governor, item->text[EPP], !strcmp(governor, "performance"));
	if (why)
		warn("cannot be put back: %s", why);
	undo_limit(item, MAX, "scaling_max_freq", "cpuinfo_max_freq");
	undo_limit(item, MIN, "scaling_min_freq", "cpuinfo_min_freq");

	return !why;
}

/* ---- Modes ------------------------------------------------------------- */

static const char *const modes[] = { "active", "passive", "guided" };

/* Directory of the driver that has modes, or NULL; *mode is to be freed. */
static const char *mode_directory(char **mode)
{
	static const char *const directories[] = {
		CPU_DIR "/intel_pstate", CPU_DIR "/amd_pstate"
	};
	size_t i, j;

	for (i = 0; i < 2; i++) {
		*mode = read_file("%s/status", directories[i]);
		/* Not if this driver is not in use */
		for (j = 0; *mode && j < 3; j++)
			if (!strcmp(*mode, modes[j]))
				return directories[i];
		free(*mode);
	}
	*mode = NULL;

	return NULL;
}

/* ---- What there was ---------------------------------------------------- */

static void note_optional(const char *directory, const char *file)
{
	char *value = read_file("%s/%s", directory, file), *path;

	if (value) {
		path = xasprintf("%s/%s", directory, file);
		guard_note(OPTIONAL, (const char *[NR_TEXTS]){ path, value });
		free(path);
	}
	free(value);
}

/* Tunables of a governor, which go with it */
static void note_tunables(const char *parent, const char *governor)
{
	char *directory = xasprintf("%s/%s", parent, governor);
	struct dirent **list;
	int n = scandir(directory, &list, NULL, alphasort), i;

	for (i = 0; i < n; i++) {
		if (*list[i]->d_name != '.')
			note_optional(directory, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	free(directory);
}

static const char *note_policy(const char *policy, bool hides_epp)
{
	char *governor = read_file("%s/scaling_governor", policy);
	char *epp = read_file("%s/" EPP_FILE, policy);
	char *min = read_file("%s/scaling_min_freq", policy);
	char *max = read_file("%s/scaling_max_freq", policy), *via;
	const char *why = NULL;
	int ret;

	if (!governor) {
		free(epp);
		free(min);
		free(max);
		return fail("%s has gone", policy_name(policy));
	}

	ret = guard_note(POLICY, (const char *[NR_TEXTS]){ policy, governor, epp, min, max });
	if (!ret && epp && hides_epp && !strcmp(governor, "performance")) {
		/* Now that it is known that this governor has to come back */
		via = other_governor(policy);
		if (via)
			why = write_governor(policy, via);
		if (via && !why) {
			free(epp);
			epp = read_file("%s/" EPP_FILE, policy);
			ret = guard_note(POLICY, (const char *[NR_TEXTS]){ policy, governor, epp,
									   min, max });
		}
		free(via);
	}
	free(governor);
	free(epp);
	free(min);
	free(max);
	if (ret)
		return fail("what will be changed cannot be noted: %s", strerror(-ret));

	return why;
}

/*
 * Note mode, governors, EPPs, and what goes along with a mode or governor when it changes.
 * The first to be put back is noted last: mode, driver, policy, tunables of its governor.
 */
static const char *note_all(void)
{
	static const char *const attributes[] = {
		"no_turbo", "max_perf_pct", "min_perf_pct", "hwp_dynamic_boost"
	};
	char **all, **policy, *governor, *mode, *path;
	const char *directory, *why = NULL;
	size_t i;

	if (guard_noted(POLICY, NULL))
		return NULL;

	all = policies();
	directory = mode_directory(&mode);
	for (policy = all; *policy; policy++) {
		governor = read_file("%s/scaling_governor", *policy);
		if (governor) {
			note_tunables(CPUFREQ_DIR, governor);
			note_tunables(*policy, governor);
		}
		free(governor);
		note_optional(*policy, "boost");
	}
	for (policy = all; *policy && !why; policy++)
		why = note_policy(*policy, mode && !strcmp(mode, "active"));
	note_optional(CPUFREQ_DIR, "boost");
	if (directory) {
		for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
			note_optional(directory, attributes[i]);
		path = xasprintf("%s/status", directory);
		guard_note(MODE, (const char *[NR_TEXTS]){ path, mode });
		free(path);
	}
	free(mode);
	free_strings(all);

	return why;
}

static const char *set_mode(const char *mode)
{
	const char *directory;
	char *now;
	int ret = 0;

	directory = mode_directory(&now);
	if (!directory)
		return fail("there are no modes to choose from");
	if (strcmp(now, mode))
		ret = write_file(mode, "%s/status", directory);
	free(now);
	if (ret)
		return fail("mode %s cannot be used: %s", mode, strerror(-ret));

	return NULL;
}

/* ---- What there is ----------------------------------------------------- */

/* What a mode offers. Strings end with NULL. */
struct offer {
	char mode[16];
	char **governors;
	char **epps;
};

static struct offer offers[3];
static int nr_offers = UNKNOWN;

static void add_string(char ***strings, const char *string)
{
	int n = 0;

	while (*strings && (*strings)[n])
		n++;
	*strings = xrealloc(*strings, (n + 2) * sizeof(**strings));
	(*strings)[n] = xstrdup(string);
	(*strings)[n + 1] = NULL;
}

static bool has_string(char **strings, const char *string)
{
	for (; strings && *strings; strings++)
		if (!strcmp(*strings, string))
			return true;

	return false;
}

/* What a policy offers in the present mode */
static void look(struct offer *offer, const char *policy)
{
	struct cpufreq_available_governors *all, *g;
	char *words = read_file("%s/" EPP_WORDS, policy), *word, *save;

	all = cpufreq_get_available_governors(policy_cpu(policy));
	for (g = all; g; g = g->next)
		if (strcmp(g->governor, "userspace"))
			add_string(&offer->governors, g->governor);
	if (all)
		cpufreq_put_available_governors(all);

	for (word = strtok_r(words ?: "", " ", &save); word; word = strtok_r(NULL, " ", &save))
		add_string(&offer->epps, word);
	free(words);
}

/*
 * With governor performance, amd_pstate offers no EPP but performance. On servers, that is
 * the governor after a change to active mode. It is one that has been noted, or comes with
 * a mode that will be left again.
 */
static void show_epps(const char *policy)
{
	char *via = NULL;

	if (holds("performance", policy, "scaling_governor"))
		via = other_governor(policy);
	/* If this does not work, there is less to choose from. */
	if (via)
		write_governor(policy, via);
	free(via);
}

static void probe(void)
{
	char **all = policies(), *now, *path;
	const char *directory = mode_directory(&now);
	bool can_set;
	size_t i;

	nr_offers = 0;
	if (!*all)
		goto out;
	if (!directory) {
		look(&offers[nr_offers++], *all);
		goto out;
	}

	path = xasprintf("%s/status", directory);
	can_set = !access(path, W_OK) && !note_all();
	free(path);
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct offer *offer = &offers[nr_offers];

		/* "guided" is refused by some, and so are all by mere users. */
		if (can_set ? set_mode(modes[i]) != NULL : strcmp(modes[i], now) != 0)
			continue;
		strcpy(offer->mode, modes[i]);
		if (can_set && !strcmp(modes[i], "active"))
			show_epps(*all);
		look(offer, *all);
		nr_offers++;
	}
	if (can_set)
		guard_undo(true);
out:
	free_strings(all);
	free(now);
}

static bool epp_matters(const struct offer *offer, const char *governor)
{
	/* There, that governor uses an EPP of its own. */
	return offer->epps && (strcmp(offer->mode, "active") || strcmp(governor, "performance"));
}

int state_configs(struct config **configs)
{
	static char *none[] = { "", NULL };
	char **governor, **epp;
	int i, n = 0;

	if (nr_offers == UNKNOWN)
		probe();

	*configs = NULL;
	for (i = 0; i < nr_offers; i++) {
		for (governor = offers[i].governors; governor && *governor; governor++) {
			epp = epp_matters(&offers[i], *governor) ? offers[i].epps : none;
			for (; *epp; epp++) {
				struct config *c;

				if (!strcmp(*epp, "default") || !strcmp(*epp, "dynamic") ||
				    !strcmp(*epp, "custom"))
					continue;
				*configs = xrealloc(*configs, (n + 1) * sizeof(**configs));
				c = &(*configs)[n++];
				memset(c, 0, sizeof(*c));
				strcpy(c->mode, offers[i].mode);
				snprintf(c->governor, sizeof(c->governor), "%s", *governor);
				snprintf(c->epp, sizeof(c->epp), "%s", *epp);
			}
		}
	}

	return n;
}

/* ---- Strings ----------------------------------------------------------- */

static bool is_mode(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(word, modes[i]))
			return true;

	return false;
}

/* "a, b or c", valid until the next call */
static const char *choice(char **strings)
{
	static char list[256];
	size_t length = 0;

	*list = '\0';
	for (; strings && *strings; strings++)
		length += snprintf(list + length, sizeof(list) - length, "%s%s", !length ? "" :
				   strings[1] ? ", " : " or ", *strings);
	return list;
}

static const char *choose_offer(const char *string, const char *mode, const char *governor,
				const struct offer **offer)
{
	const struct offer *there = NULL;
	char **names = NULL, *now;
	int i;

	mode_directory(&now);
	*offer = NULL;
	for (i = 0; i < nr_offers; i++) {
		if (*mode && strcmp(offers[i].mode, mode))
			continue;
		there = &offers[i];
		if (!has_string(offers[i].governors, governor))
			continue;
		/* The present mode goes first, if there is a choice. */
		if (!*offer || (now && !strcmp(offers[i].mode, now)))
			*offer = &offers[i];
	}
	free(now);
	if (*offer)
		return NULL;

	if (there && (*mode || nr_offers == 1))
		return fail("%s: no governor %s here, use %s", string, governor,
			    choice(there->governors));
	if (there)
		return fail("%s: no governor %s in any mode", string, governor);
	if (!*offers[0].mode)
		return fail("%s: there are no modes here, leave out %s/", string, mode);
	for (i = 0; i < nr_offers; i++)
		add_string(&names, offers[i].mode);
	fail("%s: no mode %s here%s, use %s", string, mode,
	     geteuid() ? " that you may change to (use sudo)" : "", choice(names));
	free_strings(names);

	return failure;
}

/* The EPP that all CPUs have at present */
static const char *present_epp(const char *string, struct config *config)
{
	char **all = policies(), **policy, *epp, *governor, *mode;
	const char *why = NULL;

	mode_directory(&mode);
	for (policy = all; *policy && !why; policy++) {
		epp = read_file("%s/" EPP_FILE, *policy);
		governor = read_file("%s/scaling_governor", *policy);
		if (!epp || !governor || strlen(epp) >= sizeof(config->epp))
			why = fail("%s: say which EPP, as in %s/balance_performance", string,
				   string);
		else if (!strcmp(governor, "performance") && mode && !strcmp(mode, "active"))
			why = fail("%s: governor performance hides the present EPP, say which, as in "
				   "%s/balance_performance", string, string);
		else if (*config->epp && strcmp(config->epp, epp))
			why = fail("%s: CPUs differ in EPP, say which, as in %s/balance_performance",
				   string, string);
		else
			strcpy(config->epp, epp);
		free(epp);
		free(governor);
	}
	free(mode);
	free_strings(all);

	return why;
}

static const char *check_epp(const char *string, const struct offer *offer,
			     const struct config *config)
{
	char *end;
	long value;

	if (!epp_matters(offer, config->governor))
		return fail("%s: there is no choice of EPP with governor %s%s%s, leave out /%s",
			    string, config->governor, *offer->mode ? " in mode " : "",
			    offer->mode, config->epp);
	value = strtol(config->epp, &end, 10);
	if (end != config->epp && !*end) {
		if (value >= 0 && value <= 255)
			return NULL;
		return fail("%s: EPP is from 0 to 255", string);
	}
	if (!has_string(offer->epps, config->epp))
		return fail("%s: no EPP %s here, use %s, or 0 to 255", string, config->epp,
			    choice(offer->epps));
	return NULL;
}

const char *state_parse_config(const char *string, struct config *config)
{
	char part[3][sizeof(config->governor)] = {}, *copy, *p, *save;
	const char *mode = "", *governor, *epp = "", *why;
	const struct offer *offer;
	int n = 0;

	memset(config, 0, sizeof(*config));
	if (nr_offers == UNKNOWN)
		probe();
	if (!nr_offers)
		return fail("%.100s: this machine has no cpufreq, leave it out", string);

	copy = p = xstrdup(string);
	while ((save = strsep(&p, "/"))) {
		if (n == 3 || !*save || strlen(save) >= sizeof(part[0])) {
			free(copy);
			return fail("%.100s: not MODE/GOVERNOR/EPP, as in "
				    "active/powersave/balance_performance", string);
		}
		strcpy(part[n++], save);
	}
	free(copy);

	governor = part[0];
	if (n == 3 || (n == 2 && is_mode(part[0]))) {
		mode = part[0];
		governor = part[1];
		epp = part[2];
	} else if (n == 2) {
		epp = part[1];
	}

	why = choose_offer(string, mode, governor, &offer);
	if (why)
		return why;
	strcpy(config->mode, offer->mode);
	strcpy(config->governor, governor);
	strcpy(config->epp, epp);
	if (*epp)
		return check_epp(string, offer, config);

	return epp_matters(offer, governor) ? present_epp(string, config) : NULL;
}

char *state_format_config(const struct config *config)
{
	return xasprintf("%s%s%s%s%s", config->mode, *config->mode ? "/" : "", config->governor,
			 *config->epp ? "/" : "", config->epp);
}

/* ---- Setting ----------------------------------------------------------- */

static const char *check(const char *policy, const struct config *config)
{
	char *now;

	if (!holds(config->governor, policy, "scaling_governor"))
		return fail("%s has not taken governor %s", policy_name(policy), config->governor);
	/* Numbers, "default" and "dynamic" are shown as what they stand for. */
	if (!*config->epp || !strcmp(config->epp, "default") ||
	    !strncmp(config->epp, "dynamic", 7) || strspn(config->epp, "0123456789"))
		return NULL;
	now = read_file("%s/" EPP_FILE, policy);
	if (!now || strcmp(now, config->epp))
		fail("%s has EPP %s, not %s", policy_name(policy), now ?: "none", config->epp);
	else
		*failure = '\0';
	free(now);

	return *failure ? failure : NULL;
}

static bool may_write(const char *policy)
{
	char *path = xasprintf("%s/scaling_governor", policy);
	bool may = !access(path, W_OK);

	free(path);

	return may;
}

const char *state_set(const struct config *config)
{
	char **all = policies(), **policy;
	const char *why = NULL;

	if (!*all)
		why = fail("this machine has no cpufreq, or no CPU that it drives is online");
	else if (!may_write(*all))
		why = fail("changing mode, governor and EPP needs root: use sudo");
	else
		why = note_all();
	if (!why && *config->mode)
		why = set_mode(config->mode);
	free_strings(all);
	if (why)
		return why;

	/* Those of the mode that is there now */
	all = policies();
	if (!*all)
		why = fail("no CPU has cpufreq in mode %s", config->mode);
	for (policy = all; *policy && !why; policy++) {
		why = set_policy(*policy, config->governor, config->epp, false);
		if (!why)
			why = check(*policy, config);
	}
	free_strings(all);

	return why;
}
