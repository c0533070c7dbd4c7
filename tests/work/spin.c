/*
 * spin [CPU [MS]]: spins on CPU (-1: anywhere) for MS of CPU time (0: until it is killed). Prints "ready" once it
 * is on that CPU, and at its end: spin NANOSECONDS
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/work/clock.h"

static __attribute__((noinline)) uint64_t spin(uint64_t x)
{
	for (unsigned i = 0; i < 200000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

int main(int argc, char **argv)
{
	int cpu = argc > 1 ? atoi(argv[1]) : -1;
	uint64_t ns = argc > 2 ? strtoull(argv[2], NULL, 0) * 1000000 : 0, x = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0) {
		CPU_SET((unsigned)cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set)) {
			perror("spin: sched_setaffinity");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	while (!ns || clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns)
		x = spin(x);
	printf("spin %llu\n", (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
