// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs_write - write to a file with one write(2) and report the outcome
 *
 * Usage: sysfs_write FILE STRING [LENGTH]
 *
 * STRING is written as it is, without a newline unless it contains one, padded
 * with NUL bytes up to LENGTH if that is given.  Print the number of bytes
 * written or the name of the error.  The exit status is only nonzero if the
 * write could not be attempted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name;
} errors[] = {
	{ EACCES, "EACCES" },	{ EAGAIN, "EAGAIN" },	{ EBUSY, "EBUSY" },
	{ EINVAL, "EINVAL" },	{ EIO, "EIO" },		{ ENODEV, "ENODEV" },
	{ ENOENT, "ENOENT" },	{ ENOMEM, "ENOMEM" },	{ EOPNOTSUPP, "EOPNOTSUPP" },
	{ EPERM, "EPERM" },	{ ERANGE, "ERANGE" },	{ 0, NULL }
};

static void print_error(int number)
{
	int i;

	for (i = 0; errors[i].name; i++) {
		if (errors[i].number == number) {
			puts(errors[i].name);
			return;
		}
	}
	printf("errno %d\n", number);
}

int main(int argc, char **argv)
{
	size_t length, size;
	ssize_t ret;
	char *buf;
	int fd;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: %s FILE STRING [LENGTH]\n", argv[0]);
		return 2;
	}

	length = strlen(argv[2]);
	size = argc > 3 ? strtoul(argv[3], NULL, 10) : length;
	if (size < length) {
		fprintf(stderr, "%s: LENGTH is less than that of STRING\n", argv[0]);
		return 2;
	}

	buf = calloc(1, size + 1);
	if (!buf) {
		perror(argv[0]);
		return 1;
	}
	memcpy(buf, argv[2], length);

	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}

	ret = write(fd, buf, size);
	if (ret < 0)
		print_error(errno);
	else
		printf("%zd\n", ret);

	close(fd);
	free(buf);

	return 0;
}
