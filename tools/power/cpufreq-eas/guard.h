/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of what is to be put back, for state.c only. Others use state.h.
 */
#ifndef CPUFREQ_EAS_GUARD_H
#define CPUFREQ_EAS_GUARD_H

#include <stdbool.h>

enum kind {
	FILE_ITEM,
	DIRECTORY,	/* to be removed */
	/* Those of cpufreq: */
	MODE,
	OPTIONAL,	/* a file that may have gone for a reason that is known */
	POLICY,
};

/* What an item consists of, beside its kind. Only policies have more than a value. */
enum { PATH, VALUE, EPP, MIN, MAX, NR_TEXTS };
#define GOVERNOR	VALUE

struct item {
	enum kind kind;
	char *text[NR_TEXTS];
	struct item *older;
};

/*
 * guard_note() - add an item to the list, or change it; NULL is ""
 *
 * Only then may it be changed. Return: 0 or -errno.
 */
int guard_note(enum kind kind, const char *const text[NR_TEXTS]);

/* guard_noted() - is there an item of this kind, or of this path if it is not NULL? */
bool guard_noted(enum kind kind, const char *path);

/* guard_undo() - undo the items, or those of cpufreq only, but keep them in the list */
bool guard_undo(bool only_cpufreq);

/* In state.c: undo an item that is a POLICY. Return: false if something did not work. */
bool state_undo_policy(const struct item *item);

#endif
