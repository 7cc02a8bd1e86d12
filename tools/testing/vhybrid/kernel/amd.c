// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: emulated AMD cpufreq hardware: CPPC in MSRs or in memory; core
 * types and ranks.
 *
 * The _CPC objects that describe it to the kernel are made by cppc-tables,
 * which has the addresses of the registers in memory and the nominal
 * frequencies as well.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/error-injection.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/panic.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include <acpi/cppc_acpi.h>

#include <asm/cpu_device_id.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "vhybrid.h"

/* CPPC in memory: so much for each CPU from there on; see cppc-tables. */
#define MEM_BASE		0x00f00000
#define MEM_STRIDE		0x80

/* CPUID 0x80000007 */
#define LEAFX7_EDX_HWPSTATE	BIT(7)
#define LEAFX7_EDX_INVARIANT	BIT(8)
#define LEAFX7_EDX_CPB		BIT(9)
#define LEAFX7_EDX_PERF_PRIO	BIT(16)
/* CPUID 0x80000008 */
#define LEAFX8_EBX_CPPC		BIT(27)
/* CPUID 0x80000026: topology, with the kind of core in sub-leaf 0 */
#define LEAF_TOPOLOGY		0x80000026
#define LEAFX26_EAX_HETERO	BIT(30)
#define LEAFX26_EBX_EFFICIENCY	BIT(28)

#define HWCR_TSC_FREQ_SEL	BIT_ULL(24)

/* Perf levels of a core type. The best cores rank @highest, others lower. */
struct amd_core {
	u8	highest, nominal, nonlinear, lowest;
	u8	rank_step;
};

struct amd_machine {
	const char	*name;
	u32		vfm;
	u8		pm_profile;
	bool		in_memory;	/* CPPC, in place of MSRs */
	bool		hetero;		/* CPUID tells the core types */
	struct amd_core	p, e, c;
};

static const struct amd_machine amd_machines[] = {
	{
		/* 2.0 GHz, P-cores up to 5.1 GHz, E-cores up to 3.3 GHz */
		.name		= "strix-point",
		.vfm		= VFM_MAKE(X86_VENDOR_AMD, 0x1a, 0x24),
		.pm_profile	= PM_MOBILE,
		.hetero		= true,
		.p		= { 196, 77, 43, 23, 2 },
		.e		= { 127, 77, 43, 23, 0 },
	}, {
		/* 2.6 GHz, up to 4.0 GHz */
		.name		= "epyc",
		.vfm		= VFM_MAKE(X86_VENDOR_AMD, 0x1a, 0x02),
		.pm_profile	= PM_ENTERPRISE_SERVER,
		.c		= { 200, 130, 75, 35, 0 },
	}, {
		/*
		 * 3.6 GHz, up to 4.4 GHz. There never was one with two types
		 * of cores, so CPUID does not tell; E-cores have a lower rank.
		 */
		.name		= "amd-shmem",
		.vfm		= VFM_MAKE(X86_VENDOR_AMD, 0x17, 0x71),
		.pm_profile	= PM_DESKTOP,
		.in_memory	= true,
		.p		= { 166, 136, 64, 23, 4 },
		.e		= { 141, 136, 64, 23, 0 },
	},
};

enum {
	R_PATCH_LEVEL,
	R_MPERF,
	R_APERF,
	R_HWCR,
	R_PERF_CTL,
	R_PERF_STATUS,
	R_CAP1,
	R_ENABLE,
	R_CAP2,
	R_REQ,
	R_STATUS,
	R_REQ2,
	/* in memory */
	M_HIGHEST,
	M_NOMINAL,
	M_NONLINEAR,
	M_LOWEST,
	M_GUARANTEED,
	M_DESIRED,
	M_MIN,
	M_MAX,
	M_LIMITED,
	M_ENABLE,
	M_AUTO_SEL,
	M_EPP,
	NR_AMD_REGS
};

static_assert(NR_AMD_REGS <= VH_MAX_REGS);

#define AMD_MEM_REG(reg, nm, ...)	\
	[reg] = { nm, VH_MEM_ADDR(4 * ((reg) - M_HIGHEST)), .mem = true, ##__VA_ARGS__ }

static struct vh_reg amd_regs[NR_AMD_REGS] __ro_after_init = {
	[R_PATCH_LEVEL]	= { "amd64_patch_level", MSR_AMD64_PATCH_LEVEL, .read_only = true },
	[R_MPERF]	= { "ia32_mperf", MSR_IA32_MPERF },
	[R_APERF]	= { "ia32_aperf", MSR_IA32_APERF },
	[R_HWCR]	= { "k7_hwcr", MSR_K7_HWCR },
	[R_PERF_CTL]	= { "amd_perf_ctl", MSR_AMD_PERF_CTL },
	[R_PERF_STATUS]	= { "amd_perf_status", MSR_AMD_PERF_STATUS, .read_only = true },
	[R_CAP1]	= { "amd_cppc_cap1", MSR_AMD_CPPC_CAP1, .read_only = true },
	[R_ENABLE]	= { "amd_cppc_enable", MSR_AMD_CPPC_ENABLE },
	[R_CAP2]	= { "amd_cppc_cap2", MSR_AMD_CPPC_CAP2, .read_only = true },
	[R_REQ]		= { "amd_cppc_req", MSR_AMD_CPPC_REQ },
	[R_STATUS]	= { "amd_cppc_status", MSR_AMD_CPPC_STATUS },
	[R_REQ2]	= { "amd_cppc_req2", MSR_AMD_CPPC_REQ2 },
	AMD_MEM_REG(M_HIGHEST, "highest_perf"),
	AMD_MEM_REG(M_NOMINAL, "nominal_perf"),
	AMD_MEM_REG(M_NONLINEAR, "lowest_nonlinear_perf"),
	AMD_MEM_REG(M_LOWEST, "lowest_perf"),
	AMD_MEM_REG(M_GUARANTEED, "guaranteed_perf"),
	AMD_MEM_REG(M_DESIRED, "desired_perf"),
	AMD_MEM_REG(M_MIN, "min_perf"),
	AMD_MEM_REG(M_MAX, "max_perf"),
	AMD_MEM_REG(M_LIMITED, "perf_limited"),
	AMD_MEM_REG(M_ENABLE, "enable"),
	AMD_MEM_REG(M_AUTO_SEL, "auto_sel"),
	AMD_MEM_REG(M_EPP, "energy_perf"),
};

static const struct amd_machine *machine __ro_after_init;
static u8 reset_epp __ro_after_init = 0x80;
static u8 reset_min __ro_after_init;
static bool has_floor __ro_after_init;
static u32 native_max_leaf __ro_after_init;
static void __iomem *mem __ro_after_init;

static const struct amd_core *core_of(char type)
{
	switch (type) {
	case 'P': return &machine->p;
	case 'E': return &machine->e;
	default:  return &machine->c;
	}
}

/* A few steps of rank among the cores of a type, as in real parts. */
static u8 amd_rank(const struct vh_cpu *c)
{
	const struct amd_core *core = core_of(c->type);

	return core->highest - (c - vh_cpus) % 4 * core->rank_step;
}

static notrace u32 __iomem *amd_mem(unsigned int cpu, unsigned int idx)
{
	return mem ? mem + cpu * MEM_STRIDE + 4 * (idx - M_HIGHEST) : NULL;
}

static bool __init amd_setup(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(amd_machines); i++) {
		if (strcmp(amd_machines[i].name, name))
			continue;
		machine = &amd_machines[i];
		for (i = R_CAP1; i < NR_AMD_REGS; i++)
			amd_regs[i].absent = amd_regs[i].mem != machine->in_memory;
		amd_regs[R_REQ2].absent = true;
		return true;
	}
	return false;
}

static int __init amd_option(const char *name, const char *value)
{
	if (!strcmp(name, "epp"))	/* what firmware left as EPP */
		return value ? kstrtou8(value, 0, &reset_epp) : -EINVAL;
	if (!strcmp(name, "min"))	/* ... and as minimum performance */
		return value ? kstrtou8(value, 0, &reset_min) : -EINVAL;

	if (!strcmp(name, "floor") && !value && !machine->in_memory) {
		has_floor = true;	/* there is a floor performance */
		amd_regs[R_REQ2].absent = false;
		return 0;
	}
	return -EINVAL;
}

static const char * __init amd_check(void)
{
	u32 b, c = 0, d;

	if (boot_cpu_data.x86_vfm != machine->vfm)
		return "QEMU's -cpu has the wrong vendor, family or model for this machine";

	native_max_leaf = 0x80000000;
	native_cpuid(&native_max_leaf, &b, &c, &d);
	return NULL;
}

static bool __init amd_valid_type(char type)
{
	return type && strchr(machine->c.highest ? "C" : "PE", type);
}

static void __init amd_init_cpu(struct vh_cpu *c)
{
	const struct amd_core *core = core_of(c->type);
	u64 *val = c->val;

	/* Later than any that the kernel complains about. */
	val[R_PATCH_LEVEL] = 0x0fffffff;
	val[R_HWCR] = HWCR_TSC_FREQ_SEL;
	if (machine->in_memory)
		return;
	val[R_CAP1] = FIELD_PREP(AMD_CPPC_HIGHEST_PERF_MASK, amd_rank(c)) |
		      FIELD_PREP(AMD_CPPC_NOMINAL_PERF_MASK, core->nominal) |
		      FIELD_PREP(AMD_CPPC_LOWNONLIN_PERF_MASK, core->nonlinear) |
		      FIELD_PREP(AMD_CPPC_LOWEST_PERF_MASK, core->lowest) |
		      FIELD_PREP(AMD_CPPC_FLOOR_PERF_CNT_MASK, has_floor ? 4ULL : 0);
	val[R_REQ] = FIELD_PREP(AMD_CPPC_EPP_PERF_MASK, reset_epp) |
		     FIELD_PREP(AMD_CPPC_MIN_PERF_MASK, reset_min);
}

/*
 * Registers in memory: the rest of the set-up, which needs ioremap(). The
 * runner has reserved the memory (memmap=).
 */
static const char * __init amd_init_memory(void)
{
	resource_size_t size = NR_CPUS * MEM_STRIDE;
	unsigned int cpu;

	static_assert(4 * (NR_AMD_REGS - M_HIGHEST) <= MEM_STRIDE);

	if (region_intersects(MEM_BASE, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT)
		return "the memory of the CPPC registers is not reserved";
	mem = ioremap(MEM_BASE, size);
	if (!mem)
		return "cannot map the memory of the CPPC registers";

	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		const struct amd_core *core = core_of(vh_cpus[cpu].type);
		u32 val[NR_AMD_REGS] = {
			[M_HIGHEST]	= amd_rank(&vh_cpus[cpu]),
			[M_NOMINAL]	= core->nominal,
			[M_NONLINEAR]	= core->nonlinear,
			[M_LOWEST]	= core->lowest,
			[M_GUARANTEED]	= core->nominal,
			[M_MIN]		= reset_min,
			[M_EPP]		= reset_epp,
		};
		unsigned int i;

		for (i = M_HIGHEST; i < NR_AMD_REGS; i++)
			writel(val[i], amd_mem(cpu, i));
	}
	return NULL;
}

static const char * __init amd_init(void)
{
	/* Which drivers ask for soon; the tables have been read by now. */
	acpi_gbl_FADT.preferred_profile = machine->pm_profile;

	return machine->in_memory ? amd_init_memory() : NULL;
}

/*
 * The kernel accesses registers in memory by these, whose arguments are a CPU,
 * the register's descriptor, and where to read to or what to write.
 */
static int amd_mem_access(struct kprobe *p, struct pt_regs *regs);

static struct kprobe amd_mem_probes[] = {
	{ .symbol_name = "cpc_read", .pre_handler = amd_mem_access },
	{ .symbol_name = "cpc_write", .pre_handler = amd_mem_access },
};

static int amd_mem_access(struct kprobe *p, struct pt_regs *regs)
{
	const struct cpc_register_resource *res =
		(void *)regs_get_kernel_argument(regs, 1);
	bool write = p == &amd_mem_probes[1];
	u64 offset;
	int ret;

	if (res->type != ACPI_TYPE_BUFFER ||
	    res->cpc_entry.reg.space_id != ACPI_ADR_SPACE_SYSTEM_MEMORY)
		return 0;
	offset = res->cpc_entry.reg.address - MEM_BASE;
	if (offset >= NR_CPUS * MEM_STRIDE)
		return 0;

	ret = vh_mem_access(offset / MEM_STRIDE, M_HIGHEST + offset % MEM_STRIDE / 4, write);
	if (!ret)
		return 0;
	if (!write)
		*(u64 *)regs_get_kernel_argument(regs, 2) = 0;
	regs_set_return_value(regs, ret);
	override_function_with_return(regs);
	return 1;
}

/* Later than kprobes, earlier than what is to be seen. */
static int __init amd_init_probes(void)
{
	unsigned int i;
	int ret;

	if (!mem)
		return 0;
	for (i = 0; i < ARRAY_SIZE(amd_mem_probes); i++) {
		ret = register_kprobe(&amd_mem_probes[i]);
		if (ret)
			panic("vhybrid: no probe of %s: %d", amd_mem_probes[i].symbol_name, ret);
	}
	return 0;
}
postcore_initcall(amd_init_probes);

/* What the kernel has asked for, wherever the registers are. */
struct amd_request {
	u32	enabled, min, max, desired, epp;
};

static notrace void amd_get_request(const struct vh_cpu *c, struct amd_request *rq)
{
	unsigned int cpu = c - vh_cpus;
	u64 req = c->val[R_REQ];

	if (!machine->in_memory) {
		*rq = (struct amd_request) {
			.enabled	= c->val[R_ENABLE] & 1,
			.min		= FIELD_GET(AMD_CPPC_MIN_PERF_MASK, req),
			.max		= FIELD_GET(AMD_CPPC_MAX_PERF_MASK, req),
			.desired	= FIELD_GET(AMD_CPPC_DES_PERF_MASK, req),
			.epp		= FIELD_GET(AMD_CPPC_EPP_PERF_MASK, req),
		};
	} else if (mem) {
		*rq = (struct amd_request) {
			.enabled	= readl(amd_mem(cpu, M_ENABLE)) & 1,
			.min		= readl(amd_mem(cpu, M_MIN)),
			.max		= readl(amd_mem(cpu, M_MAX)),
			.desired	= readl(amd_mem(cpu, M_DESIRED)),
			.epp		= readl(amd_mem(cpu, M_EPP)) & 0xff,
		};
	} else {
		*rq = (struct amd_request) {};
	}
}

/*
 * Present speed. With CPPC: what was desired, else the EPP chooses between the
 * limits, 0 the upper and 255 the lower one. 0 is no limit. Without CPPC
 * PERF_CTL chooses a P-state; there is just the one of nominal performance.
 */
static notrace u32 amd_speed(const struct vh_cpu *c)
{
	const struct amd_core *core = core_of(c->type);
	struct amd_request rq;
	u32 highest, lo, hi, level;

	amd_get_request(c, &rq);
	if (!rq.enabled)
		return VH_SPEED_ONE;

	highest = c->val[R_HWCR] & MSR_K7_HWCR_CPB_DIS ? core->nominal : core->highest;
	lo = clamp_t(u32, rq.min, core->lowest, highest);
	hi = rq.max ? clamp_t(u32, rq.max, lo, highest) : highest;
	if (rq.desired)
		level = clamp(rq.desired, lo, hi);
	else
		level = hi - (hi - lo) * rq.epp / 255;
	return (level << VH_SPEED_SHIFT) / core->nominal;
}

static notrace int amd_read(struct vh_cpu *c, unsigned int idx, u64 *val)
{
	*val = READ_ONCE(c->val[idx]);
	return 0;
}

static notrace int amd_write(struct vh_cpu *c, unsigned int idx, u64 val)
{
	/* Once on, CPPC stays on. */
	if (idx == R_ENABLE)
		val = (val | c->val[idx]) & 1;
	WRITE_ONCE(c->val[idx], val);
	return 0;
}

static notrace void amd_cpuid(const struct vh_cpu *c, u32 leaf, u32 subleaf,
			      u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	/* As for the basic leaves: QEMU answers what it does not have. */
	if (leaf > native_max_leaf && leaf <= LEAF_TOPOLOGY)
		*eax = *ebx = *ecx = *edx = 0;

	switch (leaf) {
	case 0x6:
		*eax |= LEAF6_EAX_ARAT;
		*ecx |= LEAF6_ECX_APERFMPERF;
		break;
	case 0x80000000:
		if (machine->hetero)
			*eax = max(*eax, LEAF_TOPOLOGY);
		break;
	case 0x80000007:
		*edx |= LEAFX7_EDX_HWPSTATE | LEAFX7_EDX_INVARIANT | LEAFX7_EDX_CPB;
		if (has_floor)
			*edx |= LEAFX7_EDX_PERF_PRIO;
		break;
	case 0x80000008:
		if (!machine->in_memory)
			*ebx |= LEAFX8_EBX_CPPC;
		break;
	case LEAF_TOPOLOGY:
		if (!machine->hetero)
			break;
		/* The levels are those of leaf 0xb. */
		*eax = 0xb;
		*ecx = subleaf;
		native_cpuid(eax, ebx, ecx, edx);
		if (subleaf)
			break;
		*eax |= LEAFX26_EAX_HETERO;
		if (c->type == 'E')
			*ebx |= LEAFX26_EBX_EFFICIENCY;
		break;
	}
}

static void amd_describe(struct seq_file *m)
{
	seq_printf(m, "%s: AMD family %lu model %lu, CPPC in %s%s, EPP %d at reset", machine->name,
		   VFM_FAMILY(machine->vfm), VFM_MODEL(machine->vfm),
		   machine->in_memory ? "memory" : "MSRs", has_floor ? " with floor" : "",
		   reset_epp);
}

const struct vh_vendor vh_amd __refconst = {
	.regs		= amd_regs,
	.nr_regs	= NR_AMD_REGS,
	.setup		= amd_setup,
	.option		= amd_option,
	.check		= amd_check,
	.valid_type	= amd_valid_type,
	.init_cpu	= amd_init_cpu,
	.init		= amd_init,
	.read		= amd_read,
	.write		= amd_write,
	.mem		= amd_mem,
	.cpuid		= amd_cpuid,
	.speed		= amd_speed,
	.describe	= amd_describe,
};
