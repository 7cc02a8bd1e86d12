/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs in this directory have in common: errors, files, lists of CPUs, numbers.
 */
#ifndef CPUFREQ_EAS_UTIL_H
#define CPUFREQ_EAS_UTIL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit statuses of all programs but eas-status, which has its own for the state of EAS. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* something needed is not there or has failed */
	EXIT_USAGE = 2,
};

/* CPU numbers this copes with. */
#define MAX_CPUS	4096

/* Print "PROGRAM: message" on stderr. Errno is not consulted: name the remedy instead. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* warn(), then exit(status) after undoing what state.h keeps track of. */
void die(int status, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* Memory or die(). */
void *xcalloc(size_t number, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *string);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * read_file() - contents of a small file, without the newline at the end
 *
 * Return: to be freed; NULL with errno set if it cannot be read.
 */
char *read_file(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * read_number() - a file with a decimal or 0x number
 *
 * Return: false if it cannot be read or is not a number; *value is untouched then.
 */
bool read_number(long long *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * write_file() - write a string to an existing file with one write(2)
 *
 * Return: 0 or -errno.
 */
int write_file(const char *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * parse_cpu_list() - the kernel's format, "0-3,8"
 * @set: of MAX_CPUS, from CPU_ALLOC(MAX_CPUS)
 *
 * Return: false, with set empty, if it is not such a list.
 */
bool parse_cpu_list(const char *list, cpu_set_t *set);

/* The other way round. To be freed. An empty set is "-". */
char *format_cpu_list(const cpu_set_t *set);

/*
 * option_number(), option_whole() - the value of an option, decimal
 * @option: without the dashes, for the message
 *
 * Anything but a number from @least to @most is an error of usage: they do not return then.
 */
double option_number(const char *option, const char *string, double least, double most);
long long option_whole(const char *option, const char *string, long long least, long long most);

#endif
