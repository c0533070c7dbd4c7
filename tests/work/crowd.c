/*
 * crowd K CPU MS: K processes that spin on CPU for MS of time. They are called "spinner" while all of them are ready to
 * run. Prints at its end: crowd K CPU
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/work/clock.h"

/* Nobody begins before all are there: the parent then lets go of the pipe. All end at the same time, *@end. */
static void spin(int gate, const volatile uint64_t *end)
{
	volatile uint64_t x = 0;
	char c;

	if (read(gate, &c, 1))
		_exit(1);
	prctl(PR_SET_NAME, "spinner");
	while (clock_ns(CLOCK_MONOTONIC) < *end)
		for (unsigned i = 0; i < 20000; i++)
			x += i;
	prctl(PR_SET_NAME, "done");
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned k = argc > 1 ? (unsigned)atoi(argv[1]) : 3, cpu = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	uint64_t ns = (argc > 3 ? strtoull(argv[3], NULL, 0) : 500) * 1000000;
	uint64_t *end = mmap(NULL, sizeof(*end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int gate[2];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (end == MAP_FAILED || sched_setaffinity(0, sizeof(set), &set) || pipe(gate)) {
		perror("crowd");
		return 1;
	}
	for (unsigned i = 0; i < k; i++)
		if (!fork()) {
			close(gate[1]);
			spin(gate[0], end);
		}
	*end = clock_ns(CLOCK_MONOTONIC) + ns;
	close(gate[1]);
	for (unsigned i = 0; i < k; i++)
		wait(NULL);
	printf("crowd %u %u\n", k, cpu);
	return 0;
}
