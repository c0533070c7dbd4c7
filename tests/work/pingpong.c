/*
 * pingpong [ROUNDS [US]]: two threads hand a byte back and forth through pipes, and compute so long before they answer. Prints
 *	NS SWITCHES
 * how long the rounds took, and how often its threads left their CPU in them.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/work/clock.h"

static int there[2], back[2];
static unsigned long rounds = 100000;
static uint64_t compute_ns;

static void answer(int in, int out)
{
	uint64_t from;
	char byte;

	if (read(in, &byte, 1) != 1)
		exit(1);
	from = clock_ns(CLOCK_MONOTONIC);
	while (compute_ns && clock_ns(CLOCK_MONOTONIC) - from < compute_ns)
		;
	if (write(out, &byte, 1) != 1)
		exit(1);
}

static void *other(void *arg)
{
	(void)arg;
	for (unsigned long i = 0; i < rounds; i++)
		answer(there[0], back[1]);
	return NULL;
}

static long switches(void)
{
	struct rusage r;

	return getrusage(RUSAGE_SELF, &r) ? 0 : r.ru_nvcsw + r.ru_nivcsw;
}

int main(int argc, char **argv)
{
	uint64_t from;
	long before;
	pthread_t t;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		compute_ns = strtoul(argv[2], NULL, 10) * 1000;
	if (pipe(there) || pipe(back))
		return 1;
	before = switches();
	from = clock_ns(CLOCK_MONOTONIC);
	if (pthread_create(&t, NULL, other, NULL) || write(there[1], "x", 1) != 1)
		return 1;
	for (unsigned long i = 0; i + 1 < rounds; i++)
		answer(back[0], there[1]);
	pthread_join(t, NULL);
	printf("%" PRIu64 " %ld\n", clock_ns(CLOCK_MONOTONIC) - from, switches() - before);
	return 0;
}
