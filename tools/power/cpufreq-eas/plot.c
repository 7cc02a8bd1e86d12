// SPDX-License-Identifier: GPL-2.0-only
/*
 * SVG pictures, drawn by gnuplot.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot.h"
#include "util.h"

extern char **environ;

/* The picture being drawn: one at a time. */
static struct {
	char *path;
	pid_t pid;
	int errors;		/* what gnuplot has to say */
	struct sigaction sigpipe;
} now;

static char reason[512];

char *plot_quote(const char *string)
{
	/* In single quotes, nothing but the quote itself is special. */
	char *quoted = xcalloc(2 * strlen(string) + 3, 1), *to = quoted;

	*to++ = '\'';
	for (; *string; string++) {
		if (*string == '\'')
			*to++ = '\'';
		*to++ = (unsigned char)*string < ' ' ? ' ' : *string;
	}
	*to = '\'';

	return quoted;
}

static pid_t start(int input)
{
	char *argv[] = { "gnuplot", "-", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, now.errors, STDERR_FILENO);

	/* SIGPIPE is ignored here, which gnuplot would inherit. */
	posix_spawnattr_init(&attributes);
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

	error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	errno = error;

	return error ? -1 : pid;
}

static void forget(void)
{
	sigaction(SIGPIPE, &now.sigpipe, NULL);
	if (now.errors >= 0)
		close(now.errors);
	free(now.path);
	now.path = NULL;
}

FILE *plot_begin(const char *path, int width, int height, const char **why)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int fd, ends[2];
	char *quoted;
	FILE *plot;

	/* gnuplot's own message about that comes late and is long. */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		snprintf(reason, sizeof(reason), "cannot write %s: %s", path, strerror(errno));
		*why = reason;
		return NULL;
	}
	close(fd);

	now.path = xstrdup(path);
	now.errors = memfd_create("gnuplot", MFD_CLOEXEC);
	/* If gnuplot ends early, plot_end() shall say why. */
	sigaction(SIGPIPE, &ignore, &now.sigpipe);
	if (now.errors < 0 || pipe2(ends, O_CLOEXEC)) {
		snprintf(reason, sizeof(reason), "cannot start gnuplot: %s", strerror(errno));
		*why = reason;
		forget();
		return NULL;
	}

	now.pid = start(ends[0]);
	close(ends[0]);
	if (now.pid < 0) {
		snprintf(reason, sizeof(reason), errno == ENOENT ?
			 "gnuplot is missing, install the Debian package gnuplot-nox" :
			 "cannot start gnuplot: %s", strerror(errno));
		*why = reason;
		close(ends[1]);
		forget();
		return NULL;
	}

	plot = fdopen(ends[1], "w");
	if (!plot)
		die(EXIT_FAILED, "out of memory");

	quoted = plot_quote(path);
	fprintf(plot,
		"set terminal svg size %d,%d noenhanced font 'sans-serif,14' linewidth 1.5 "
		"background '#ffffff'\n"
		"set output %s\n"
		/* Told apart by people who do not see all colours, too */
		"set linetype 1 lc rgb '#0072b2'\n"
		"set linetype 2 lc rgb '#d55e00'\n"
		"set linetype 3 lc rgb '#009e73'\n"
		"set linetype 4 lc rgb '#cc79a7'\n"
		"set linetype 5 lc rgb '#e69f00'\n"
		"set linetype 6 lc rgb '#56b4e9'\n"
		"set linetype 7 lc rgb '#000000'\n"
		"set linetype 8 lc rgb '#999999'\n"
		"set linetype cycle 8\n"
		"set border 3 lc rgb '#444444'\n"
		"set tics nomirror\n"
		"set grid lc rgb '#dddddd'\n"
		"set encoding utf8\n", width, height, quoted);
	free(quoted);

	return plot;
}

const char *plot_end(FILE *plot)
{
	const char *why = NULL;
	char line[256] = "", *p;
	int status;
	FILE *errors;

	/* Errors of writing come from gnuplot ending, which is looked at below. */
	fclose(plot);
	while (waitpid(now.pid, &status, 0) < 0 && errno == EINTR)
		;

	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		/* The line that matters is the last one, above it are the command and a caret. */
		lseek(now.errors, 0, SEEK_SET);
		errors = fdopen(now.errors, "r");
		if (errors) {
			char next[sizeof(line)];

			while (fgets(next, sizeof(next), errors)) {
				p = next + strspn(next, " \t");
				p[strcspn(p, "\n")] = '\0';
				if (*p)
					memcpy(line, p, strlen(p) + 1);
			}
			fclose(errors);
			now.errors = -1;
		}
		snprintf(reason, sizeof(reason), "gnuplot has not made %s: %s", now.path,
			 *line ? line : "it was killed");
		why = reason;
	}
	forget();

	return why;
}
