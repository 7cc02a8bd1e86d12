// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting back what was there before.
 *
 * What is to be put back is a list of items. A copy of each is sent to another process, the
 * guard, before anything is changed. Undoing starts with the last item.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "state.h"
#include "util.h"

/* A control group that has just become empty may be busy for a moment. */
#define BUSY_MS		3000

/* Messages to the guard: one of these, followed by kind and texts if it is an item. */
enum { NOTE = 'n', RESTORE = 'r', FORGET = 'f' };
#define MAX_MESSAGE	65536

static struct item *items;
static pid_t owner;
static int guard = -1;		/* socket */

/* ---- The list ---------------------------------------------------------- */

static bool undo_file(const struct item *item)
{
	bool same;
	char *now;
	int ret;

	now = read_file("%s", item->text[PATH]);
	same = now && !strcmp(now, item->text[VALUE]);
	free(now);
	if (same)
		return true;

	ret = write_file(item->text[VALUE], "%s", item->text[PATH]);
	if (ret == -ENOENT && item->kind == OPTIONAL)
		return true;
	if (ret)
		warn("cannot put %s back into %s: %s", item->text[VALUE], item->text[PATH],
		     strerror(-ret));

	return !ret;
}

static bool undo_directory(const struct item *item)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	int left;

	for (left = BUSY_MS / 10; left; left--) {
		if (!rmdir(item->text[PATH]) || errno == ENOENT)
			return true;
		if (errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	warn("cannot remove %s: %s", item->text[PATH], strerror(errno));

	return false;
}

static bool undo(const struct item *item)
{
	switch (item->kind) {
	case DIRECTORY: return undo_directory(item);
	case POLICY: return state_undo_policy(item);
	default: return undo_file(item);
	}
}

bool guard_undo(bool only_cpufreq)
{
	struct item *item;
	bool ok = true;

	for (item = items; item; item = item->older)
		if (!only_cpufreq || item->kind >= MODE)
			ok &= undo(item);

	return ok;
}

static void forget_all(void)
{
	struct item *item;
	int i;

	while (items) {
		item = items;
		items = item->older;
		for (i = 0; i < NR_TEXTS; i++)
			free(item->text[i]);
		free(item);
	}
}

static struct item *find_item(enum kind kind, const char *path)
{
	struct item *item;

	for (item = items; item; item = item->older)
		if (item->kind == kind && !strcmp(item->text[PATH], path))
			break;

	return item;
}

bool guard_noted(enum kind kind, const char *path)
{
	struct item *item;

	if (path)
		return find_item(kind, path);
	for (item = items; item; item = item->older)
		if (item->kind == kind)
			return true;

	return false;
}

/* If it is in the list already, only the texts change. */
static struct item *add_item(enum kind kind, const char *const text[NR_TEXTS])
{
	struct item *item = find_item(kind, text[PATH]);
	int i;

	if (!item) {
		item = xcalloc(1, sizeof(*item));
		item->kind = kind;
		item->older = items;
		items = item;
	}
	for (i = 0; i < NR_TEXTS; i++) {
		char *old = item->text[i];

		item->text[i] = xstrdup(text[i] ?: "");
		free(old);
	}

	return item;
}

/* ---- The guard --------------------------------------------------------- */

static void receive(int from, int flags)
{
	static char message[MAX_MESSAGE];
	const char *text[NR_TEXTS], *p = message + 2;
	ssize_t n;
	int i;

	while ((n = recv(from, message, sizeof(message) - 1, flags)) > 0) {
		switch (message[0]) {
		case NOTE:
			message[n] = '\0';
			for (i = 0, p = message + 2; i < NR_TEXTS; i++, p += strlen(p) + 1)
				text[i] = p;
			add_item(message[1], text);
			break;
		case RESTORE:
			/* Keep the list: more may be changed before it is really over. */
			guard_undo(false);
			send(from, message, 1, MSG_NOSIGNAL);
			break;
		case FORGET:
			forget_all();
			break;
		}
		if (!flags)
			return;
	}
}

__attribute__((noreturn))
static void watch(int parent, int from)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGPIPE };
	struct pollfd fds[] = {
		{ .fd = parent, .events = POLLIN }, { .fd = from, .events = POLLIN },
	};
	size_t i;
	int null;

	for (i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	/* Out of reach of a terminal, of kill -PGRP, and of killall PROGRAM */
	setsid();
	prctl(PR_SET_NAME, "eas-restore");
	/* Keep no file system busy and no pipe open, but have warnings go where they would. */
	if (chdir("/"))
		warn("cannot leave the working directory");
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	/* Nothing may be changed before that. */
	send(from, "", 1, MSG_NOSIGNAL);

	for (;;) {
		fds[0].revents = fds[1].revents = 0;
		poll(fds, 2, -1);
		if (fds[0].revents) {
			receive(from, MSG_DONTWAIT);
			guard_undo(false);
			_exit(0);
		}
		if (fds[1].revents & POLLIN)
			receive(from, 0);
		else if (fds[1].revents)
			fds[1].fd = -1;
	}
}

/* Have the guard do it: the list must not be touched in a signal handler. */
static void restore_and_die(int signal_number)
{
	char message = RESTORE;
	int saved = errno;

	if (getpid() == owner && send(guard, &message, 1, MSG_NOSIGNAL) == 1)
		while (recv(guard, &message, 1, 0) < 0 && errno == EINTR)
			;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	errno = saved;
}

static void restore_at_exit(void)
{
	state_restore();
}

void state_guard(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	int parent, ends[2];
	struct sigaction action, old;
	int status;
	char ready;
	size_t i;
	pid_t pid;

	fflush(NULL);
	owner = getpid();
	parent = syscall(SYS_pidfd_open, owner, 0);
	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die(EXIT_FAILED, "cannot prepare to restore what will be changed: %s",
		    strerror(errno));

	pid = fork();
	if (!pid) {
		/* Not to be found by wait() of a program that has children of its own */
		pid = fork();
		if (!pid) {
			close(ends[0]);
			watch(parent, ends[1]);
		}
		_exit(pid < 0);
	}
	close(ends[1]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status ||
	    recv(ends[0], &ready, 1, 0) != 1)
		die(EXIT_FAILED, "cannot start the process that restores what will be changed");
	close(parent);
	guard = ends[0];

	atexit(restore_at_exit);
	memset(&action, 0, sizeof(action));
	action.sa_handler = restore_and_die;
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

int guard_note(enum kind kind, const char *const text[NR_TEXTS])
{
	static char message[MAX_MESSAGE];
	char *p = message;
	int i;

	*p++ = NOTE;
	*p++ = kind;
	for (i = 0; i < NR_TEXTS; i++) {
		size_t length = strlen(text[i] ?: "") + 1;

		if (p + length >= message + sizeof(message))
			return -EFBIG;
		p = mempcpy(p, text[i] ?: "", length);
	}
	if (send(guard, message, p - message, MSG_NOSIGNAL) < 0)
		return -errno;
	add_item(kind, text);

	return 0;
}

bool state_restore(void)
{
	char message = FORGET;
	bool ok;

	if (getpid() != owner || !items)
		return true;
	ok = guard_undo(false);
	forget_all();
	send(guard, &message, 1, MSG_NOSIGNAL);

	return ok;
}

/* ---- Files and directories --------------------------------------------- */

static int write_noted(const char *value, const char *undo, const char *path)
{
	char *before = NULL;
	int ret = 0;

	if (!guard_noted(FILE_ITEM, path)) {
		if (!undo) {
			before = read_file("%s", path);
			if (!before)
				return -errno;
		}
		ret = guard_note(FILE_ITEM, (const char *[NR_TEXTS]){ path, undo ?: before });
		free(before);
	}

	return ret ?: write_file(value, "%s", path);
}

int state_write(const char *value, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);

	return write_noted(value, NULL, path);
}

int state_write_undo(const char *value, const char *undo, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);

	return write_noted(value, undo, path);
}

int state_mkdir(const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int ret;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);

	/* Somebody else's is not ours to remove. */
	if (!access(path, F_OK))
		return -EEXIST;
	ret = guard_note(DIRECTORY, (const char *[NR_TEXTS]){ path });
	if (ret)
		return ret;

	return mkdir(path, 0755) ? -errno : 0;
}
