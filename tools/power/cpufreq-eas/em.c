// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Energy Model of the kernel: which CPUs have one.
 *
 * There is a generic netlink family for it from 7.0 on, which everybody may ask, and debugfs,
 * which is for root.
 */
#include <dirent.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "em.h"
#include "util.h"

#define DEBUGFS	"/sys/kernel/debug/energy_model"

/* linux/dev_energymodel.h, which Debian 12 does not have yet */
#define FAMILY			"dev-energymodel"
#define FAMILY_VERSION		1
#define CMD_GET_PERF_DOMAINS	1
#define A_PERF_DOMAIN_CPUS	4

static void add_perf_domain(struct em *em, const cpu_set_t *cpus, int capacity)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	int cpu, first = -1;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!CPU_ISSET_S(cpu, size, cpus))
			continue;
		if (first < 0)
			first = cpu;
		em->perf_domain[cpu] = first;
		em->capacity[cpu] = capacity;
	}
}

static int netlink_perf_domain(struct nl_msg *message, void *em)
{
	struct genlmsghdr *header = nlmsg_data(nlmsg_hdr(message));
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *cpus = CPU_ALLOC(MAX_CPUS);
	struct nlattr *attr;
	int left;

	if (!cpus)
		die(EXIT_FAILED, "out of memory");

	/* One attribute for each CPU; there is none if this is some other device. */
	CPU_ZERO_S(size, cpus);
	nla_for_each_attr(attr, genlmsg_attrdata(header, 0), genlmsg_attrlen(header, 0), left) {
		if (nla_type(attr) == A_PERF_DOMAIN_CPUS && nla_len(attr) == sizeof(uint64_t) &&
		    nla_get_u64(attr) < MAX_CPUS)
			CPU_SET_S(nla_get_u64(attr), size, cpus);
	}
	add_perf_domain(em, cpus, -1);
	CPU_FREE(cpus);

	return NL_OK;
}

static bool read_netlink(struct em *em)
{
	struct nl_sock *sock = nl_socket_alloc();
	bool done = false;
	int family;

	if (!sock)
		return false;

	if (genl_connect(sock))
		goto free;
	family = genl_ctrl_resolve(sock, FAMILY);
	if (family < 0)
		goto free;

	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, netlink_perf_domain, em);
	if (genl_send_simple(sock, family, CMD_GET_PERF_DOMAINS, FAMILY_VERSION, NLM_F_DUMP) < 0)
		goto free;
	done = nl_recvmsgs_default(sock) >= 0;

free:
	nl_socket_free(sock);

	return done;
}

static int debugfs_capacity(const char *domain)
{
	char *path = xasprintf(DEBUGFS "/%s", domain);
	long long performance, highest = -1;
	DIR *dir = opendir(path);
	struct dirent *entry;

	/* One directory for each performance state */
	while (dir && (entry = readdir(dir))) {
		if (!strncmp(entry->d_name, "ps:", 3) &&
		    read_number(&performance, "%s/%s/performance", path, entry->d_name) &&
		    performance > highest)
			highest = performance;
	}
	if (dir)
		closedir(dir);
	free(path);

	return highest;
}

static bool read_debugfs(struct em *em)
{
	cpu_set_t *cpus = CPU_ALLOC(MAX_CPUS);
	DIR *dir = opendir(DEBUGFS);
	struct dirent *entry;
	char *list;

	if (!cpus)
		die(EXIT_FAILED, "out of memory");

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		/* Devices other than CPUs have no such file. */
		list = read_file(DEBUGFS "/%s/cpus", entry->d_name);
		if (list && parse_cpu_list(list, cpus))
			add_perf_domain(em, cpus, debugfs_capacity(entry->d_name));
		free(list);
	}
	if (dir)
		closedir(dir);
	CPU_FREE(cpus);

	return dir;
}

struct em *em_read(void)
{
	struct em *em = xcalloc(1, sizeof(*em));
	int cpu;

	em->perf_domain = xcalloc(MAX_CPUS, sizeof(*em->perf_domain));
	em->capacity = xcalloc(MAX_CPUS, sizeof(*em->capacity));
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		em->perf_domain[cpu] = em->capacity[cpu] = -1;

	if (read_debugfs(em))
		em->source = EM_DEBUGFS;
	else if (read_netlink(em))
		em->source = EM_NETLINK;

	return em;
}

void em_free(struct em *em)
{
	if (!em)
		return;

	free(em->perf_domain);
	free(em->capacity);
	free(em);
}
