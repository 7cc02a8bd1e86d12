// SPDX-License-Identifier: GPL-2.0-only
/*
 * Use files in all the ways that system calls allow for: with any flags, sizes, offsets
 * and contents, from several processes.
 *
 * usage: fuzz SECONDS SEED PROCESSES WORDS FILE...
 *
 * WORDS is a comma-separated list of contents that make sense.  What comes out of it is
 * for the caller, and the kernel, to find out.  Prints the number of system calls.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS	64
#define MAX_FDS		16
#define SIZE		9000

static char *words[MAX_WORDS];
static int nr_words;
static char **files;
static int nr_files;
static unsigned long long rng;
static unsigned long calls, works;

static unsigned int below(unsigned int n)
{
	unsigned long long z = rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) % n;
}

static size_t some_size(void)
{
	static const size_t sizes[] = { 0, 1, 2, 15, 16, 30, 31, 4095, 4096, 4097, SIZE };

	return below(2) ? sizes[below(sizeof(sizes) / sizeof(sizes[0]))] : below(40);
}

static off_t some_offset(void)
{
	static const off_t offsets[] = { 0, 1, 5, 4095, 4096, 0x7fffffff, 0x7fffffffffffffff, -1 };

	return below(3) ? 0 : offsets[below(sizeof(offsets) / sizeof(offsets[0]))];
}

/* Returns the length. */
static size_t some_contents(char *buf)
{
	size_t len = some_size(), i;

	switch (below(6)) {
	case 0:
		for (i = 0; i < len; i++)
			buf[i] = below(256);
		break;
	case 1:
		memset(buf, "0-1 \n%"[below(6)], len);
		break;
	case 2:
		/* Cut off, or followed by NUL bytes */
		memset(buf, 0, SIZE);
		strcpy(buf, words[below(nr_words)]);
		break;
	default:
		strcpy(buf, words[below(nr_words)]);
		len = strlen(buf);
		if (below(2))
			buf[len++] = '\n';
	}
	return len;
}

static int some_open(void)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_WRONLY, O_RDWR };
	static const int flags[] = { 0, 0, O_APPEND, O_NONBLOCK, O_TRUNC, O_DIRECT, O_SYNC, O_CREAT };

	return open(files[below(nr_files)], modes[below(4)] | flags[below(8)] | flags[below(8)], 0644);
}

static void fuzz(time_t end)
{
	static char buf[SIZE + 1];
	int fds[MAX_FDS], pipes[2], i, n = 0;
	struct pollfd p;
	struct iovec v[2];
	struct stat st;
	off_t offset;
	long ret;

	for (i = 0; i < MAX_FDS; i++)
		fds[i] = -1;
	if (pipe2(pipes, O_NONBLOCK))
		exit(1);
	while (time(NULL) < end) {
		int a = below(MAX_FDS), b = below(MAX_FDS);

		ret = 0;
		switch (below(14)) {
		case 0:
		case 1:
			if (fds[a] >= 0)
				close(fds[a]);
			fds[a] = some_open();
			ret = fds[a];
			break;
		case 2:
		case 3:
		case 4:
			ret = write(fds[a], buf, some_contents(buf));
			break;
		case 5:
			ret = pwrite(fds[a], buf, some_contents(buf), some_offset());
			break;
		case 6:
			ret = read(fds[a], buf, some_size());
			break;
		case 7:
			ret = pread(fds[a], buf, some_size(), some_offset());
			break;
		case 8:
			ret = lseek(fds[a], some_offset(), below(3));
			break;
		case 9:
			offset = some_offset();
			ret = sendfile(fds[a], fds[b], below(2) ? &offset : NULL, some_size());
			break;
		case 10:
			/* Both ways through a pipe, which may be empty or full. */
			if (below(2))
				ret = splice(fds[a], NULL, pipes[1], NULL, some_size(), SPLICE_F_NONBLOCK);
			else
				ret = splice(pipes[0], NULL, fds[a], NULL, some_size(), SPLICE_F_NONBLOCK);
			break;
		case 11:
			v[0].iov_base = buf;
			v[0].iov_len = some_contents(buf);
			v[1].iov_base = buf + below(8);
			v[1].iov_len = below(8);
			ret = writev(fds[a], v, 2);
			break;
		case 12:
			p = (struct pollfd){ .fd = fds[a], .events = POLLPRI | POLLERR };
			ret = poll(&p, 1, 0);
			break;
		default:
			ret = below(2) ? fstat(fds[a], &st) : ftruncate(fds[a], some_offset());
		}
		calls++;
		works += ret >= 0;
		n++;
	}
	printf("# %lu system calls, %lu of them successful\n", calls, works);
}

int main(int argc, char *argv[])
{
	int processes, i, status, bad = 0;
	unsigned long long seed;
	time_t end;
	char *word;

	if (argc < 6) {
		fprintf(stderr, "usage: fuzz SECONDS SEED PROCESSES WORDS FILE...\n");
		return 2;
	}
	end = time(NULL) + atoi(argv[1]);
	seed = strtoull(argv[2], NULL, 0);
	processes = atoi(argv[3]);
	for (word = strtok(argv[4], ","); word && nr_words < MAX_WORDS; word = strtok(NULL, ","))
		words[nr_words++] = word;
	files = argv + 5;
	nr_files = argc - 5;

	for (i = 0; i < processes; i++) {
		if (fork())
			continue;
		rng = seed + i;
		fuzz(end);
		fflush(stdout);
		_exit(!works);
	}
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}
