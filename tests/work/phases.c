/*
 * phases [MS]: spends MS of CPU time (500): a_70 has 70 %, b_20 20 %, c_10 10 % of it, called by run(), in slices of at most 70 ms.
 * Slices are longer than the time between samples, so that a few hundred samples show the shares to a point. Ends with 100 calls
 * of getppid().
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))
#define SLICES 5u

/* The constants differ so that the compiler cannot make one function of them. */
#define FUNCTION(name, factor)						\
static KEEP uint64_t name(uint64_t x, uint64_t end)				\
{									\
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) {		\
		for (unsigned i = 0; i < 50000; i++) {			\
			x = x * factor + 1;				\
			__asm__ volatile("" : "+r"(x));			\
		}							\
	}								\
	return x;							\
}
FUNCTION(a_70, 6364136223846793005u)
FUNCTION(b_20, 2862933555777941757u)
FUNCTION(c_10, 3935559000370003845u)

static KEEP uint64_t run(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID), x = 1;

	for (unsigned i = 0; i < SLICES; i++) {
		x = a_70(x, end += ns / SLICES * 70 / 100);
		x = b_20(x, end += ns / SLICES * 20 / 100);
		x = c_10(x, end += ns / SLICES * 10 / 100);
	}
	return x;
}

int main(int argc, char **argv)
{
	uint64_t x = run((argc > 1 ? (uint64_t)atoi(argv[1]) : 500) * 1000000);

	for (unsigned i = 0; i < 100; i++)
		getppid();
	printf("%llu\n", (unsigned long long)x);
	return 0;
}
