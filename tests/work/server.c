/*
 * server [REQUESTS]: serves requests one after the other (500). Each computes 0.3 ms, sleeps 1 ms, and asks a helper, who answers
 * after 0.5 ms by a pipe; of fifty one goes by slow_path(), which sleeps 60 ms more. Prints of each
 *	FROM TO CPU SLEPT ASKED
 * with CLOCK_MONOTONIC at its beginning and end, what the thread's CPU clock advanced, and how long the sleeps and the question
 * took, all in ns. A request begins with the call of request_begin() and ends with that of request_end().
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define SLOW_ONE_OF	50

struct request { uint64_t from, to, cpu, slept, asked; };

static int questions[2], answers[2];

static void must(bool done, const char *what)
{
	if (done)
		return;
	perror(what);
	exit(1);
}

void request_begin(void);
void request_end(void);
void slow_path(void);

__attribute__((noinline, noipa)) static void pause_us(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
	__asm__ volatile("" ::: "memory");
}

static void *help(void *arg)
{
	char byte;

	while (read(questions[0], &byte, 1) == 1) {
		pause_us(500);
		must(write(answers[1], &byte, 1) == 1, "write");
	}
	return arg;
}

__attribute__((noinline, noipa)) void request_begin(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline, noipa)) void request_end(void) { __asm__ volatile("" ::: "memory"); }

__attribute__((noinline)) static void compute(void)
{
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - from < 300000)
		;
}

__attribute__((noinline, noipa)) void slow_path(void)
{
	pause_us(60000);
	__asm__ volatile("" ::: "memory");
}

static void serve(struct request *r, size_t number)
{
	uint64_t cpu, at;
	char byte = 'q';

	r->from = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	request_begin();
	compute();
	at = clock_ns(CLOCK_MONOTONIC);
	pause_us(1000);
	if (number % SLOW_ONE_OF == SLOW_ONE_OF - 1)
		slow_path();
	r->slept = clock_ns(CLOCK_MONOTONIC) - at;
	at = clock_ns(CLOCK_MONOTONIC);
	must(write(questions[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1, "the helper");
	r->asked = clock_ns(CLOCK_MONOTONIC) - at;
	request_end();
	r->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	r->to = clock_ns(CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
	struct request *requests = calloc(nr, sizeof(*requests));
	pthread_t helper;

	must(requests && !pipe(questions) && !pipe(answers), "server");
	must(!pthread_create(&helper, NULL, help, NULL), "pthread_create");
	for (size_t i = 0; i < nr; i++)
		serve(&requests[i], i);
	close(questions[1]);
	pthread_join(helper, NULL);
	for (size_t i = 0; i < nr; i++)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", requests[i].from, requests[i].to,
		       requests[i].cpu, requests[i].slept, requests[i].asked);
	free(requests);
	return 0;
}
