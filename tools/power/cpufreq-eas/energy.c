// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy that the package has used: powercap (RAPL), or perf's energy-pkg event.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "energy.h"
#include "util.h"

#define POWERCAP	"/sys/class/powercap"
#define PMU		"/sys/bus/event_source/devices/power"

/* Machines of that many packages have other things to measure. */
#define MAX_PACKAGES	64

struct package {
	char *zone;		/* powercap: its directory */
	int fd;			/* perf: the event */
	long long last;		/* what it held when it was read last */
	long long range;	/* powercap: it wraps to 0 after that */
	double joules;
};

struct energy {
	struct package package[MAX_PACKAGES];
	int packages;
	double unit;		/* joules that one stands for */
	char source[64];
};

static bool read_package(struct package *p, long long *value)
{
	uint64_t count;

	if (p->zone)
		return read_number(value, "%s/energy_uj", p->zone);
	if (read(p->fd, &count, sizeof(count)) != sizeof(count))
		return false;
	*value = count;

	return true;
}

static bool is_package_zone(const struct dirent *entry)
{
	bool package;
	char *name;

	/* "intel-rapl:0:1" is a part of "intel-rapl:0"; AMD's are called like that as well. */
	if (strncmp(entry->d_name, "intel-rapl:", 11) || strchr(entry->d_name + 11, ':'))
		return false;
	name = read_file(POWERCAP "/%s/name", entry->d_name);
	/* There is also the whole platform, "psys". */
	package = name && !strncmp(name, "package-", 8);
	free(name);

	return package;
}

static int names(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Return: are there such counters? Whether they can be read is another matter. */
static bool open_powercap(struct energy *energy)
{
	struct dirent **list;
	int n, i;

	n = scandir(POWERCAP, &list, NULL, names);
	for (i = 0; i < n; i++) {
		struct package *p = &energy->package[energy->packages];

		if (energy->packages < MAX_PACKAGES && is_package_zone(list[i])) {
			p->zone = xasprintf(POWERCAP "/%s", list[i]->d_name);
			p->fd = -1;
			if (!energy->packages++)
				snprintf(energy->source, sizeof(energy->source), "powercap %.40s",
					 list[i]->d_name);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	energy->unit = 1e-6;

	for (i = 0; i < energy->packages; i++)
		if (!read_number(&energy->package[i].range, "%s/max_energy_range_uj",
				 energy->package[i].zone))
			energy->package[i].range = UINT32_MAX;

	return energy->packages;
}

static void drop_packages(struct energy *energy)
{
	int i;

	for (i = 0; i < energy->packages; i++) {
		free(energy->package[i].zone);
		if (energy->package[i].fd >= 0)
			close(energy->package[i].fd);
	}
	memset(energy, 0, sizeof(*energy));
}

/* Return: is there such an event? */
static bool open_perf(struct energy *energy)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char *config, *scale, *mask, *unit;
	unsigned int event;
	long long type;
	cpu_set_t *cpus;
	bool found;
	int cpu;

	if (!read_number(&type, PMU "/type"))
		return false;
	config = read_file(PMU "/events/energy-pkg");
	scale = read_file(PMU "/events/energy-pkg.scale");
	unit = read_file(PMU "/events/energy-pkg.unit");
	/* One CPU of each package */
	mask = read_file(PMU "/cpumask");
	cpus = CPU_ALLOC(MAX_CPUS);
	found = config && scale && mask && cpus && (!unit || !strcmp(unit, "Joules")) &&
		sscanf(config, "event=%x", &event) == 1 && parse_cpu_list(mask, cpus);
	if (found) {
		attr.type = type;
		attr.config = event;
		energy->unit = strtod(scale, NULL);
		snprintf(energy->source, sizeof(energy->source), "perf energy-pkg");
	}
	for (cpu = 0; found && cpu < MAX_CPUS && energy->packages < MAX_PACKAGES; cpu++) {
		struct package *p = &energy->package[energy->packages];

		if (!CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(MAX_CPUS), cpus))
			continue;
		p->fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (p->fd < 0) {
			drop_packages(energy);
			break;
		}
		energy->packages++;
	}
	if (cpus)
		CPU_FREE(cpus);
	free(config);
	free(scale);
	free(unit);
	free(mask);

	return found;
}

/* Return: can all be read? Later readings count from here. */
static bool first_reading(struct energy *energy)
{
	int i;

	for (i = 0; i < energy->packages; i++)
		if (!read_package(&energy->package[i], &energy->package[i].last))
			return false;

	return energy->packages;
}

struct energy *energy_open(const char **why)
{
	struct energy *energy = xcalloc(1, sizeof(*energy));
	bool found;

	found = open_powercap(energy);
	if (first_reading(energy))
		return energy;
	drop_packages(energy);

	found |= open_perf(energy);
	if (first_reading(energy))
		return energy;
	drop_packages(energy);
	free(energy);

	if (!found)
		*why = "this machine has no energy counters (RAPL), or the kernel no driver: "
		       "try modprobe intel_rapl_msr";
	else if (geteuid())
		*why = "only root may read the energy counters (RAPL): use sudo";
	else
		*why = "the energy counters (RAPL) cannot be read, see dmesg";

	return NULL;
}

void energy_close(struct energy *energy)
{
	if (!energy)
		return;
	drop_packages(energy);
	free(energy);
}

const char *energy_source(const struct energy *energy)
{
	return energy->source;
}

double energy_read(struct energy *energy)
{
	double sum = 0;
	long long value;
	int i;

	for (i = 0; i < energy->packages; i++) {
		struct package *p = &energy->package[i];

		if (!read_package(p, &value))
			return NAN;
		if (value >= p->last)
			p->joules += (value - p->last) * energy->unit;
		else
			p->joules += (value + p->range - p->last) * energy->unit;
		p->last = value;
		sum += p->joules;
	}

	return sum;
}
