// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: what the scheduler makes of it all, /sys/kernel/debug/vhybrid/eas.
 *
 * Whether Energy-Aware Scheduling is in use is not visible in user space, only
 * whether it could be.
 */

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpufreq.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

/* For root domains: nothing outside of the scheduler gets to see them. */
#include "../../../kernel/sched/sched.h"

#include "vhybrid.h"

static atomic_t vh_rebuilds = ATOMIC_INIT(0);

static int vh_count_rebuild(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&vh_rebuilds);
	return 0;
}

/* All paths that rebuild sched domains meet in there. */
static struct kprobe vh_rebuild_probe = {
	.symbol_name = "partition_sched_domains",
	.pre_handler = vh_count_rebuild,
};

/*
 * "enabled 0|1", "rebuilds N", a line "rd CPUS pd 0|1" per root domain, and a line
 * "cpuN ready 0|1" per CPU: does cpufreq think that EAS may rely on its policy?
 */
static int eas_show(struct seq_file *m, void *unused)
{
	struct root_domain *rd;
	int cpu, other;

	seq_printf(m, "enabled %d\n", sched_energy_enabled());
	seq_printf(m, "rebuilds %d\n", atomic_read(&vh_rebuilds));

	cpus_read_lock();
	rcu_read_lock();
	for_each_online_cpu(cpu) {
		rd = cpu_rq(cpu)->rd;
		/* Only for the first CPU in it. */
		for_each_online_cpu(other)
			if (cpu_rq(other)->rd == rd)
				break;
		if (other == cpu)
			seq_printf(m, "rd %*pbl pd %d\n", cpumask_pr_args(rd->span),
				   !!rcu_access_pointer(rd->pd));
	}
	rcu_read_unlock();
	for_each_online_cpu(cpu)
		seq_printf(m, "cpu%d ready %d\n", cpu, cpufreq_ready_for_eas(cpumask_of(cpu)));
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(eas);

/**
 * vh_eas_init - create the file
 * @root: directory to create it in
 */
void __init vh_eas_init(struct dentry *root)
{
	int ret = register_kprobe(&vh_rebuild_probe);

	if (ret)
		pr_err("vhybrid: rebuilds of sched domains are not counted: %d\n", ret);
	debugfs_create_file("eas", 0444, root, NULL, &eas_fops);
}
