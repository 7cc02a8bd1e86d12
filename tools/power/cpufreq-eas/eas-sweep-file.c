// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state file: what a sweep is, and the result of each run, line by line.
 *
 * First there are lines with all that makes results comparable, ended by a fingerprint of
 * these lines. What follows is only ever appended to.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eas-sweep.h"
#include "util.h"

/* The last character is the version. */
#define VERSION_LINE	"eas-sweep state 1"

const char *const status_names[NR_STATUS] = {
	[RUN_OK] = "ok",
	[RUN_FAILED] = "failed",
	[RUN_UNSET] = "not-set",
	[RUN_DISTURBED] = "disturbed",
};

/* ---- Writing -------------------------------------------------------------------- */

/* FNV-1a: this is against mistakes, not against people. */
static uint64_t fingerprint(const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (length--)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3;

	return hash;
}

/* One line whatever is in it */
static void print_escaped(FILE *to, const char *string)
{
	for (; *string; string++) {
		if (*string == '\n')
			fputs("\\n", to);
		else if (*string == '\\')
			fputs("\\\\", to);
		else
			fputc(*string, to);
	}
}

static void unescape(char *string)
{
	char *to = string;

	for (; *string; string++) {
		if (*string == '\\' && string[1])
			*to++ = *++string == 'n' ? '\n' : *string;
		else
			*to++ = *string;
	}
	*to = '\0';
}

char *file_format_header(const struct sweep *sweep)
{
	size_t length;
	char *text;
	FILE *to = open_memstream(&text, &length);
	int i;

	if (!to)
		die(EXIT_FAILED, "out of memory");

	fprintf(to, VERSION_LINE "\nmachine ");
	print_escaped(to, sweep->machine);
	fprintf(to, "\nseed %llu\nscale %.15g\npause %.15g\n", sweep->seed, sweep->scale,
		sweep->pause);
	for (i = 0; i < sweep->tests; i++) {
		if (sweep->test[i].load) {
			fprintf(to, "builtin %s\n", sweep->test[i].name);
		} else {
			fprintf(to, "command %s ", sweep->test[i].name);
			print_escaped(to, sweep->test[i].command);
			fputc('\n', to);
		}
	}
	for (i = 0; i < sweep->configs; i++)
		fprintf(to, "config %s\n", sweep->config[i].name);
	fflush(to);
	fprintf(to, "fingerprint %016llx\nrounds %d\n",
		(unsigned long long)fingerprint(text, length), sweep->rounds);
	if (fclose(to))
		die(EXIT_FAILED, "out of memory");

	return text;
}

static void print_number(FILE *to, double number)
{
	if (isnan(number))
		fputs(" -", to);
	else
		fprintf(to, " %.9g", number);
}

char *file_format_sample(const struct sweep *sweep, const struct sample *sample)
{
	size_t length;
	char *text;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		die(EXIT_FAILED, "out of memory");

	fprintf(to, "run %d %s %s %s", sample->round, sweep->test[sample->test].name,
		sweep->config[sample->config].name, status_names[sample->status]);
	print_number(to, sample->seconds);
	print_number(to, sample->joules);
	print_number(to, sample->work);
	print_number(to, sample->mean);
	print_number(to, sample->p99);
	fputc('\n', to);
	if (fclose(to))
		die(EXIT_FAILED, "out of memory");

	return text;
}

static void append(int fd, const char *path, char *text)
{
	size_t length = strlen(text), done = 0;
	off_t end;
	ssize_t n;

	while (done < length) {
		n = write(fd, text + done, length - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		done += n;
	}
	/* The rest of a longer line that was torn */
	end = lseek(fd, 0, SEEK_CUR);
	if (end < 0 || ftruncate(fd, end) || fsync(fd))
		goto fail;
	free(text);
	return;

fail:
	die(EXIT_FAILED, "cannot write %s: %s; mend that, then go on with --resume", path,
	    strerror(errno));
}

void file_append(int fd, const char *path, const struct sweep *sweep,
		 const struct sample *sample)
{
	append(fd, path, file_format_sample(sweep, sample));
}

void file_append_rounds(int fd, const char *path, int rounds)
{
	append(fd, path, xasprintf("rounds %d\n", rounds));
}

static void lock(int fd, const char *path)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		die(EXIT_FAILED, "another eas-sweep uses %s: wait for it, or name another with --state",
		    path);
}

void file_exists(const char *path)
{
	die(EXIT_FAILED, "there is %s of an earlier sweep: go on with --resume, remove it, or name another with --state",
	    path);
}

int file_create(const char *path, const struct sweep *sweep)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), directory;
	char *copy;

	if (fd < 0 && errno == EEXIST)
		file_exists(path);
	if (fd < 0)
		die(EXIT_FAILED, "cannot write %s: %s; name another with --state", path,
		    strerror(errno));
	lock(fd, path);
	append(fd, path, file_format_header(sweep));

	/* The name of a new file is part of the directory. */
	copy = xstrdup(path);
	directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (directory >= 0) {
		fsync(directory);
		close(directory);
	}

	return fd;
}

/* ---- Reading -------------------------------------------------------------------- */

/* The next word of a line, or "" */
static char *word(char **line)
{
	char *start = *line, *end = start + strcspn(start, " ");

	*line = *end ? end + 1 : end;
	*end = '\0';

	return start;
}

static bool parse_number(const char *string, double *number)
{
	char *end;

	if (!strcmp(string, "-")) {
		*number = NAN;
		return true;
	}
	*number = strtod(string, &end);

	return end != string && !*end && isfinite(*number);
}

static bool parse_rounds(const char *string, int *number)
{
	char *end;
	long value = strtol(string, &end, 10);

	*number = value;

	return end != string && !*end && value >= 1 && value <= MAX_ROUNDS;
}

/* Return: false if the line is not all right. */
static bool parse_header(char *line, struct sweep *sweep)
{
	char *key = word(&line), *name, *end;

	if (!strcmp(key, "machine")) {
		unescape(line);
		sweep->machine = xstrdup(line);
	} else if (!strcmp(key, "seed")) {
		sweep->seed = strtoull(line, &end, 10);
		return end != line && !*end;
	} else if (!strcmp(key, "scale")) {
		return parse_number(line, &sweep->scale);
	} else if (!strcmp(key, "pause")) {
		return parse_number(line, &sweep->pause);
	} else if (!strcmp(key, "builtin")) {
		if (!find_load(line))
			return false;
		sweep_add_test(sweep, line, NULL, find_load(line));
	} else if (!strcmp(key, "command")) {
		name = word(&line);
		unescape(line);
		sweep_add_test(sweep, name, line, NULL);
	} else if (!strcmp(key, "config")) {
		sweep_add_config(sweep, line, NULL);
	} else {
		return false;
	}

	return true;
}

static bool parse_sample(char *line, struct sweep *sweep)
{
	struct sample s;
	char *name;
	int i;

	if (!parse_rounds(word(&line), &s.round) || s.round > sweep->rounds)
		return false;
	s.test = sweep_find_test(sweep, word(&line));
	s.config = sweep_find_config(sweep, word(&line));
	if (s.test < 0 || s.config < 0)
		return false;

	/* Twice the same cannot be, since what is there is not run again. */
	for (i = 0; i < sweep->samples; i++)
		if (sweep->sample[i].round == s.round && sweep->sample[i].test == s.test &&
		    sweep->sample[i].config == s.config)
			return false;

	name = word(&line);
	for (i = 0; i < NR_STATUS && strcmp(name, status_names[i]); i++)
		;
	if (i == NR_STATUS)
		return false;
	s.status = i;

	if (!parse_number(word(&line), &s.seconds) || !parse_number(word(&line), &s.joules) ||
	    !parse_number(word(&line), &s.work) || !parse_number(word(&line), &s.mean) ||
	    !parse_number(word(&line), &s.p99) || *line)
		return false;
	sweep_add_sample(sweep, &s);

	return true;
}

/* The fingerprint line: it ends the header, which must be complete. */
static bool parse_fingerprint(const char *line, const char *header, size_t length,
			      const struct sweep *sweep)
{
	char *expected = xasprintf("fingerprint %016llx",
				   (unsigned long long)fingerprint(header, length));
	bool same = !strcmp(line, expected);

	free(expected);

	return same && sweep->machine && sweep->tests && sweep->configs;
}

char *file_parse(char *text, size_t *length, struct sweep *sweep)
{
	char *copy = xcalloc(*length + 1, 1), *line = text, *end, *problem = NULL;
	enum { VERSION_NEXT, HEADER, ROUNDS_NEXT, BODY } state = VERSION_NEXT;
	int number = 1;
	bool good;

	memcpy(copy, text, *length);
	/* A last line without an end is torn: it is left out. */
	for (; (end = memchr(line, '\n', text + *length - line)); line = end + 1, number++) {
		*end = '\0';
		if (state == VERSION_NEXT) {
			if (strcmp(line, VERSION_LINE)) {
				problem = xstrdup(strncmp(line, VERSION_LINE,
							  strlen(VERSION_LINE) - 1) ?
					"is not a state file: name one with --state" :
					"is of another version of eas-sweep: start a new sweep with another --state");
				break;
			}
			state = HEADER;
			continue;
		}
		if (state == HEADER && !strncmp(line, "fingerprint ", 12)) {
			good = parse_fingerprint(line, copy, line - text, sweep);
			state = ROUNDS_NEXT;
		} else if (state == HEADER) {
			good = parse_header(line, sweep);
		} else if (!strncmp(line, "rounds ", 7)) {
			good = parse_rounds(line + 7, &sweep->rounds);
			state = BODY;
		} else {
			good = state == BODY && !strncmp(line, "run ", 4) &&
			       parse_sample(line + 4, sweep);
		}
		/* Zeros, which a file system may leave after a crash, would hide the rest. */
		if (!good || strlen(copy + (line - text)) < (size_t)(end - line)) {
			problem = xasprintf(state == HEADER || state == ROUNDS_NEXT ?
					    "is damaged in line %d: remove it and start without --resume" :
					    "is damaged in line %d: remove that line, its run is repeated",
					    number);
			break;
		}
	}
	if (!problem && state != BODY)
		problem = xstrdup("is not complete: remove it and start without --resume");
	*length = line - text;
	free(copy);

	return problem;
}

int file_load(const char *path, struct sweep *sweep)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat stat;
	char *text, *problem;
	size_t length;
	ssize_t n;

	/* Results can be printed without that. */
	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		die(EXIT_FAILED, "there is no %s: name it with --state, or start without --resume",
		    path);
	if (fd < 0 || fstat(fd, &stat))
		die(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
	if (!S_ISREG(stat.st_mode))
		die(EXIT_FAILED, "%s is not a file: name one with --state", path);
	lock(fd, path);

	text = xcalloc(stat.st_size + 1, 1);
	for (length = 0; length < (size_t)stat.st_size; length += n) {
		n = read(fd, text + length, stat.st_size - length);
		if (n < 0)
			die(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
		if (!n)
			break;
	}
	problem = file_parse(text, &length, sweep);
	if (problem)
		die(EXIT_FAILED, "%s %s", path, problem);
	lseek(fd, length, SEEK_SET);
	free(text);

	return fd;
}
