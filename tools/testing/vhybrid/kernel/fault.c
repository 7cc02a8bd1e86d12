// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: faults injected into accesses of emulated MSRs.
 *
 * Rules are looked at with interrupts off, under any lock, so the reader side
 * takes none: a slot is filled before it is made active, and refilled only
 * after a grace period.
 */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "vhybrid.h"

#define VH_MAX_RULES	64

struct vh_rule {
	bool		active;
	bool		write;
	int		cpu;		/* -1: all */
	unsigned int	idx;
	u64		skip;
	u64		count;		/* U64_MAX: until cleared */
	atomic64_t	seen;		/* matching accesses so far */
};

static struct vh_rule vh_rules[VH_MAX_RULES];
static unsigned int vh_nr_rules;
static DEFINE_MUTEX(vh_rules_mutex);

/**
 * vh_fault_hit() - must this access fault?
 * @cpu: CPU that does the access
 * @idx: register
 * @write: WRMSR, not RDMSR
 *
 * Every rule that matches counts the access.
 *
 * Return: VH_NO_FAULT, VH_FAULT, or VH_FAULT_FIRST if it is the first fault
 * that a rule caused.
 */
notrace enum vh_fault vh_fault_hit(unsigned int cpu, unsigned int idx, bool write)
{
	unsigned int i, nr = smp_load_acquire(&vh_nr_rules);
	enum vh_fault ret = VH_NO_FAULT;

	for (i = 0; i < nr; i++) {
		struct vh_rule *r = &vh_rules[i];
		u64 seen;

		if (!smp_load_acquire(&r->active) || r->write != write ||
		    r->idx != idx || (r->cpu >= 0 && r->cpu != cpu))
			continue;
		seen = raw_atomic64_fetch_inc(&r->seen);
		if (seen < r->skip || seen - r->skip >= r->count)
			continue;
		if (seen == r->skip)
			ret = VH_FAULT_FIRST;
		else if (!ret)
			ret = VH_FAULT;
	}
	return ret;
}

/**
 * vh_fault_add() - make accesses of a register fault
 * @cpu: CPU, or -1 for all (which then are counted together)
 * @write: WRMSR, not RDMSR
 * @idx: register
 * @skip: number of accesses to let through first
 * @count: number of accesses to fail then, U64_MAX for all
 *
 * Return: 0, or -ENOSPC if there are too many rules.
 */
int vh_fault_add(int cpu, bool write, unsigned int idx, u64 skip, u64 count)
{
	struct vh_rule *r;

	guard(mutex)(&vh_rules_mutex);

	if (vh_nr_rules == VH_MAX_RULES)
		return -ENOSPC;

	r = &vh_rules[vh_nr_rules];
	r->cpu = cpu;
	r->write = write;
	r->idx = idx;
	r->skip = skip;
	r->count = count;
	atomic64_set(&r->seen, 0);
	smp_store_release(&r->active, true);
	smp_store_release(&vh_nr_rules, vh_nr_rules + 1);
	return 0;
}

/** vh_fault_clear() - remove all rules */
void vh_fault_clear(void)
{
	unsigned int i;

	guard(mutex)(&vh_rules_mutex);

	for (i = 0; i < vh_nr_rules; i++)
		WRITE_ONCE(vh_rules[i].active, false);
	smp_store_release(&vh_nr_rules, 0);
	synchronize_rcu();
}

/**
 * vh_fault_show() - list the rules
 * @m: where to
 */
void vh_fault_show(struct seq_file *m)
{
	unsigned int i;

	guard(mutex)(&vh_rules_mutex);

	for (i = 0; i < vh_nr_rules; i++) {
		const struct vh_rule *r = &vh_rules[i];

		if (r->cpu < 0)
			seq_puts(m, "all");
		else
			seq_printf(m, "%d", r->cpu);
		seq_printf(m, " %s %s %llu", r->write ? "write" : "read",
			   vh_vendor->regs[r->idx].name, r->skip);
		if (r->count != U64_MAX)
			seq_printf(m, " %llu", r->count);
		seq_printf(m, " seen=%lld\n", atomic64_read(&r->seen));
	}
}
