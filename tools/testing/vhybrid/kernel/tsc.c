// SPDX-License-Identifier: GPL-2.0-only
/*
 * TEST ONLY: the frequency of the TSC, on a host that is busy.
 *
 * The kernel measures it with the PIT and the HPET over a few ms. With QEMU kept from
 * running in between, it has come up with 64 and 1800 MHz for 2445 MHz, and all times in
 * the machine are wrong by that factor then.
 */
#include <linux/init.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>

#include <asm/tsc.h>
#include <asm/x86_init.h>

#include "vhybrid.h"

/* The ACPI PM timer, where the firmware of QEMU's q35 puts it; 24 bits are sure. */
#define PM_TIMER_PORT	0x608
#define PM_TIMER_MASK	0xffffff
#define PM_TIMER_HZ	3579545

/* How long to measure, in ticks of that timer: 50 ms */
#define WINDOW		(PM_TIMER_HZ / 20)
#define READS		100
/* ... and without a timer, in TSC cycles: a second or so */
#define LIMIT		(1ULL << 32)
#define TRIES		10

static unsigned long (*native_calibrate)(void) __initdata;

/*
 * Read both. The one of many reads that took the shortest was not interrupted by what
 * else the host does.
 */
static u32 __init read_both(u64 *tsc)
{
	u64 best = U64_MAX;
	u32 ticks = 0;
	int i;

	for (i = 0; i < READS; i++) {
		u64 before = rdtsc_ordered();
		u32 now = inl(PM_TIMER_PORT);
		u64 after = rdtsc_ordered();

		if (after - before < best) {
			best = after - before;
			*tsc = before + best / 2;
			ticks = now & PM_TIMER_MASK;
		}
	}
	return ticks;
}

static unsigned long __init measure_khz(void)
{
	u64 tsc, start_tsc;
	u32 ticks, start = read_both(&start_tsc);

	do {
		ticks = (read_both(&tsc) - start) & PM_TIMER_MASK;
	} while (ticks < WINDOW && tsc - start_tsc < LIMIT);

	return ticks ? mul_u64_u64_div_u64(tsc - start_tsc, PM_TIMER_HZ, ticks * 1000ULL) : 0;
}

static unsigned long __init vh_calibrate_tsc(void)
{
	unsigned long khz = 0, last;
	int i;

	for (i = 0; i < TRIES; i++) {
		last = khz;
		khz = measure_khz();
		/* Twice the same, to 0.1 %: the timer has not wrapped in between. */
		if (khz && abs_diff(khz, last) <= khz / 1000)
			return khz;
	}
	return native_calibrate();
}

/**
 * vh_init_tsc() - measure the frequency of the TSC in a way that suits the machine
 *
 * To be called before tsc_early_init().
 */
void __init vh_init_tsc(void)
{
	native_calibrate = x86_platform.calibrate_tsc;
	x86_platform.calibrate_tsc = vh_calibrate_tsc;
}
