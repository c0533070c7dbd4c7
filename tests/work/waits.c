/*
 * waits [PHASE...]: one thread after the other waits in a known way; those named, or all. Each that could be done prints
 *	REASON TID FROM TO OFF
 * (a phase "schedstat", which must be named, prints "schedstat TID RAN READY", in ns, as /proc has them)
 * with CLOCK_MONOTONIC at its beginning and end, and OFF, how much of that its CPU clock did not advance, all in ns.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define WAIT_MS		600
#define FILE_BYTES	(32u << 20)
#define BLOCK		(256u << 10)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ends[2];			/* of a pipe or a pair of sockets */

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}

static void must(bool done, const char *what)
{
	if (done)
		return;
	perror(what);
	exit(1);
}

/* ---- what ends a wait: another thread ---- */

static void *release_mutex(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	must(write(ends[1], "x", 1) == 1, "write");	/* it is taken now */
	pause_ms(WAIT_MS);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *signal_condition(void *arg)
{
	pause_ms(WAIT_MS);
	pthread_mutex_lock(&mutex);
	*(bool *)arg = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *write_byte(void *arg)
{
	(void)arg;
	pause_ms(WAIT_MS);
	must(write(ends[1], "x", 1) == 1, "write");
	return NULL;
}

static pthread_t start(void *(*run)(void *arg), void *arg)
{
	pthread_t t;

	must(!pthread_create(&t, NULL, run, arg), "pthread_create");
	return t;
}

/* ---- measuring ---- */

struct span { uint64_t from, cpu; };

static struct span begin(void)
{
	return (struct span){ clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_THREAD_CPUTIME_ID) };
}

static void end(const char *reason, struct span s)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), to = clock_ns(CLOCK_MONOTONIC);
	uint64_t wall = to - s.from, ran = cpu - s.cpu;

	printf("%s %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", reason, (int)gettid(), s.from, to, wall > ran ? wall - ran : 0);
	fflush(stdout);
}

/* ---- the ways to wait ---- */

static void do_sleep(void)
{
	struct span s = begin();

	pause_ms(WAIT_MS);
	end("sleep", s);
}

static void do_futex(void)
{
	pthread_t other;
	struct span s;
	char byte;

	must(!pipe(ends), "pipe");
	other = start(release_mutex, NULL);
	must(read(ends[0], &byte, 1) == 1, "read");
	s = begin();
	pthread_mutex_lock(&mutex);
	end("futex", s);
	pthread_mutex_unlock(&mutex);
	pthread_join(other, NULL);
}

static void do_condition(void)
{
	bool done = false;
	pthread_t other = start(signal_condition, &done);
	struct span s = begin();

	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	end("condition", s);
	pthread_join(other, NULL);
}

static void read_byte(const char *reason)
{
	pthread_t other = start(write_byte, NULL);
	struct span s = begin();
	char byte;

	must(read(ends[0], &byte, 1) == 1, "read");
	end(reason, s);
	pthread_join(other, NULL);
}

static void do_pipe(void)
{
	must(!pipe(ends), "pipe");
	read_byte("pipe");
}

static void do_socket(void)
{
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	read_byte("socket");
}

static void do_poll(void)
{
	struct pollfd p = { .events = POLLIN };
	pthread_t other;
	struct span s;

	must(!pipe(ends), "pipe");
	p.fd = ends[0];
	other = start(write_byte, NULL);
	s = begin();
	must(poll(&p, 1, -1) == 1, "poll");
	end("poll", s);
	pthread_join(other, NULL);
}

static void do_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = epoll_create1(0);
	pthread_t other;
	struct span s;

	must(!pipe(ends), "pipe");
	must(!epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &e), "epoll_ctl");
	other = start(write_byte, NULL);
	s = begin();
	must(epoll_wait(fd, &e, 1, -1) == 1, "epoll_wait");
	end("epoll", s);
	pthread_join(other, NULL);
}

/* A file of the current directory that is on the disk, and not in memory as far as the system says so. */
static int make_file(int flags)
{
	char *block = malloc(BLOCK);
	int fd = open("waits.file", O_RDWR | O_CREAT | O_TRUNC, 0600);

	must(fd >= 0 && block, "waits.file");
	memset(block, 'x', BLOCK);
	for (unsigned at = 0; at < FILE_BYTES; at += BLOCK)
		must(write(fd, block, BLOCK) == BLOCK, "write");
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	free(block);
	close(fd);
	return open("waits.file", O_RDONLY | flags);
}

static void do_disk(void)
{
	int fd = make_file(O_DIRECT);
	struct span s;
	void *block;

	if (fd < 0)
		return;			/* this file system has no such reads */
	must(!posix_memalign(&block, 4096, BLOCK), "posix_memalign");
	s = begin();
	for (unsigned at = 0; at < FILE_BYTES; at += BLOCK)
		must(pread(fd, block, BLOCK, at) == BLOCK, "pread");
	end("disk", s);
	free(block);
	close(fd);
}

static void do_page_fault(void)
{
	int fd = make_file(0);
	const volatile char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	struct span s;

	must(map != MAP_FAILED, "mmap");
	madvise((void *)(uintptr_t)map, FILE_BYTES, MADV_RANDOM);
	s = begin();
	for (unsigned at = 0; at < FILE_BYTES; at += 8 * 4096)
		(void)map[at];
	end("page-fault", s);
	munmap((void *)(uintptr_t)map, FILE_BYTES);
	close(fd);
}

static void do_child(void)
{
	pid_t child = fork();
	struct span s;

	if (!child) {
		pause_ms(WAIT_MS);
		_exit(0);
	}
	s = begin();
	must(waitpid(child, NULL, 0) == child, "waitpid");
	end("child", s);
}

/* The child is the one that waits. */
static void do_ptrace(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct span s;

		must(!ptrace(PTRACE_TRACEME, 0, NULL, NULL), "PTRACE_TRACEME");
		s = begin();
		raise(SIGSTOP);
		end("ptrace", s);
		_exit(0);
	}
	must(waitpid(child, &status, 0) == child && WIFSTOPPED(status), "waitpid");
	pause_ms(WAIT_MS);
	must(!ptrace(PTRACE_CONT, child, NULL, NULL), "PTRACE_CONT");
	must(waitpid(child, &status, 0) == child, "waitpid");
}

static void stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Two processes that compute want the same CPU. */
static void do_cpu(void)
{
	cpu_set_t all;
	struct span s;
	pid_t child;

	sched_getaffinity(0, sizeof(all), &all);
	stay_here();
	child = fork();
	while (!child)
		;
	s = begin();
	while (clock_ns(CLOCK_MONOTONIC) - s.from < 2ull * WAIT_MS * 1000000)
		;
	end("cpu", s);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	sched_setaffinity(0, sizeof(all), &all);
}

static void do_schedstat(void)
{
	unsigned long long ran = 0, ready = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	must(f && fscanf(f, "%llu %llu", &ran, &ready) == 2, "schedstat");
	printf("schedstat %d %llu %llu\n", (int)gettid(), ran, ready);
	fclose(f);
}

static const struct { const char *name; void (*wait)(void); } phases[] = {
	{ "sleep", do_sleep }, { "futex", do_futex }, { "condition", do_condition }, { "pipe", do_pipe }, { "socket", do_socket },
	{ "poll", do_poll }, { "epoll", do_epoll }, { "disk", do_disk }, { "page-fault", do_page_fault }, { "child", do_child },
	{ "ptrace", do_ptrace }, { "cpu", do_cpu }, { "schedstat", do_schedstat },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		bool wanted = argc < 2 && phases[i].wait != do_schedstat;

		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], phases[i].name);
		if (wanted)
			phases[i].wait();
	}
	return 0;
}
