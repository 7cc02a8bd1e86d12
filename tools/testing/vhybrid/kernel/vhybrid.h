/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TEST ONLY: emulated cpufreq hardware for QEMU TCG.
 *
 * core.c	command line, paravirt hooks, APERF/MPERF
 * fault.c	injected faults
 * intel.c	Intel: machines, registers, CPUID, speed
 * amd.c	AMD: the same
 * debugfs.c	/sys/kernel/debug/vhybrid
 * channel.c	keeps the output going over suspend
 * eas.c	the file "eas" in there
 *
 * A vendor is one struct vh_vendor; core.c asks each for the machine's name.
 */
#ifndef _ARCH_X86_VHYBRID_H
#define _ARCH_X86_VHYBRID_H

#include <linux/bits.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#define VH_MAX_REGS	32

/* Where registers in memory sort among the MSRs; no MSR has such a number. */
#define VH_MEM_ADDR(offset)	(0xfffff000U + (offset))

/* CPUID 6, the bits that are the same for all vendors */
#define LEAF6_EAX_ARAT		BIT(2)
#define LEAF6_ECX_APERFMPERF	BIT(0)

/* vh_cpu::speed is a fixed-point fraction of the speed MPERF counts at. */
#define VH_SPEED_SHIFT	16
#define VH_SPEED_ONE	(1U << VH_SPEED_SHIFT)
#define VH_RAMP_SHIFT	32

/* What vh_vendor::response is in relation to */
#define VH_RESPONSE_ONE	128

/**
 * struct vh_reg - an emulated MSR, or a register in memory
 * @name: kernel name, lower case, without MSR_
 * @addr: MSR number; VH_MEM_ADDR() of the offset in memory
 * @read_only: WRMSR faults
 * @absent: the machine does not have it: all accesses fault (QEMU would
 *	answer 0, and drivers believe that)
 * @mem: no MSR, but 32 bits in memory
 */
struct vh_reg {
	const char	*name;
	u32		addr;
	bool		read_only;
	bool		absent;
	bool		mem;
};

/**
 * struct vh_cpu - state of one CPU's emulated hardware
 * @type: core type: P, E, L, or C for a part that is not hybrid
 * @val: register contents, by index into vh_vendor::regs, if not in memory
 * @reads: RDMSR count, faults included
 * @writes: WRMSR count, faults included
 * @faults: accesses that faulted
 * @speed: present speed, what APERF advances by while MPERF advances by
 *	VH_SPEED_ONE
 * @target: the speed that the registers ask for, which @speed is on its way to
 * @low: the speed that it falls to while the CPU is halted
 * @fine: @speed, with VH_RAMP_SHIFT more bits after the point
 * @slope: how much @fine changes in one TSC cycle; 0 if speed changes at once, and
 *	is @target
 * @rested: how long the CPU has been halted, in TSC cycles, if @fine does not
 *	account for that yet
 * @response_us: how long @speed takes to be 95 % of @target after idle, see
 *	README.rst; 0 if it changes at once
 * @last_tsc: TSC when APERF and MPERF were last brought up to date
 * @halted: in HLT since @last_tsc, so that the counters stand still
 * @latched: APERF was just read, the next MPERF read goes with it
 *
 * Only the CPU itself changes it, with interrupts off (others ask by IPI),
 * except while the CPU is offline. Others may read it at any time.
 */
struct vh_cpu {
	char	type;
	bool	halted;
	bool	latched;
	u32	speed;
	u32	target;
	u32	low;
	u32	response_us;
	u64	fine;
	u64	slope;
	s64	rested;
	u64	last_tsc;
	u64	val[VH_MAX_REGS];
	u64	reads[VH_MAX_REGS];
	u64	writes[VH_MAX_REGS];
	u64	faults[VH_MAX_REGS];
} ____cacheline_aligned;

/**
 * struct vh_vendor - emulation of a vendor's hardware
 * @regs: the registers, ascending by address; must contain APERF and MPERF, which
 *	core.c looks after
 * @nr_regs: number of @regs
 * @setup: choose a machine by name, false if it is not one of this vendor's
 * @option: apply an option of vhybrid_opts=, returns 0 or -EINVAL
 * @check: after setup and options: NULL, or why the machine cannot work here
 * @valid_type: does this machine have cores of that type?
 * @init_cpu: reset the registers of a CPU whose type is set
 * @init: what has to wait until memory can be mapped, or NULL; returns NULL, or
 *	why the machine cannot work here
 * @read: RDMSR of regs[idx], 0 or -EIO
 * @write: WRMSR of regs[idx], 0 or -EIO
 * @mem: where a CPU's register in memory is, NULL if there are none; the
 *	emulation does not see accesses, so speed() is asked more often then
 * @cpuid: adjust what QEMU answered
 * @speed: speed that results from the registers
 * @response: how long the hardware takes to get to that speed, VH_RESPONSE_ONE
 *	being vh_cpu::response_us, or 0 if it is there at once; in the former case
 *	also the speed that it falls to in idle. NULL if it always is.
 * @notify: raise the "capabilities changed" interrupt on this CPU
 * @describe: print the machine, without newline
 */
struct vh_vendor {
	struct vh_reg	*regs;
	unsigned int	nr_regs;
	bool		(*setup)(const char *machine);
	int		(*option)(const char *name, const char *value);
	const char	*(*check)(void);
	bool		(*valid_type)(char type);
	void		(*init_cpu)(struct vh_cpu *c);
	const char	*(*init)(void);
	int		(*read)(struct vh_cpu *c, unsigned int idx, u64 *val);
	int		(*write)(struct vh_cpu *c, unsigned int idx, u64 val);
	u32 __iomem	*(*mem)(unsigned int cpu, unsigned int idx);
	void		(*cpuid)(const struct vh_cpu *c, u32 leaf, u32 subleaf,
				 u32 *eax, u32 *ebx, u32 *ecx, u32 *edx);
	u32		(*speed)(const struct vh_cpu *c);
	u32		(*response)(const struct vh_cpu *c, u32 *low);
	void		(*notify)(struct vh_cpu *c);
	void		(*describe)(struct seq_file *m);
};

extern const struct vh_vendor vh_intel, vh_amd;

/* core.c */
extern const struct vh_vendor *vh_vendor;
extern struct vh_cpu vh_cpus[];
int vh_find_reg(u32 addr);
int vh_find_reg_name(const char *name);
u64 vh_peek(unsigned int cpu, unsigned int idx);
int vh_poke(unsigned int cpu, unsigned int idx, u64 val);
void vh_reset_access(void);
int vh_set_response(unsigned int cpu, u64 us);
int vh_notify(unsigned int cpu);
void vh_init_tsc(void);
int vh_mem_access(unsigned int cpu, unsigned int idx, bool write);

/* fault.c */
enum vh_fault { VH_NO_FAULT, VH_FAULT, VH_FAULT_FIRST };

enum vh_fault vh_fault_hit(unsigned int cpu, unsigned int idx, bool write);
int vh_fault_add(int cpu, bool write, unsigned int idx, u64 skip, u64 count);
void vh_fault_clear(void);
void vh_fault_show(struct seq_file *m);

/* eas.c */
struct dentry;
void vh_eas_init(struct dentry *root);
void vh_eas_settle(void);
void vh_eas_rebuild(void);
int vh_eas_unfiltered(void);

#endif /* _ARCH_X86_VHYBRID_H */
