/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Energy Model of the kernel: which CPUs have one.
 */
#ifndef CPUFREQ_EAS_EM_H
#define CPUFREQ_EAS_EM_H

enum em_source {
	EM_HIDDEN,	/* this user may not know, or the kernel has no way to tell */
	EM_NETLINK,
	EM_DEBUGFS,
};

struct em {
	enum em_source source;
	/* By number of the CPU, up to MAX_CPUS */
	int *perf_domain;	/* lowest CPU in it, or -1 if the CPU has no Energy Model */
	int *capacity;		/* highest performance in it, or -1; with EM_DEBUGFS only */
};

struct em *em_read(void);
void em_free(struct em *em);

#endif
