// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read or write the energy performance preference (EPP) in MSR_HWP_REQUEST (Intel) or
 * MSR_AMD_CPPC_REQ, regardless of what the cpufreq driver knows.
 *
 * usage: hwp_epp get CPU...		prints the EPP values of the CPUs
 *	  hwp_epp set VALUE CPU...
 *
 * Exit status 4 means that there are no MSR devices or that there is no such
 * register.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MSR_HWP_REQUEST		0x774
#define MSR_AMD_CPPC_REQ	0xc00102b3
/* At the same place in both of them */
#define EPP_SHIFT	24
#define EPP_MASK	(0xffULL << EPP_SHIFT)
#define SKIP		4

static off_t msr = MSR_HWP_REQUEST;

static int open_msr(const char *cpu, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%s/msr", cpu);
	fd = open(path, flags);
	if (fd < 0) {
		fprintf(stderr, "hwp_epp: %s: %s\n", path, strerror(errno));
		exit(SKIP);
	}
	return fd;
}

static unsigned long long read_msr(int fd)
{
	unsigned long long value;

	if (pread(fd, &value, sizeof(value), msr) != sizeof(value)) {
		fprintf(stderr, "hwp_epp: cannot read the register: %s\n", strerror(errno));
		exit(SKIP);
	}
	return value;
}

int main(int argc, char *argv[])
{
	unsigned long epp;
	unsigned long long value;
	int fd, i;

	if (!access("/sys/devices/system/cpu/amd_pstate", F_OK))
		msr = MSR_AMD_CPPC_REQ;

	if (argc >= 3 && !strcmp(argv[1], "get")) {
		for (i = 2; i < argc; i++) {
			fd = open_msr(argv[i], O_RDONLY);
			value = read_msr(fd);
			printf("%s%u", i > 2 ? " " : "",
			       (unsigned int)((value & EPP_MASK) >> EPP_SHIFT));
			close(fd);
		}
		printf("\n");
		return 0;
	}

	if (argc >= 4 && !strcmp(argv[1], "set")) {
		epp = strtoul(argv[2], NULL, 0);
		for (i = 3; i < argc; i++) {
			fd = open_msr(argv[i], O_RDWR);
			value = read_msr(fd) & ~EPP_MASK;
			value |= (unsigned long long)epp << EPP_SHIFT & EPP_MASK;
			if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value)) {
				fprintf(stderr, "hwp_epp: cannot write the register: %s\n",
					strerror(errno));
				return SKIP;
			}
			close(fd);
		}
		return 0;
	}

	fprintf(stderr, "usage: hwp_epp get CPU... | hwp_epp set VALUE CPU...\n");
	return 2;
}
