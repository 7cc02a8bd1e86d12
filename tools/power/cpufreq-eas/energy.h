/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Energy that the package has used: powercap (RAPL), or perf's energy-pkg event.
 */
#ifndef CPUFREQ_EAS_ENERGY_H
#define CPUFREQ_EAS_ENERGY_H

#include <stdbool.h>

struct energy;

/*
 * energy_open() - find a source
 * @why: if there is none, the reason and what would help, in one line; not to be freed
 *
 * Return: NULL if there is none: this is not an error, print the column as unavailable.
 */
struct energy *energy_open(const char **why);
void energy_close(struct energy *energy);

/* "powercap intel-rapl:0", "perf energy-pkg", ... */
const char *energy_source(const struct energy *energy);

/*
 * energy_read() - joules since energy_open()
 *
 * Counters that wrap are taken care of, if this is called at least once a minute.
 *
 * Return: NaN if it cannot be read any more.
 */
double energy_read(struct energy *energy);

#endif
