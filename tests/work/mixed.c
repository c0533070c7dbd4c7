/*
 * mixed [MS]: threads that compute, sleep, wait for each other on a pipe and compete for a mutex, for so long together. Each prints
 * at its end
 *	KIND TID FROM TO RAN READY
 * with CLOCK_MONOTONIC when it began and ended, and how long it ran and was ready without a CPU until then, as /proc says, in ns.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/work/clock.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int there[2], back[2];
static uint64_t length_ns = 2000000000;
static uint64_t until;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void compute_us(uint64_t us)
{
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - from < us * 1000)
		;
}

static void exchange(int in, int out)
{
	char byte = 'x';

	if (write(out, &byte, 1) == 1)	/* else the other has ended */
		(void)!read(in, &byte, 1);
}

static void do_compute(void) { compute_us(1000); }

static void do_sleep(void)
{
	compute_us(10000);
	usleep(5000);
}

static void do_there(void)
{
	compute_us(5000);
	exchange(back[0], there[1]);
}

static void do_back(void)
{
	compute_us(8000);
	exchange(there[0], back[1]);
}

static void do_lock(void)
{
	pthread_mutex_lock(&mutex);
	compute_us(5000);
	usleep(1500);
	pthread_mutex_unlock(&mutex);
	usleep(1000);
}

static const struct { const char *name; void (*once)(void); } kinds[] = {
	{ "compute", do_compute }, { "sleep", do_sleep }, { "there", do_there }, { "back", do_back },
	{ "lock", do_lock }, { "lock", do_lock },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void *run(void *arg)
{
	size_t i = (size_t)(uintptr_t)arg;
	uint64_t from = clock_ns(CLOCK_MONOTONIC), ran, ready;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	char text[100] = "";

	while (clock_ns(CLOCK_MONOTONIC) < until)
		kinds[i].once();
	/* The side that still waits for the other reads the end of the pipe. */
	if (kinds[i].once == do_there)
		close(there[1]);
	if (kinds[i].once == do_back)
		close(back[1]);
	if (fd < 0 || pread(fd, text, sizeof(text) - 1, 0) <= 0 || sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &ready) != 2)
		fail("/proc/thread-self/schedstat");
	printf("%s %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", kinds[i].name, (int)gettid(), from,
	       clock_ns(CLOCK_MONOTONIC), ran, ready);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_KINDS];

	if (argc > 1)
		length_ns = strtoull(argv[1], NULL, 10) * 1000000;
	if (pipe(there) || pipe(back))
		fail("pipe");
	signal(SIGPIPE, SIG_IGN);
	until = clock_ns(CLOCK_MONOTONIC) + length_ns;
	for (size_t i = 0; i < NR_KINDS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i))
			fail("pthread_create");
	for (size_t i = 0; i < NR_KINDS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
