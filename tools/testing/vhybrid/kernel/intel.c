// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: emulated Intel cpufreq hardware: HWP with EPP, or P-states by
 * PERF_CTL alone; core types.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../../../drivers/thermal/intel/thermal_interrupt.h"
#include "vhybrid.h"

/* Ratios are in units of 100 MHz, as in PERF_CTL. */
#define BASE_RATIO	22	/* what MPERF counts at */
#define MIN_RATIO	4
#define RATIO_KHZ	100000

/* The largest EPP that means performance on any part */
#define MAX_PERFORMANCE_EPP	16

/* Which interrupt a change of HWP_CAPABILITIES raises, if enabled. */
#define HWP_INT_GUARANTEED	BIT_ULL(0)
#define HWP_INT_HIGHEST		BIT_ULL(2)
#define HWP_STATUS_GUARANTEED	BIT_ULL(0)
#define HWP_STATUS_HIGHEST	BIT_ULL(3)

/* CPUID 4 */
#define LEAF4_EAX_SHARING	GENMASK(25, 14)
/* CPUID 6 */
#define LEAF6_EAX_IDA		BIT(1)
#define LEAF6_EAX_HWP		BIT(7)
#define LEAF6_EAX_HWP_NOTIFY	BIT(8)
#define LEAF6_EAX_HWP_ACT_WIN	BIT(9)
#define LEAF6_EAX_HWP_EPP	BIT(10)
#define LEAF6_EAX_HWP_HIGHEST	BIT(15)
#define LEAF6_ECX_EPB		BIT(3)
/* CPUID 7 */
#define LEAF7_EDX_HYBRID	BIT(15)

/* HWP_CAPABILITIES of a core type, and what one performance level is in kHz. */
struct intel_core {
	u8	highest, guaranteed, efficient, lowest;
	u32	level_khz;
};

struct intel_machine {
	const char		*name;
	u32			vfm;
	bool			hybrid;
	bool			hwp;
	struct intel_core	p, e, l, c;
};

/*
 * Level sizes of P-cores: HYBRID_SCALING_FACTOR_* of intel_pstate. LPE-cores
 * are E-cores without L3; where a machine does not have them in reality, they
 * are slow E-cores, so that any mix can be tested on any hybrid machine.
 */
static const struct intel_machine intel_machines[] = {
	{
		.name	= "lunar-lake",
		.vfm	= INTEL_LUNARLAKE_M,
		.hybrid	= true,
		.hwp	= true,
		.p	= { 55, 26, 15, 5, 86957 },
		.e	= { 37, 22, 12, 4, RATIO_KHZ },
		.l	= { 37, 22, 12, 4, RATIO_KHZ },
	}, {
		.name	= "meteor-lake",
		.vfm	= INTEL_METEORLAKE_L,
		.hybrid	= true,
		.hwp	= true,
		.p	= { 60, 28, 15, 5, 80000 },
		.e	= { 38, 22, 12, 4, RATIO_KHZ },
		.l	= { 25, 22, 8, 4, RATIO_KHZ },
	}, {
		.name	= "raptor-lake",
		.vfm	= INTEL_RAPTORLAKE_P,
		.hybrid	= true,
		.hwp	= true,
		.p	= { 64, 28, 15, 6, 78741 },
		.e	= { 39, 22, 12, 4, RATIO_KHZ },
		.l	= { 30, 22, 10, 4, RATIO_KHZ },
	}, {
		.name	= "xeon",
		.vfm	= INTEL_SAPPHIRERAPIDS_X,
		.hwp	= true,
		.c	= { 38, 22, 12, 5, RATIO_KHZ },
	}, {
		/*
		 * No HWP at all. HWP without EPP would not do: intel_pstate
		 * refuses to switch that on.
		 */
		.name	= "intel-noepp",
		.vfm	= INTEL_SKYLAKE,
		.c	= { 36, 22, 12, 8, RATIO_KHZ },
	},
};

enum {
	R_PLATFORM_INFO,
	R_MPERF,
	R_APERF,
	R_PERF_STATUS,
	R_PERF_CTL,
	R_TURBO_RATIO_LIMIT,
	R_ENERGY_PERF_BIAS,
	R_POWER_CTL,
	R_TDP_NOMINAL,
	R_TDP_LEVEL_1,
	R_TDP_LEVEL_2,
	R_TDP_CONTROL,
	R_TURBO_ACTIVATION_RATIO,
	R_ATOM_CORE_RATIOS,
	R_ATOM_CORE_TURBO_RATIOS,
	R_PM_ENABLE,
	R_HWP_CAPABILITIES,
	R_HWP_REQUEST_PKG,
	R_HWP_INTERRUPT,
	R_HWP_REQUEST,
	R_HWP_STATUS,
	NR_INTEL_REGS
};

static struct vh_reg intel_regs[NR_INTEL_REGS] __ro_after_init = {
	[R_PLATFORM_INFO]	= { "platform_info", MSR_PLATFORM_INFO, .read_only = true },
	[R_MPERF]		= { "ia32_mperf", MSR_IA32_MPERF },
	[R_APERF]		= { "ia32_aperf", MSR_IA32_APERF },
	[R_PERF_STATUS]		= { "ia32_perf_status", MSR_IA32_PERF_STATUS, .read_only = true },
	[R_PERF_CTL]		= { "ia32_perf_ctl", MSR_IA32_PERF_CTL },
	[R_TURBO_RATIO_LIMIT]	= { "turbo_ratio_limit", MSR_TURBO_RATIO_LIMIT, .read_only = true },
	[R_ENERGY_PERF_BIAS]	= { "ia32_energy_perf_bias", MSR_IA32_ENERGY_PERF_BIAS },
	[R_POWER_CTL]		= { "ia32_power_ctl", MSR_IA32_POWER_CTL },
	[R_TDP_NOMINAL]		= { "config_tdp_nominal", MSR_CONFIG_TDP_NOMINAL, .absent = true },
	[R_TDP_LEVEL_1]		= { "config_tdp_level_1", MSR_CONFIG_TDP_LEVEL_1, .absent = true },
	[R_TDP_LEVEL_2]		= { "config_tdp_level_2", MSR_CONFIG_TDP_LEVEL_2, .absent = true },
	[R_TDP_CONTROL]		= { "config_tdp_control", MSR_CONFIG_TDP_CONTROL, .absent = true },
	[R_TURBO_ACTIVATION_RATIO] = { "turbo_activation_ratio", MSR_TURBO_ACTIVATION_RATIO,
				       .absent = true },
	[R_ATOM_CORE_RATIOS]	= { "atom_core_ratios", MSR_ATOM_CORE_RATIOS, .absent = true },
	[R_ATOM_CORE_TURBO_RATIOS] = { "atom_core_turbo_ratios", MSR_ATOM_CORE_TURBO_RATIOS,
				       .absent = true },
	[R_PM_ENABLE]		= { "pm_enable", MSR_PM_ENABLE },
	[R_HWP_CAPABILITIES]	= { "hwp_capabilities", MSR_HWP_CAPABILITIES, .read_only = true },
	[R_HWP_REQUEST_PKG]	= { "hwp_request_pkg", MSR_HWP_REQUEST_PKG, .absent = true },
	[R_HWP_INTERRUPT]	= { "hwp_interrupt", MSR_HWP_INTERRUPT },
	[R_HWP_REQUEST]		= { "hwp_request", MSR_HWP_REQUEST },
	[R_HWP_STATUS]		= { "hwp_status", MSR_HWP_STATUS },
};

static const struct intel_machine *machine __ro_after_init;
static u8 reset_epp __ro_after_init = 0x80;
static bool hwp_at_reset __ro_after_init;

static const struct intel_core *core_of(char type)
{
	switch (type) {
	case 'P': return &machine->p;
	case 'E': return &machine->e;
	case 'L': return &machine->l;
	default:  return &machine->c;
	}
}

static notrace u32 level_khz(const struct vh_cpu *c)
{
	return c->type == 'P' ? machine->p.level_khz : RATIO_KHZ;
}

static bool __init intel_setup(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intel_machines); i++) {
		if (strcmp(intel_machines[i].name, name))
			continue;
		machine = &intel_machines[i];
		if (!machine->hwp)
			for (i = R_PM_ENABLE; i <= R_HWP_STATUS; i++)
				intel_regs[i].absent = true;
		return true;
	}
	return false;
}

static int __init intel_option(const char *name, const char *value)
{
	if (!strcmp(name, "epp"))	/* what firmware left in HWP_REQUEST */
		return value ? kstrtou8(value, 0, &reset_epp) : -EINVAL;

	if (!strcmp(name, "hwp-on") && !value && machine->hwp) {
		hwp_at_reset = true;	/* firmware has enabled HWP */
		return 0;
	}
	return -EINVAL;
}

static const char * __init intel_check(void)
{
	if (boot_cpu_data.x86_vfm != machine->vfm)
		return "QEMU's -cpu has the wrong vendor, family or model for this machine";
	return NULL;
}

static bool __init intel_valid_type(char type)
{
	return type && strchr(machine->hybrid ? "PEL" : "C", type);
}

static void __init intel_init_cpu(struct vh_cpu *c)
{
	const struct intel_core *core = core_of(c->type);
	u64 *val = c->val;
	u32 turbo_ratio = core->highest * core->level_khz / RATIO_KHZ;

	val[R_PLATFORM_INFO] = (u64)BASE_RATIO << 8 | (u64)MIN_RATIO << 40 | (u64)MIN_RATIO << 48;
	val[R_TURBO_RATIO_LIMIT] = 0x0101010101010101ULL * turbo_ratio;
	val[R_PERF_CTL] = BASE_RATIO << 8;
	val[R_ENERGY_PERF_BIAS] = 6;
	if (!machine->hwp)
		return;
	val[R_PM_ENABLE] = hwp_at_reset;
	val[R_HWP_CAPABILITIES] = core->highest | core->guaranteed << 8 |
				  core->efficient << 16 | (u64)core->lowest << 24;
	val[R_HWP_REQUEST] = core->lowest | core->highest << 8 | (u64)reset_epp << 24;
	val[R_HWP_INTERRUPT] = 0;
	val[R_HWP_STATUS] = 0;
}

/* What HWP has been told, within its capabilities */
struct hwp_request {
	u32 lo, hi, desired, epp;
};

/* Return: false if HWP is not in use. */
static notrace bool intel_hwp(const struct vh_cpu *c, struct hwp_request *rq)
{
	u64 req = c->val[R_HWP_REQUEST], cap = c->val[R_HWP_CAPABILITIES];
	u32 lowest, highest;

	if (!machine->hwp || !(c->val[R_PM_ENABLE] & 1))
		return false;

	highest = HWP_HIGHEST_PERF(cap);
	lowest = min_t(u32, HWP_LOWEST_PERF(cap), highest);
	rq->lo = clamp_t(u32, req & 0xff, lowest, highest);
	rq->hi = clamp_t(u32, (req >> 8) & 0xff, rq->lo, highest);
	rq->desired = (req >> 16) & 0xff;
	rq->epp = (req >> 24) & 0xff;
	return true;
}

/*
 * Performance in kHz that the registers ask for. With HWP: what was desired, else
 * the EPP chooses between the limits, 0 the upper and 255 the lower one.
 */
static notrace u32 intel_khz(const struct vh_cpu *c)
{
	struct hwp_request rq;
	u32 level;

	if (!intel_hwp(c, &rq))
		return ((c->val[R_PERF_CTL] >> 8) & 0xff) * RATIO_KHZ;

	if (rq.desired)
		level = clamp(rq.desired, rq.lo, rq.hi);
	else
		level = rq.hi - (rq.hi - rq.lo) * rq.epp / 255;
	return level * level_khz(c);
}

static notrace u32 khz_to_speed(u32 khz)
{
	return ((u64)khz << VH_SPEED_SHIFT) / (BASE_RATIO * RATIO_KHZ);
}

static notrace u32 intel_speed(const struct vh_cpu *c)
{
	return khz_to_speed(intel_khz(c));
}

/*
 * Where nothing is desired, HWP follows the load, the more slowly the larger the
 * EPP, but at once where that asks for performance.
 */
static notrace u32 intel_response(const struct vh_cpu *c, u32 *low)
{
	struct hwp_request rq;

	if (!intel_hwp(c, &rq) || rq.desired || rq.epp <= MAX_PERFORMANCE_EPP)
		return 0;
	*low = khz_to_speed(rq.lo * level_khz(c));
	return VH_RESPONSE_ONE * rq.epp / 128;
}

/*
 * What can be told and asked faults until PM_ENABLE is set. The notification
 * registers do not: intel_pstate turns interrupts off first, then HWP on.
 */
static notrace bool intel_hwp_locked(const struct vh_cpu *c, unsigned int idx)
{
	return (idx == R_HWP_CAPABILITIES || idx == R_HWP_REQUEST) &&
	       !(c->val[R_PM_ENABLE] & 1);
}

static notrace int intel_read(struct vh_cpu *c, unsigned int idx, u64 *val)
{
	if (intel_hwp_locked(c, idx))
		return -EIO;
	if (idx == R_PERF_STATUS)
		WRITE_ONCE(c->val[idx], (u64)(intel_khz(c) / RATIO_KHZ) << 8);
	*val = READ_ONCE(c->val[idx]);
	return 0;
}

static notrace int intel_write(struct vh_cpu *c, unsigned int idx, u64 val)
{
	if (intel_hwp_locked(c, idx))
		return -EIO;

	switch (idx) {
	case R_ENERGY_PERF_BIAS:
		val &= 0xf;
		break;
	case R_PM_ENABLE:
		/* Once on, HWP stays on. */
		val = (val | c->val[idx]) & 1;
		break;
	}
	WRITE_ONCE(c->val[idx], val);
	return 0;
}

/*
 * An LPE-core has no L3, which is how intel_pstate tells it from an E-core. Real ones
 * have APIC IDs out of the range that shares the L3 of the others, and
 * populate_cache_leaves() writes out of bounds if a CPU in there has fewer caches.
 * QEMU does not let us choose APIC IDs (they are the numbers of the CPUs), so make
 * the range small enough.
 */
static notrace u32 intel_l3_sharing(const struct vh_cpu *c, u32 eax)
{
	unsigned int id = c - vh_cpus, width, first, i;

	width = roundup_pow_of_two(FIELD_GET(LEAF4_EAX_SHARING, eax) + 1);
	for (; width > 1; width /= 2) {
		first = round_down(id, width);
		for (i = first; i < first + width && i < NR_CPUS; i++)
			if (vh_cpus[i].type == 'L')
				break;
		if (i == first + width || i == NR_CPUS)
			break;
	}
	FIELD_MODIFY(LEAF4_EAX_SHARING, &eax, width - 1);
	return eax;
}

static notrace void intel_cpuid(const struct vh_cpu *c, u32 leaf, u32 subleaf,
				u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	switch (leaf) {
	case 0x0:
		if (*eax < 0x1a)
			*eax = 0x1a;
		break;
	case 0x4:
		/* QEMU lists L1d, L1i, L2, L3. */
		if (((*eax >> 5) & 7) != 3)
			break;
		if (c->type == 'L')
			*eax = *ebx = *ecx = *edx = 0;
		else
			*eax = intel_l3_sharing(c, *eax);
		break;
	case 0x6:
		*eax |= LEAF6_EAX_IDA | LEAF6_EAX_ARAT;
		*ecx |= LEAF6_ECX_APERFMPERF | LEAF6_ECX_EPB;
		if (machine->hwp)
			*eax |= LEAF6_EAX_HWP | LEAF6_EAX_HWP_NOTIFY | LEAF6_EAX_HWP_ACT_WIN |
				LEAF6_EAX_HWP_EPP | LEAF6_EAX_HWP_HIGHEST;
		break;
	case 0x7:
		if (!subleaf && machine->hybrid)
			*edx |= LEAF7_EDX_HYBRID;
		break;
	case 0x1a:
		if (machine->hybrid)
			*eax = (c->type == 'P' ? INTEL_CPU_TYPE_CORE : INTEL_CPU_TYPE_ATOM) << 24 | 1;
		break;
	case 0x80000007:
		*edx |= BIT(8);		/* the TSC is invariant */
		break;
	}
}

static void intel_notify(struct vh_cpu *c)
{
	u64 status = 0;

	if (!machine->hwp || !(c->val[R_PM_ENABLE] & 1))
		return;
	if (c->val[R_HWP_INTERRUPT] & HWP_INT_GUARANTEED)
		status |= HWP_STATUS_GUARANTEED;
	if (c->val[R_HWP_INTERRUPT] & HWP_INT_HIGHEST)
		status |= HWP_STATUS_HIGHEST;
	if (!status)
		return;
	WRITE_ONCE(c->val[R_HWP_STATUS], c->val[R_HWP_STATUS] | status);
	/* What the thermal vector's handler calls. */
	notify_hwp_interrupt();
}

static void intel_describe(struct seq_file *m)
{
	seq_printf(m, "%s: Intel family %lu model %lu, %s, ", machine->name,
		   VFM_FAMILY(machine->vfm), VFM_MODEL(machine->vfm),
		   machine->hybrid ? "hybrid" : "not hybrid");
	if (machine->hwp)
		seq_printf(m, "HWP%s, EPP %d at reset", hwp_at_reset ? " on" : "", reset_epp);
	else
		seq_puts(m, "no HWP");
}

const struct vh_vendor vh_intel __refconst = {
	.regs		= intel_regs,
	.nr_regs	= NR_INTEL_REGS,
	.setup		= intel_setup,
	.option		= intel_option,
	.check		= intel_check,
	.valid_type	= intel_valid_type,
	.init_cpu	= intel_init_cpu,
	.read		= intel_read,
	.write		= intel_write,
	.cpuid		= intel_cpuid,
	.speed		= intel_speed,
	.response	= intel_response,
	.notify		= intel_notify,
	.describe	= intel_describe,
};
