/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting mode, governor and EPP, and putting back what was there before, whatever happens.
 *
 * The order of writing matters: governor performance refuses most EPPs, so EPP is set with
 * another governor in effect. While that governor is in effect, the EPP that will come back
 * after it cannot be read: it is, right after the governor has been changed for the first time.
 */
#ifndef CPUFREQ_EAS_STATE_H
#define CPUFREQ_EAS_STATE_H

#include <sched.h>
#include <stdbool.h>

struct config {
	char mode[16];		/* "" if there is only one */
	char governor[32];
	char epp[48];		/* "" if there is none in this mode and with this governor */
};

/*
 * state_guard() - from now on, put everything back that is changed with functions here
 *
 * To be called once, before anything else here. Another process waits for this one to
 * end, however it does (SIGKILL included), and then undoes what is left to be undone; it
 * ignores signals that a terminal sends, and SIGTERM. It is not a child that wait(2) finds.
 * State that is not there any more (a CPU that has gone) is skipped with a warning.
 *
 * Exit and signals that end this process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, unless ignored)
 * return after everything has been put back. Programs that handle these signals themselves
 * install their handlers afterwards. Child processes of this one undo nothing.
 */
void state_guard(void);

/* state_restore() - put everything back now. Return: false if something did not work. */
bool state_restore(void);

/*
 * state_configs() - all combinations that this machine offers
 * @configs: to be freed
 *
 * Modes of intel_pstate and amd_pstate (but not "off" and "disable"), all governors but
 * userspace, and the EPP words offered (but not "default", "dynamic" and "custom", which stand
 * for one of the others or for a number); no EPP where it makes no difference.
 *
 * What there is in a mode can only be seen in it. If the mode can be changed, the first call
 * of this or state_parse_config() goes through all of them and returns to the original state;
 * if not, only the present mode is there. To be called before state_set() for that reason.
 *
 * Return: how many; 0 without cpufreq.
 */
int state_configs(struct config **configs);

/*
 * state_parse_config() - "active/powersave/balance_performance", "passive/schedutil",
 *			  "schedutil": parts from the left may be missing, EPP too
 *
 * A missing mode is the present one if it has this governor. A missing EPP is the present one,
 * if all CPUs have the same.
 *
 * Return: NULL if it is one that this machine offers, else why not, in one line that begins
 * with it, valid until the next call.
 */
const char *state_parse_config(const char *string, struct config *config);

/* The same string, to be freed. */
char *state_format_config(const struct config *config);

/*
 * state_set() - on all online CPUs
 *
 * Return: NULL, or what has failed, in one line, valid until the next call. What has been
 * changed up to there is only undone by state_restore().
 */
const char *state_set(const struct config *config);

/*
 * state_write() - write a file of sysfs or procfs, having noted what it held before
 *
 * For anything else that is to be put back: CPU hotplug, cpusets, sysctls.
 *
 * Return: 0 or -errno.
 */
int state_write(const char *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * state_write_undo() - the same for files that do not read back as they are written
 * @undo: what to write into it to undo that, if it does not hold this already
 */
int state_write_undo(const char *value, const char *undo, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * state_mkdir() - make a directory that is to be removed, a control group for instance
 *
 * Return: 0 or -errno.
 */
int state_mkdir(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
