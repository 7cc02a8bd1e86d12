// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: /sys/kernel/debug/vhybrid, the outside view of the emulated
 * hardware. README.rst in tools/testing/vhybrid describes the files.
 */
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/energy_model.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "vhybrid.h"

/* A register file's private data: CPU and register in one pointer. */
#define REG_DATA(cpu, idx)	((void *)(unsigned long)((cpu) * VH_MAX_REGS + (idx)))
#define DATA_CPU(data)		((unsigned long)(data) / VH_MAX_REGS)
#define DATA_IDX(data)		((unsigned long)(data) % VH_MAX_REGS)

/* Get a line from user space without the white space around it. */
static int vh_get_line(char *buf, size_t size, const char __user *ubuf, size_t count,
		       char **line)
{
	if (!count || count >= size)
		return -EINVAL;
	if (copy_from_user(buf, ubuf, count))
		return -EFAULT;
	buf[count] = '\0';
	*line = strim(buf);
	return **line ? 0 : -EINVAL;
}

/* CPU number or "all", which is -1 */
static int vh_get_cpu(const char *s, int *cpu)
{
	unsigned int nr;

	if (!s)
		return -EINVAL;
	if (!strcmp(s, "all")) {
		*cpu = -1;
		return 0;
	}
	if (kstrtouint(s, 10, &nr))
		return -EINVAL;
	if (nr >= nr_cpu_ids || !cpu_possible(nr))
		return -ENXIO;
	*cpu = nr;
	return 0;
}

static int machine_show(struct seq_file *m, void *v)
{
	unsigned int cpu;

	vh_vendor->describe(m);
	seq_puts(m, ", cores ");
	for_each_possible_cpu(cpu)
		seq_putc(m, vh_cpus[cpu].type);
	seq_putc(m, '\n');
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(machine);

static int type_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%c\n", vh_cpus[(unsigned long)m->private].type);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(type);

static int access_show(struct seq_file *m, void *v)
{
	const struct vh_cpu *c = &vh_cpus[(unsigned long)m->private];
	unsigned int i;

	for (i = 0; i < vh_vendor->nr_regs; i++) {
		const struct vh_reg *reg = &vh_vendor->regs[i];

		if (!reg->absent)
			seq_printf(m, "%s 0x%x reads=%llu writes=%llu faults=%llu\n",
				   reg->name, reg->addr, READ_ONCE(c->reads[i]),
				   READ_ONCE(c->writes[i]), READ_ONCE(c->faults[i]));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(access);

static int reg_show(struct seq_file *m, void *v)
{
	unsigned int idx = DATA_IDX(m->private);

	seq_printf(m, "0x%0*llx\n", vh_vendor->regs[idx].mem ? 8 : 16,
		   vh_peek(DATA_CPU(m->private), idx));
	return 0;
}

static int reg_open(struct inode *inode, struct file *file)
{
	return single_open(file, reg_show, inode->i_private);
}

static ssize_t reg_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	void *data = file_inode(file)->i_private;
	u64 val;
	int ret;

	ret = kstrtou64_from_user(ubuf, count, 0, &val);
	if (!ret)
		ret = vh_poke(DATA_CPU(data), DATA_IDX(data), val);
	return ret ?: count;
}

static const struct file_operations reg_fops = {
	.open		= reg_open,
	.read		= seq_read,
	.write		= reg_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int response_get(void *data, u64 *us)
{
	*us = READ_ONCE(vh_cpus[(unsigned long)data].response_us);
	return 0;
}

static int response_set(void *data, u64 us)
{
	return vh_set_response((unsigned long)data, us);
}
DEFINE_SIMPLE_ATTRIBUTE(response_fops, response_get, response_set, "%llu\n");

static ssize_t reset_access_write(struct file *file, const char __user *ubuf, size_t count,
				  loff_t *ppos)
{
	vh_reset_access();
	return count;
}

static const struct file_operations reset_access_fops = {
	.write = reset_access_write,
};

static int fail_show(struct seq_file *m, void *v)
{
	vh_fault_show(m);
	return 0;
}

static int fail_open(struct inode *inode, struct file *file)
{
	return single_open(file, fail_show, NULL);
}

/* "clear", or "CPU|all read|write REGISTER [SKIP [COUNT]]" */
static ssize_t fail_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	char buf[96], *line, *word[5] = {}, *w;
	u64 skip = 0, nr = U64_MAX;
	int cpu, idx, ret;
	unsigned int n = 0;
	bool write;

	ret = vh_get_line(buf, sizeof(buf), ubuf, count, &line);
	if (ret)
		return ret;

	if (!strcmp(line, "clear")) {
		vh_fault_clear();
		return count;
	}

	while ((w = strsep(&line, " \t"))) {
		if (!*w)
			continue;
		if (n == ARRAY_SIZE(word))
			return -EINVAL;
		word[n++] = w;
	}
	if (n < 3)
		return -EINVAL;

	ret = vh_get_cpu(word[0], &cpu);
	if (ret)
		return ret;
	write = !strcmp(word[1], "write");
	if (!write && strcmp(word[1], "read"))
		return -EINVAL;
	idx = vh_find_reg_name(word[2]);
	if (idx < 0)
		return -ENOENT;
	if ((word[3] && kstrtou64(word[3], 0, &skip)) || (word[4] && kstrtou64(word[4], 0, &nr)))
		return -EINVAL;

	return vh_fault_add(cpu, write, idx, skip, nr) ?: count;
}

static const struct file_operations fail_fops = {
	.open		= fail_open,
	.read		= seq_read,
	.write		= fail_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* ABBA: harmless here, as nobody else takes these, but lockdep must object. */
static void control_lockdep(void)
{
	static DEFINE_MUTEX(vh_lock_a);
	static DEFINE_MUTEX(vh_lock_b);

	mutex_lock(&vh_lock_a);
	mutex_lock(&vh_lock_b);
	mutex_unlock(&vh_lock_b);
	mutex_unlock(&vh_lock_a);

	mutex_lock(&vh_lock_b);
	mutex_lock(&vh_lock_a);
	mutex_unlock(&vh_lock_a);
	mutex_unlock(&vh_lock_b);
}

static int control_notify(const char *arg)
{
	int cpu, nr, ret;

	ret = vh_get_cpu(arg, &cpu);
	if (ret)
		return ret;
	if (cpu >= 0)
		return vh_notify(cpu);
	for_each_online_cpu(nr) {
		ret = vh_notify(nr);
		/* A CPU that has just gone offline needs no interrupt. */
		if (ret && ret != -ENXIO)
			return ret;
	}
	return 0;
}

static ssize_t control_write(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	char buf[32], *line, *cmd;
	int ret;

	ret = vh_get_line(buf, sizeof(buf), ubuf, count, &line);
	if (ret)
		return ret;

	cmd = strsep(&line, " ");
	if (!strcmp(cmd, "warn"))
		WARN(1, "vhybrid: this warning was asked for\n");
	else if (!strcmp(cmd, "lockdep"))
		control_lockdep();
	else if (!strcmp(cmd, "notify"))
		ret = control_notify(line);
	else if (!strcmp(cmd, "settle"))
		vh_eas_settle();
	else if (!strcmp(cmd, "rebuild"))
		vh_eas_rebuild();
	else if (!strcmp(cmd, "request"))
		em_rebuild_sched_domains();
	else if (!strcmp(cmd, "unfiltered"))
		ret = vh_eas_unfiltered();
	else
		ret = -EINVAL;
	return ret ?: count;
}

static const struct file_operations control_fops = {
	.write = control_write,
};

static int __init vh_debugfs_init(void)
{
	struct dentry *root, *dir;
	unsigned int cpu, i;
	char name[16];

	if (!vh_vendor)
		return 0;

	root = debugfs_create_dir("vhybrid", NULL);
	debugfs_create_file("machine", 0444, root, NULL, &machine_fops);
	debugfs_create_file("reset_access", 0200, root, NULL, &reset_access_fops);
	debugfs_create_file("fail", 0600, root, NULL, &fail_fops);
	debugfs_create_file("control", 0200, root, NULL, &control_fops);
	vh_eas_init(root);

	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		dir = debugfs_create_dir(name, root);
		debugfs_create_file("type", 0444, dir, (void *)(unsigned long)cpu, &type_fops);
		debugfs_create_file("access", 0444, dir, (void *)(unsigned long)cpu, &access_fops);
		if (vh_vendor->response)
			debugfs_create_file("response_us", 0600, dir, (void *)(unsigned long)cpu,
					    &response_fops);
		for (i = 0; i < vh_vendor->nr_regs; i++)
			if (!vh_vendor->regs[i].absent)
				debugfs_create_file(vh_vendor->regs[i].name, 0600, dir,
						    REG_DATA(cpu, i), &reg_fops);
	}
	return 0;
}
late_initcall(vh_debugfs_init);
