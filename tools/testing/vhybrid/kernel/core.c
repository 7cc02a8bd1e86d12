// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: emulated cpufreq hardware for QEMU TCG, the part common to all
 * vendors.
 *
 * The paravirt CPUID, MSR and halt operations are replaced from an
 * early_param: that is before identify_boot_cpu(), before the other CPUs
 * start, and before alternatives turn the indirect calls into direct ones.
 */
#define pr_fmt(fmt) "vhybrid: " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <asm/cmdline.h>
#include <asm/cpuid/api.h>
#include <asm/msr.h>
#include <asm/paravirt.h>
#include <asm/processor.h>
#include <asm/setup.h>
#include <asm/tsc.h>

#include "vhybrid.h"

/* vh_access() for an MSR that is not emulated */
#define VH_PASS		1

/*
 * An interrupt that ends HLT takes a while to be delivered. The counters must
 * show that: arch_scale_freq_tick() takes an MPERF that stood still as a
 * reason to turn frequency invariance off for good.
 */
#define VH_WAKE_CYCLES	2000
/* Likewise the least that goes by between two reads of the counters. */
#define VH_MIN_CYCLES	256
/* And APERF must not vanish against MPERF, however odd the request. */
#define VH_MIN_SPEED	(VH_SPEED_ONE / 64)

const struct vh_vendor *vh_vendor __ro_after_init;
struct vh_cpu vh_cpus[NR_CPUS];

static const struct vh_vendor * const vh_vendors[] __initconst = {
	&vh_intel,
	&vh_amd,
};

static unsigned int vh_aperf __ro_after_init, vh_mperf __ro_after_init;
static u32 vh_native_max_leaf __ro_after_init;
static char vh_error[128];

/**
 * vh_find_reg() - index of an emulated MSR
 * @addr: MSR number
 *
 * Return: index into vh_vendor->regs, or -1 if it is not emulated.
 */
notrace int vh_find_reg(u32 addr)
{
	const struct vh_reg *regs = vh_vendor->regs;
	unsigned int lo = 0, hi = vh_vendor->nr_regs;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (regs[mid].addr == addr)
			return mid;
		if (regs[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

/**
 * vh_find_reg_name() - index of an emulated MSR by name or number
 * @name: lower-case kernel name without MSR_, or a number as 0x774
 *
 * Return: index into vh_vendor->regs, or -1 if the machine has no such MSR.
 */
int vh_find_reg_name(const char *name)
{
	unsigned int i;
	u32 addr = 0;
	bool number;

	number = !kstrtou32(name, 0, &addr);
	for (i = 0; i < vh_vendor->nr_regs; i++) {
		const struct vh_reg *reg = &vh_vendor->regs[i];

		if (reg->absent)
			continue;
		if (number ? reg->addr == addr : !strcmp(reg->name, name))
			return i;
	}
	return -1;
}

/*
 * The speed goes to @to along a straight line, for @d cycles, the last of them
 * at @to if it gets there. The sum of the speed over these cycles is the area
 * under that line: a trapezium and what follows. No rounding adds up, however
 * often this is done.
 *
 * Return: how far APERF advances.
 */
static __always_inline u64 vh_ramp(struct vh_cpu *c, u32 to, u64 d)
{
	u64 begin = c->fine, end = (u64)to << VH_RAMP_SHIFT, cycles, area;
	bool up = begin < end;

	cycles = (up ? end - begin : begin - end) / c->slope;
	if (d < cycles) {
		cycles = d;
		end = up ? begin + d * c->slope : begin - d * c->slope;
	}
	area = mul_u64_u64_shr(begin + end, cycles, 1 + VH_RAMP_SHIFT + VH_SPEED_SHIFT) +
	       mul_u64_u32_shr(d - cycles, to, VH_SPEED_SHIFT);
	c->fine = end;
	c->speed = end >> VH_RAMP_SHIFT;
	return area;
}

/* Bring APERF and MPERF up to date. On the CPU itself, interrupts off. */
static __always_inline void vh_advance(struct vh_cpu *c)
{
	u64 now = rdtsc();
	s64 d = now - c->last_tsc;

	if (c->halted) {
		c->rested = d;
		d = VH_WAKE_CYCLES;
		c->halted = false;
	} else if (d < VH_MIN_CYCLES) {
		d = VH_MIN_CYCLES;
	}
	c->last_tsc = now;
	c->val[vh_mperf] += d;
	if (likely(!c->slope)) {
		c->val[vh_aperf] += mul_u64_u32_shr(d, c->speed, VH_SPEED_SHIFT);
		return;
	}
	if (c->rested > 0)
		vh_ramp(c, c->low, c->rested);
	c->rested = 0;
	c->val[vh_aperf] += vh_ramp(c, c->target, d);
}

/* After vh_advance(): the registers have changed. */
static notrace void vh_update_speed(struct vh_cpu *c)
{
	u32 target = max(vh_vendor->speed(c), VH_MIN_SPEED), low = target, response = 0;
	u64 cycles, rise;

	if (c->response_us && vh_vendor->response)
		response = vh_vendor->response(c, &low);
	low = max(low, VH_MIN_SPEED);
	cycles = (u64)c->response_us * tsc_khz / 1000 * response / VH_RESPONSE_ONE;
	rise = (u64)target * 95 / 100;

	c->rested = 0;
	c->target = target;
	c->low = low;
	c->slope = 0;
	if (cycles && rise > low)
		c->slope = ((rise - low) << VH_RAMP_SHIFT) / cycles;
	if (!c->slope)
		c->fine = (u64)target << VH_RAMP_SHIFT;
	/* A new lower limit is not waited for. */
	else if (c->fine < (u64)low << VH_RAMP_SHIFT)
		c->fine = (u64)low << VH_RAMP_SHIFT;
	WRITE_ONCE(c->speed, c->fine >> VH_RAMP_SHIFT);
}

/*
 * A virtual CPU can be kept from running between the read of APERF and that
 * of MPERF for much longer than the interval that is being measured. A ratio
 * from counters read at such different times is near 0, which again turns
 * frequency invariance off. So the read of APERF, which all users do first,
 * takes a snapshot of both.
 */
static notrace u64 vh_read_counter(struct vh_cpu *c, unsigned int idx)
{
	if (idx != vh_aperf && c->latched) {
		c->latched = false;
		return c->val[idx];
	}
	vh_advance(c);
	c->latched = idx == vh_aperf;
	/* A request in memory may have changed since. */
	if (vh_vendor->mem)
		vh_update_speed(c);
	return c->val[idx];
}

static notrace int vh_do_access(struct vh_cpu *c, unsigned int idx, bool write, u64 *val)
{
	const struct vh_reg *reg = &vh_vendor->regs[idx];
	bool counter = idx == vh_aperf || idx == vh_mperf;
	int ret;

	if (reg->absent || (write && reg->read_only))
		return -EIO;

	if (!write) {
		if (!counter)
			return vh_vendor->read(c, idx, val);
		*val = vh_read_counter(c, idx);
		return 0;
	}

	/* What ran so far ran at the old speed. */
	vh_advance(c);
	if (counter) {
		c->latched = false;
		WRITE_ONCE(c->val[idx], *val);
		return 0;
	}
	ret = vh_vendor->write(c, idx, *val);
	if (!ret)
		vh_update_speed(c);
	return ret;
}

/*
 * An access without exception handling has faulted. Say so as the kernel does
 * for real MSRs; that is a fault in the driver or in the emulation, unless it
 * was ordered. May run under the scheduler's locks.
 */
static notrace void vh_unchecked(u32 msr, bool write, u64 val, enum vh_fault injected)
{
	static bool said[2];

	if (injected == VH_FAULT_FIRST)
		printk_deferred(KERN_INFO pr_fmt("injected fault of an unchecked %s 0x%x on CPU%d\n"),
				write ? "WRMSR to" : "RDMSR from", msr, raw_smp_processor_id());
	if (injected || said[write])
		return;
	said[write] = true;
	printk_deferred(KERN_WARNING "unchecked MSR access error: %s 0x%x (0x%016llx) in vhybrid, CPU%d\n",
			write ? "WRMSR to" : "RDMSR from", msr, val, raw_smp_processor_id());
}

static notrace int vh_access(u32 msr, bool write, bool safe, u64 *val)
{
	enum vh_fault injected;
	unsigned long flags;
	struct vh_cpu *c;
	u64 *count;
	int idx, ret;

	idx = vh_find_reg(msr);
	if (idx < 0 || vh_vendor->regs[idx].mem)
		return VH_PASS;

	raw_local_irq_save(flags);
	c = &vh_cpus[raw_smp_processor_id()];
	count = write ? &c->writes[idx] : &c->reads[idx];
	WRITE_ONCE(*count, *count + 1);
	injected = vh_fault_hit(raw_smp_processor_id(), idx, write);
	ret = injected ? -EIO : vh_do_access(c, idx, write, val);
	if (ret)
		WRITE_ONCE(c->faults[idx], c->faults[idx] + 1);
	if (ret && !safe)
		vh_unchecked(msr, write, write ? *val : 0, injected);
	raw_local_irq_restore(flags);

	if (ret && !write)
		*val = 0;
	return ret;
}

static notrace u64 vh_read_msr(u32 msr)
{
	u64 val = 0;

	if (vh_access(msr, false, false, &val) == VH_PASS)
		return native_read_msr(msr);
	return val;
}

static notrace int vh_read_msr_safe(u32 msr, u64 *val)
{
	int ret = vh_access(msr, false, true, val);

	return ret == VH_PASS ? native_read_msr_safe(msr, val) : ret;
}

static notrace void vh_write_msr(u32 msr, u64 val)
{
	if (vh_access(msr, true, false, &val) == VH_PASS)
		native_write_msr(msr, val);
}

static notrace int vh_write_msr_safe(u32 msr, u64 val)
{
	int ret = vh_access(msr, true, true, &val);

	return ret == VH_PASS ? native_write_msr_safe(msr, val) : ret;
}

static notrace void vh_cpuid(unsigned int *eax, unsigned int *ebx,
			     unsigned int *ecx, unsigned int *edx)
{
	u32 leaf = *eax, subleaf = *ecx;

	native_cpuid(eax, ebx, ecx, edx);

	/*
	 * Vendors raise the maximum leaf. QEMU answers leaves that it does not
	 * have with its last basic one: blank the gap.
	 */
	if (leaf > vh_native_max_leaf && leaf < 0x40000000)
		*eax = *ebx = *ecx = *edx = 0;

	vh_vendor->cpuid(&vh_cpus[raw_smp_processor_id()], leaf, subleaf, eax, ebx, ecx, edx);
}

/* APERF and MPERF stand still while a CPU is halted. */
static noinstr void vh_safe_halt(void)
{
	struct vh_cpu *c = &vh_cpus[raw_smp_processor_id()];

	vh_advance(c);
	c->halted = true;
	barrier();
	native_safe_halt();
	/*
	 * Interrupts are on, and one may have read the counters already. If
	 * one does right here, it sees a halted CPU, which is as good.
	 */
	if (c->halted) {
		u64 now = rdtsc();

		/* Not more than noted here, or an interrupt could be in its way. */
		c->rested = now - c->last_tsc;
		c->last_tsc = now;
		barrier();
		c->halted = false;
	}
}

/**
 * vh_mem_access() - count an access of a register in memory
 * @cpu: CPU that the register belongs to, whoever accesses it
 * @idx: register
 * @write: not a read
 *
 * Return: 0, or -EIO if the access must fail.
 */
notrace int vh_mem_access(unsigned int cpu, unsigned int idx, bool write)
{
	struct vh_cpu *c = &vh_cpus[cpu];
	u64 *count = write ? &c->writes[idx] : &c->reads[idx];

	/* cpufreq does one at a time for a CPU. */
	WRITE_ONCE(*count, *count + 1);
	if (!vh_fault_hit(cpu, idx, write))
		return 0;
	WRITE_ONCE(c->faults[idx], c->faults[idx] + 1);
	return -EIO;
}

/* ---- Requests from debugfs -------------------------------------------- */

struct vh_request {
	unsigned int	idx;
	u64		val;
};

static void vh_do_poke(struct vh_cpu *c, const struct vh_request *rq)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	vh_advance(c);
	WRITE_ONCE(c->val[rq->idx], rq->val);
	vh_update_speed(c);
	raw_local_irq_restore(flags);
}

static void vh_poke_here(void *data)
{
	vh_do_poke(&vh_cpus[smp_processor_id()], data);
}

/**
 * vh_peek() - contents of an emulated register
 * @cpu: CPU, online or not
 * @idx: register
 *
 * Return: what it holds; nothing is checked or counted.
 */
u64 vh_peek(unsigned int cpu, unsigned int idx)
{
	if (vh_vendor->regs[idx].mem)
		return readl(vh_vendor->mem(cpu, idx));
	return READ_ONCE(vh_cpus[cpu].val[idx]);
}

/**
 * vh_poke() - change an emulated register as if by hardware or another agent
 * @cpu: CPU, online or not
 * @idx: register
 * @val: new contents; nothing is checked or counted
 *
 * Return: 0, -ERANGE if it is too large, or the error of the IPI.
 */
int vh_poke(unsigned int cpu, unsigned int idx, u64 val)
{
	struct vh_request rq = { .idx = idx, .val = val };
	int ret = 0;

	if (vh_vendor->regs[idx].mem) {
		if (val > U32_MAX)
			return -ERANGE;
		writel(val, vh_vendor->mem(cpu, idx));
		return 0;
	}

	cpus_read_lock();
	if (cpu_online(cpu))
		ret = smp_call_function_single(cpu, vh_poke_here, &rq, 1);
	else
		vh_do_poke(&vh_cpus[cpu], &rq);
	cpus_read_unlock();
	return ret;
}

static void vh_do_set_response(struct vh_cpu *c, u32 us)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	vh_advance(c);
	WRITE_ONCE(c->response_us, us);
	vh_update_speed(c);
	raw_local_irq_restore(flags);
}

static void vh_set_response_here(void *data)
{
	vh_do_set_response(&vh_cpus[smp_processor_id()], *(u32 *)data);
}

/**
 * vh_set_response() - how long the hardware takes to change speed
 * @cpu: CPU, online or not
 * @us: time to 95 % of the speed after idle, in us, where vh_vendor::response is
 *	VH_RESPONSE_ONE; 0: none
 *
 * Return: 0, -ERANGE if it is more than 10 s, or the error of the IPI.
 */
int vh_set_response(unsigned int cpu, u64 us)
{
	u32 value = us;
	int ret = 0;

	if (us > 10 * USEC_PER_SEC)
		return -ERANGE;

	cpus_read_lock();
	if (cpu_online(cpu))
		ret = smp_call_function_single(cpu, vh_set_response_here, &value, 1);
	else
		vh_do_set_response(&vh_cpus[cpu], value);
	cpus_read_unlock();
	return ret;
}

static void vh_do_reset_access(struct vh_cpu *c)
{
	memset(c->reads, 0, sizeof(c->reads));
	memset(c->writes, 0, sizeof(c->writes));
	memset(c->faults, 0, sizeof(c->faults));
}

static void vh_reset_access_here(void *data)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	vh_do_reset_access(&vh_cpus[smp_processor_id()]);
	raw_local_irq_restore(flags);
}

/** vh_reset_access() - zero the access counters of all CPUs */
void vh_reset_access(void)
{
	unsigned int cpu;

	cpus_read_lock();
	on_each_cpu(vh_reset_access_here, NULL, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			vh_do_reset_access(&vh_cpus[cpu]);
	cpus_read_unlock();
}

static void vh_notify_here(void *data)
{
	vh_vendor->notify(&vh_cpus[smp_processor_id()]);
}

/**
 * vh_notify() - raise the "capabilities changed" interrupt
 * @cpu: CPU
 *
 * Return: 0, -EOPNOTSUPP if the hardware has no such interrupt, or the error
 * of the IPI that stands in for it (-ENXIO: the CPU is offline).
 */
int vh_notify(unsigned int cpu)
{
	if (!vh_vendor->notify)
		return -EOPNOTSUPP;
	return smp_call_function_single(cpu, vh_notify_here, NULL, 1);
}

/* ---- Set-up ------------------------------------------------------------ */

#define vh_fail(fmt, ...)							\
	({									\
		snprintf(vh_error, sizeof(vh_error), fmt, ##__VA_ARGS__);	\
		-EINVAL;							\
	})

static int __init vh_parse_options(const struct vh_vendor *v)
{
	static char buf[128] __initdata;
	char *p = buf, *tok;
	int len;

	len = cmdline_find_option(boot_command_line, "vhybrid_opts", buf, sizeof(buf));
	if (len < 0)
		return 0;
	if (len >= sizeof(buf))
		return vh_fail("vhybrid_opts= is too long");

	while ((tok = strsep(&p, ","))) {
		char *name = strsep(&tok, "=");

		if (v->option(name, tok))
			return vh_fail("bad option '%.32s' in vhybrid_opts=", name);
	}
	return 0;
}

static int __init vh_check_regs(const struct vh_vendor *v)
{
	unsigned int i;

	if (v->nr_regs > VH_MAX_REGS)
		return vh_fail("more than %d registers", VH_MAX_REGS);
	for (i = 1; i < v->nr_regs; i++)
		if (v->regs[i - 1].addr >= v->regs[i].addr)
			return vh_fail("register %s is out of order", v->regs[i].name);
	return 0;
}

static int __init vh_setup_machine(char *str)
{
	const struct vh_vendor *v = NULL;
	char *machine = strsep(&str, ",");
	const char *types = str, *why;
	unsigned int i;
	int ret;
	u32 b, c = 0, d;

	for (i = 0; i < ARRAY_SIZE(vh_vendors) && !v; i++)
		if (vh_vendors[i]->setup(machine))
			v = vh_vendors[i];
	if (!v)
		return vh_fail("unknown machine '%.32s'", machine);
	if (!types || !*types)
		return vh_fail("no core types, want vhybrid=MACHINE,CORES");

	ret = vh_check_regs(v) ?: vh_parse_options(v);
	if (ret)
		return ret;
	why = v->check();
	if (why)
		return vh_fail("%s: %s", machine, why);
	if (strlen(types) > NR_CPUS)
		return vh_fail("more than %d core types", NR_CPUS);
	for (i = 0; types[i]; i++)
		if (!v->valid_type(types[i]))
			return vh_fail("%s has no cores of type '%c'", machine, types[i]);

	vh_vendor = v;
	vh_aperf = vh_find_reg(MSR_IA32_APERF);
	vh_mperf = vh_find_reg(MSR_IA32_MPERF);

	/* CPUs beyond the pattern are like its last one. */
	for (i = 0; i < NR_CPUS; i++) {
		struct vh_cpu *cpu = &vh_cpus[i];

		cpu->type = *types;
		if (types[1])
			types++;
		v->init_cpu(cpu);
		vh_update_speed(cpu);
		cpu->last_tsc = rdtsc();
	}

	vh_native_max_leaf = 0;
	native_cpuid(&vh_native_max_leaf, &b, &c, &d);
	return 0;
}

static int __init vh_setup(char *str)
{
	static char buf[160] __initdata;
	int ret;

	if (!str || strscpy(buf, str, sizeof(buf)) < 0)
		ret = vh_fail("want vhybrid=MACHINE,CORES");
	else
		ret = vh_setup_machine(buf);
	if (ret)
		return ret;

	pv_ops.cpu.cpuid		= vh_cpuid;
	pv_ops.cpu.read_msr		= vh_read_msr;
	pv_ops.cpu.read_msr_safe	= vh_read_msr_safe;
	pv_ops.cpu.write_msr		= vh_write_msr;
	pv_ops.cpu.write_msr_safe	= vh_write_msr_safe;
	pv_ops.irq.safe_halt		= vh_safe_halt;
	vh_init_tsc();

	pr_info("emulating %s (TEST ONLY)\n", str);
	return 0;
}
early_param("vhybrid", vh_setup);

/*
 * A test on a machine other than the one that was asked for proves nothing:
 * stop, but not before the console is there to say why.
 */
static int __init vh_report(void)
{
	const char *why;

	if (vh_vendor && vh_vendor->init) {
		why = vh_vendor->init();
		if (why)
			strscpy(vh_error, why);
	}
	if (vh_error[0])
		panic("vhybrid: %s", vh_error);
	return 0;
}
early_initcall(vh_report);
