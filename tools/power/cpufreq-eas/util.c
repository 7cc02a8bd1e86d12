// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors, memory, files, lists of CPUs, values of options.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

/* Files in sysfs are not longer than a page, but /proc/cpuinfo is. */
#define MAX_FILE	(16 << 20)

static void vwarn(const char *format, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);

	/* state_guard() has seen to it that this undoes what has been changed. */
	exit(status);
}

void *xcalloc(size_t number, size_t size)
{
	void *memory = calloc(number ?: 1, size ?: 1);

	if (!memory)
		die(EXIT_FAILED, "out of memory");

	return memory;
}

void *xrealloc(void *old, size_t size)
{
	void *memory = realloc(old, size ?: 1);

	if (!memory)
		die(EXIT_FAILED, "out of memory");

	return memory;
}

char *xstrdup(const char *string)
{
	char *copy = strdup(string);

	if (!copy)
		die(EXIT_FAILED, "out of memory");

	return copy;
}

static char *xvasprintf(const char *format, va_list args)
{
	char *string;

	if (vasprintf(&string, format, args) < 0)
		die(EXIT_FAILED, "out of memory");

	return string;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *string;

	va_start(args, format);
	string = xvasprintf(format, args);
	va_end(args);

	return string;
}

static char *read_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0, size = 4096;
	char *contents;
	ssize_t n;
	int error;

	if (fd < 0)
		return NULL;

	contents = xcalloc(size, 1);
	while ((n = read(fd, contents + length, size - length - 1)) != 0) {
		if (n < 0) {
			if (errno == EINTR)
				continue;
			goto fail;
		}
		length += n;
		if (length < size - 1)
			continue;
		if (size >= MAX_FILE) {
			errno = EFBIG;
			goto fail;
		}
		size *= 2;
		contents = xrealloc(contents, size);
	}
	close(fd);

	while (length && contents[length - 1] == '\n')
		length--;
	contents[length] = '\0';

	return contents;

fail:
	error = errno;
	free(contents);
	close(fd);
	errno = error;

	return NULL;
}

char *read_file(const char *format, ...)
{
	char *path, *contents;
	va_list args;
	int error;

	va_start(args, format);
	path = xvasprintf(format, args);
	va_end(args);

	contents = read_path(path);
	error = errno;
	free(path);
	errno = error;

	return contents;
}

bool read_number(long long *value, const char *format, ...)
{
	char *path, *contents, *end;
	bool valid = false;
	long long number;
	va_list args;

	va_start(args, format);
	path = xvasprintf(format, args);
	va_end(args);

	contents = read_path(path);
	free(path);
	if (!contents)
		return false;

	/* A leading 0 does not make it octal, so do not leave the base to strtoll(). */
	errno = 0;
	if (!strncmp(contents, "0x", 2))
		number = strtoull(contents, &end, 16);
	else
		number = strtoll(contents, &end, 10);
	if (!errno && end != contents && !*end) {
		*value = number;
		valid = true;
	}
	free(contents);

	return valid;
}

int write_file(const char *value, const char *format, ...)
{
	size_t length = strlen(value);
	va_list args;
	ssize_t n;
	char *path;
	int fd, ret;

	va_start(args, format);
	path = xvasprintf(format, args);
	va_end(args);

	fd = open(path, O_WRONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : 0;
	free(path);
	if (fd < 0)
		return ret;

	/* With a second write, the kernel would take the rest for another value. */
	do {
		n = write(fd, value, length);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		ret = -errno;
	else if ((size_t)n != length)
		ret = -EIO;
	/* Regular files, for tests, may report errors only now. */
	if (close(fd) && !ret)
		ret = -errno;

	return ret;
}

static bool parse_cpu(const char **string, long *number)
{
	char *end;

	/* No sign and no space, which strtol() would take. */
	if (!isdigit((unsigned char)**string))
		return false;

	errno = 0;
	*number = strtol(*string, &end, 10);
	*string = end;

	return !errno && *number < MAX_CPUS;
}

bool parse_cpu_list(const char *list, cpu_set_t *set)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	long first, last;

	CPU_ZERO_S(size, set);
	for (;;) {
		if (!parse_cpu(&list, &first))
			break;
		last = first;
		if (*list == '-') {
			list++;
			if (!parse_cpu(&list, &last) || last < first)
				break;
		}
		for (; first <= last; first++)
			CPU_SET_S(first, size, set);
		if (!*list)
			return true;
		if (*list++ != ',')
			break;
	}
	CPU_ZERO_S(size, set);

	return false;
}

char *format_cpu_list(const cpu_set_t *set)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS), length;
	char *list;
	FILE *to = open_memstream(&list, &length);
	int first, cpu;

	if (!to)
		die(EXIT_FAILED, "out of memory");

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		first = cpu;
		while (cpu + 1 < MAX_CPUS && CPU_ISSET_S(cpu + 1, size, set))
			cpu++;
		fprintf(to, "%s%d", ftell(to) ? "," : "", first);
		if (cpu > first)
			fprintf(to, "-%d", cpu);
	}
	if (!ftell(to))
		fputc('-', to);
	if (fclose(to))
		die(EXIT_FAILED, "out of memory");

	return list;
}

double option_number(const char *option, const char *string, double least, double most)
{
	char *end;
	double value = strtod(string, &end);

	if (end == string || *end || !(value >= least && value <= most))
		die(EXIT_USAGE, "--%s %s: must be a number from %g to %g", option, string, least,
		    most);

	return value;
}

long long option_whole(const char *option, const char *string, long long least, long long most)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(string, &end, 10);
	if (errno || end == string || *end || value < least || value > most)
		die(EXIT_USAGE, "--%s %s: must be a whole number from %lld to %lld", option, string,
		    least, most);

	return value;
}
