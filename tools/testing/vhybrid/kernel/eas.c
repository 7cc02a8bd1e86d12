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
#include <linux/energy_model.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/sched/topology.h>
#include <linux/seq_file.h>
#include <linux/workqueue.h>

/* For root domains: nothing outside of the scheduler gets to see them. */
#include "../../../kernel/sched/sched.h"

#include "vhybrid.h"

static atomic_t vh_rebuilds = ATOMIC_INIT(0);

/* Start and end of the last one, under sched_domains_mutex. */
static ktime_t vh_rebuild_start, vh_rebuild_end;

static int vh_rebuild_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&vh_rebuilds);
	*(ktime_t *)ri->data = ktime_get();
	return 0;
}

static int vh_rebuild_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	WRITE_ONCE(vh_rebuild_start, *(ktime_t *)ri->data);
	WRITE_ONCE(vh_rebuild_end, ktime_get());
	return 0;
}

/* All paths that rebuild sched domains meet in there. */
static struct kretprobe vh_rebuild_probe = {
	.kp.symbol_name = "partition_sched_domains",
	.entry_handler = vh_rebuild_enter,
	.handler = vh_rebuild_leave,
	.data_size = sizeof(ktime_t),
};

/*
 * What a gate without filters does, to compare with: rebuild sched domains whenever
 * the compatibility of a policy changes, which is when this function is called.
 */
static int vh_unfiltered(struct kprobe *p, struct pt_regs *regs)
{
	em_rebuild_sched_domains();
	return 0;
}

static struct kprobe vh_unfiltered_probe = {
	.symbol_name = "sched_energy_affected",
	.pre_handler = vh_unfiltered,
};

/**
 * vh_eas_unfiltered - rebuild sched domains on each change, from now on
 *
 * Return: 0, or a negative error code if the kernel does not have what it takes.
 */
int vh_eas_unfiltered(void)
{
	return register_kprobe(&vh_unfiltered_probe);
}

/**
 * vh_eas_settle - wait for requested rebuilds of sched domains
 *
 * Both workqueues are used for that, which one depends on the kernel.
 */
void vh_eas_settle(void)
{
	__flush_workqueue(system_percpu_wq);
	__flush_workqueue(system_freezable_wq);
}

/**
 * vh_eas_rebuild - rebuild sched domains, whatever their state is
 */
void vh_eas_rebuild(void)
{
	vh_eas_settle();
	rebuild_sched_domains_energy();
}

/*
 * "enabled 0|1", "rebuilds N", "last START END" of them in ns, a line "rd CPUS pd 0|1"
 * per root domain, and a line "cpuN ready 0|1" per CPU: does cpufreq think that EAS
 * may rely on its policy?
 */
static int eas_show(struct seq_file *m, void *unused)
{
	struct root_domain *rd;
	int cpu, other;

	seq_printf(m, "enabled %d\n", sched_energy_enabled());
	seq_printf(m, "rebuilds %d\n", atomic_read(&vh_rebuilds));
	seq_printf(m, "last %lld %lld\n", ktime_to_ns(READ_ONCE(vh_rebuild_start)),
		   ktime_to_ns(READ_ONCE(vh_rebuild_end)));

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
	int ret = register_kretprobe(&vh_rebuild_probe);

	if (ret)
		pr_err("vhybrid: rebuilds of sched domains are not counted: %d\n", ret);
	debugfs_create_file("eas", 0444, root, NULL, &eas_fops);
}
