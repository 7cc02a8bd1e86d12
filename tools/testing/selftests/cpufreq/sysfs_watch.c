// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait for notifications of changes of sysfs files.
 *
 * usage: sysfs_watch READY MS FILE...
 *
 * Creates the file READY when it is ready.  Ends after MS milliseconds, or as soon as
 * poll(2) and inotify have reported all of the files, and prints a line with two
 * digits for every one of them: has poll reported it, has inotify?
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILES	512

static struct pollfd fds[MAX_FILES + 1];
static int watch[MAX_FILES], polled[MAX_FILES], notified[MAX_FILES];

static void die(const char *what)
{
	fprintf(stderr, "sysfs_watch: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* A file is only reported again after it has been read. */
static void read_file(int fd)
{
	char buf[4096];

	if (pread(fd, buf, sizeof(buf), 0) < 0 && errno == ENODEV)
		return;
}

static void read_inotify(int fd, int n)
{
	/* Aligned like struct inotify_event */
	int buf[1024];
	const struct inotify_event *e;
	ssize_t len;
	char *p, *end;
	int i;

	len = read(fd, buf, sizeof(buf));
	end = (char *)buf + len;
	for (p = (char *)buf; len > 0 && p < end; p += sizeof(*e) + e->len) {
		e = (const struct inotify_event *)p;
		for (i = 0; i < n; i++)
			if (watch[i] == e->wd && (e->mask & IN_MODIFY))
				notified[i] = 1;
	}
}

int main(int argc, char *argv[])
{
	int n = argc - 3, i, ino, left;
	long long end, rest;

	if (n < 1 || n > MAX_FILES) {
		fprintf(stderr, "usage: sysfs_watch READY MS FILE...\n");
		return 2;
	}

	ino = inotify_init1(IN_NONBLOCK);
	if (ino < 0)
		die("inotify");
	for (i = 0; i < n; i++) {
		fds[i].fd = open(argv[i + 3], O_RDONLY);
		if (fds[i].fd < 0)
			die(argv[i + 3]);
		fds[i].events = POLLPRI | POLLERR;
		watch[i] = inotify_add_watch(ino, argv[i + 3], IN_MODIFY);
		if (watch[i] < 0)
			die(argv[i + 3]);
		read_file(fds[i].fd);
	}
	fds[n].fd = ino;
	fds[n].events = POLLIN;

	i = open(argv[1], O_WRONLY | O_CREAT, 0600);
	if (i < 0)
		die(argv[1]);
	close(i);

	end = now_ms() + atoi(argv[2]);
	for (left = 1; left; ) {
		rest = end - now_ms();
		if (rest <= 0 || poll(fds, n + 1, rest) <= 0)
			break;
		left = 0;
		for (i = 0; i < n; i++) {
			if (fds[i].revents & (POLLPRI | POLLERR)) {
				polled[i] = 1;
				read_file(fds[i].fd);
			}
		}
		if (fds[n].revents)
			read_inotify(ino, n);
		for (i = 0; i < n; i++)
			if (!polled[i] || !notified[i])
				left = 1;
	}

	for (i = 0; i < n; i++)
		printf("%d%d\n", polled[i], notified[i]);
	return 0;
}
