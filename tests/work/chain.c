/*
 * chain: six threads in a row, each of which waits for the one before, works 20 ms, and wakes the next, in a way of its own; the
 * first sleeps 100 ms. Prints for each, in the order in which they ran,
 *	NAME TID FROM TO
 * with CLOCK_MONOTONIC in ns when it was awake, and before it woke the next.
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define LINKS	6
#define WORK_MS	20

static int ready[2], pipes[2], sockets[2], event;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool signalled;
static struct { pid_t tid; uint64_t from, to; } links[LINKS];

static void must(bool done, const char *what)
{
	if (done)
		return;
	perror(what);
	exit(1);
}

/* A thread's last word before it waits. */
static void say_ready(void)
{
	must(write(ready[1], "r", 1) == 1, "write");
}

static void read_from(int fd)
{
	char bytes[8];

	must(read(fd, bytes, sizeof(bytes)) > 0, "read");
}

static void wait_sleep(void) { usleep(100000); }
static void wait_pipe(void) { read_from(pipes[0]); }
static void wait_socket(void) { read_from(sockets[0]); }

static void wait_condition(void)
{
	pthread_mutex_lock(&mutex);
	while (!signalled)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void wait_event(void)
{
	struct pollfd p = { .fd = event, .events = POLLIN };

	must(poll(&p, 1, -1) == 1, "poll");
}

static void wait_mutex(void)
{
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
}

static void wake_pipe(void) { must(write(pipes[1], "x", 1) == 1, "write"); }
static void wake_socket(void) { must(write(sockets[1], "x", 1) == 1, "write"); }
static void wake_nobody(void) { }

static void wake_condition(void)
{
	pthread_mutex_lock(&mutex);
	signalled = true;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&condition);
}

static void wake_event(void)
{
	uint64_t one = 1;

	must(write(event, &one, sizeof(one)) == sizeof(one), "write");
}

static void wake_mutex(void) { pthread_mutex_unlock(&held); }

/* The fifth holds what the sixth waits for. */
static void hold(void) { pthread_mutex_lock(&held); }

static const struct { const char *name; void (*before)(void), (*wait)(void), (*wake)(void); } kinds[LINKS] = {
	{ "sleep", wake_nobody, wait_sleep, wake_pipe },
	{ "pipe", wake_nobody, wait_pipe, wake_socket },
	{ "socket", wake_nobody, wait_socket, wake_condition },
	{ "condition", wake_nobody, wait_condition, wake_event },
	{ "poll", hold, wait_event, wake_mutex },
	{ "futex", wake_nobody, wait_mutex, wake_nobody },
};

static void *run(void *arg)
{
	size_t i = (size_t)(uintptr_t)arg;

	links[i].tid = gettid();
	kinds[i].before();
	say_ready();
	kinds[i].wait();
	links[i].from = clock_ns(CLOCK_MONOTONIC);
	while (clock_ns(CLOCK_MONOTONIC) - links[i].from < WORK_MS * 1000000u)
		;
	links[i].to = clock_ns(CLOCK_MONOTONIC);
	kinds[i].wake();
	return NULL;
}

int main(void)
{
	/* The last waits first; what it waits for is held by the one that is begun before it. */
	static const size_t order[LINKS] = { 4, 5, 3, 2, 1, 0 };
	pthread_t threads[LINKS];

	event = eventfd(0, 0);
	must(!pipe(ready) && !pipe(pipes) && !socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) && event >= 0, "pipe");
	for (size_t i = 0; i < LINKS; i++) {
		char byte;

		must(!pthread_create(&threads[order[i]], NULL, run, (void *)(uintptr_t)order[i]), "pthread_create");
		must(read(ready[0], &byte, 1) == 1, "read");
	}
	for (size_t i = 0; i < LINKS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < LINKS; i++)
		printf("%s %d %" PRIu64 " %" PRIu64 "\n", kinds[i].name, (int)links[i].tid, links[i].from, links[i].to);
	return 0;
}
