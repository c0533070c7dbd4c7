/*
 * troubles CASE: a program that is slow for one known reason; prints the function, or thread, that is to blame.
 *
 *	hot	a loop takes the CPU
 *	lock	four threads wait for a lock, under which one of them sleeps
 *	syscall	a thread waits in read(2) of a pipe, into which is written late
 *	thread	one of four threads has most of the work
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))
#define THREADS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Not static: compilers may give what is known to be called here only other names. */
void hot_loop(void);
void take_turns(void);
void slow_read(int fd);

static void use_cpu(uint64_t ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
	volatile unsigned sum = 0;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 20000; i++)
			sum += i;
}

static void rest(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

KEEP void hot_loop(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 300000000; i++)
		sum += i;
}

KEEP void take_turns(void)
{
	pthread_mutex_lock(&mutex);
	rest(15);
	pthread_mutex_unlock(&mutex);
	__asm__ volatile("");
}

static void *waiter(void *arg)
{
	for (unsigned i = 0; i < 8; i++)
		take_turns();
	return arg;
}

static void *worker(void *arg)
{
	const bool *bad = arg;

	prctl(PR_SET_NAME, *bad ? "greedy" : "modest");
	use_cpu(*bad ? 500 : 30);
	return NULL;
}

static void *late_writer(void *arg)
{
	for (unsigned i = 0; i < 8; i++) {
		rest(50);
		if (write(((int *)arg)[1], "", 1) != 1)
			break;
	}
	return NULL;
}

KEEP void slow_read(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(1);
	__asm__ volatile("");
}

static void run_threads(void *(*body)(void *), bool *arguments)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, body, &arguments[i]);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int wait_in_read(void)
{
	pthread_t writer;
	int fds[2];

	if (pipe(fds) || pthread_create(&writer, NULL, late_writer, fds))
		return 1;
	for (unsigned i = 0; i < 8; i++)
		slow_read(fds[0]);
	pthread_join(writer, NULL);
	return puts("slow_read") < 0;
}

int main(int argc, char **argv)
{
	const char *trouble = argc > 1 ? argv[1] : "";

	if (!strcmp(trouble, "hot")) {
		hot_loop();
		return puts("hot_loop") < 0;
	}
	if (!strcmp(trouble, "lock")) {
		run_threads(waiter, (bool[THREADS]){ 0 });
		return puts("take_turns") < 0;
	}
	if (!strcmp(trouble, "thread")) {
		run_threads(worker, (bool[THREADS]){ false, false, true, false });
		return puts("greedy") < 0;
	}
	return strcmp(trouble, "syscall") ? 2 : wait_in_read();
}
