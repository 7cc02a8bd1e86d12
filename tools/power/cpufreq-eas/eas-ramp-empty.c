// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving tasks off a CPU, and waiting until it is idle.
 *
 * A control group that is the root of a cpuset partition has its CPUs to itself: all other
 * tasks have to leave them, except kernel threads that belong to one CPU.
 */
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "eas-ramp.h"
#include "state.h"
#include "util.h"

/* How long to wait for CPUs to be idle, how often to look, and what counts as idle */
#define IDLE_TIMEOUT_MS	5000
#define IDLE_LOOK_MS	100
#define IDLE_SHARE	0.95

static char *group;
static char complaint[512];

/* Where the unified hierarchy of control groups is mounted; to be freed */
static char *find_cgroups(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent *m;
	char *path = NULL;

	if (!mounts)
		return NULL;
	while (!path && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			path = xstrdup(m->mnt_dir);
	endmntent(mounts);

	return path;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);
	const char *at = list;

	while (at && (at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
		at += length;
	}

	return false;
}

const char *empty_prepare(void)
{
	char *root = find_cgroups(), *controllers = NULL, *enabled = NULL;
	const char *why = NULL;
	int ret = 0;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		why = "there is no other CPU for them";
		goto out;
	}
	if (geteuid()) {
		why = "that needs root";
		goto out;
	}
	if (root)
		controllers = read_file("%s/cgroup.controllers", root);
	if (!controllers || !has_word(controllers, "cpuset")) {
		why = "there is no cpuset controller in version 2 of control groups";
		goto out;
	}

	enabled = read_file("%s/cgroup.subtree_control", root);
	if (!enabled || !has_word(enabled, "cpuset"))
		ret = state_write_undo("+cpuset", "-cpuset", "%s/cgroup.subtree_control", root);
	group = xasprintf("%s/eas-ramp.%d", root, getpid());
	if (!ret)
		ret = state_mkdir("%s", group);
	if (ret) {
		snprintf(complaint, sizeof(complaint), "%s: %s", group, strerror(-ret));
		why = complaint;
		free(group);
		group = NULL;
	}
out:
	free(root);
	free(controllers);
	free(enabled);

	return why;
}

/* Have the group own CPUs. Return: NULL, or why not. */
static const char *own(const char *list)
{
	const char *reason;
	char *state;
	bool valid;
	int ret;

	/* Others may own the CPUs while this one is not a partition. */
	ret = write_file("member", "%s/cpuset.cpus.partition", group);
	if (!ret)
		ret = write_file(list, "%s/cpuset.cpus", group);
	if (!ret)
		ret = write_file("root", "%s/cpuset.cpus.partition", group);
	state = read_file("%s/cpuset.cpus.partition", group);
	valid = !ret && state && !strcmp(state, "root");
	if (!valid) {
		/* It may be "root invalid (reason)". */
		reason = state ? strchr(state, '(') : NULL;
		snprintf(complaint, sizeof(complaint),
			 "other tasks cannot be moved off CPU %s: no valid cpuset partition %s",
			 list, ret ? strerror(-ret) : reason ?: "");
		write_file("member", "%s/cpuset.cpus.partition", group);
	}
	free(state);

	return valid ? NULL : complaint;
}

/* Jiffies since boot in which a CPU was idle, and all of them */
static bool read_idle(int cpu, unsigned long long *idle, unsigned long long *all)
{
	char *stat = read_file("/proc/stat"), *line, name[16];
	unsigned long long value;
	int n, column;

	snprintf(name, sizeof(name), "\ncpu%d ", cpu);
	line = stat ? strstr(stat, name) : NULL;
	*idle = *all = 0;
	if (line)
		line += strlen(name);
	/* user nice system idle iowait irq softirq steal; the rest is part of user and nice */
	for (column = 0; line && column < 8; column++) {
		if (sscanf(line, "%llu%n", &value, &n) != 1)
			break;
		line += n;
		*all += value;
		if (column == 3 || column == 4)
			*idle += value;
	}
	free(stat);

	return *all;
}

/* Return: the share of time that a CPU has been idle lately, when that is enough, or at last. */
static double wait_idle(int cpu)
{
	const struct timespec pause = { .tv_nsec = IDLE_LOOK_MS * 1000000L };
	unsigned long long idle, all, idle_before, all_before;
	double share = 1;
	int left;

	if (!read_idle(cpu, &idle_before, &all_before))
		return 1;
	for (left = IDLE_TIMEOUT_MS / IDLE_LOOK_MS; left; left--) {
		nanosleep(&pause, NULL);
		if (!read_idle(cpu, &idle, &all))
			break;
		/* Without ticks, no time goes by on a CPU that is idle. */
		share = all > all_before ? (double)(idle - idle_before) / (all - all_before) : 1;
		if (share >= IDLE_SHARE)
			break;
		idle_before = idle;
		all_before = all;
	}

	return share;
}

const char *empty_cores(struct measurement *m)
{
	/* CPUs that the group owns, or that it cannot own: it is no use to try again. */
	static char *owned, *refused;
	const char *why = NULL;
	double share;
	char *list;

	m->cgroup = NULL;
	list = format_cpu_list(m->cores);
	if (group && (!refused || strcmp(list, refused))) {
		if (!owned || strcmp(list, owned))
			why = own(list);
		free(why ? refused : owned);
		if (why) {
			refused = xstrdup(list);
			free(owned);
			owned = NULL;
		} else {
			owned = xstrdup(list);
			m->cgroup = group;
		}
	}
	free(list);

	share = wait_idle(m->cpu);
	if (share < IDLE_SHARE && !why) {
		snprintf(complaint, sizeof(complaint),
			 "CPU%d is busy with other tasks for %.0f %% of the time, stop them for "
			 "results that can be relied on", m->cpu, (1 - share) * 100);
		why = complaint;
	}

	return why;
}
