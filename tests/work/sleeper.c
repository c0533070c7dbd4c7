/*
 * sleeper [N [MS]]: sleeps N times MS milliseconds in nap(). Prints the naps and the time they took:
 *	nap N NANOSECONDS
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/work/clock.h"

static __attribute__((noinline)) void nap(unsigned long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 10, ms = argc > 2 ? strtoul(argv[2], NULL, 0) : 10;
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	for (unsigned long i = 0; i < nr; i++)
		nap(ms);
	printf("nap %lu %llu\n", nr, (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - start));
	return 0;
}
