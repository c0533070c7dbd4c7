/*
 * forks [N]: N children one after the other, each names itself child-I, then executes this program again as
 * "forks leaf I", which names itself leaf-I and spins 1 ms in leaf(). Prints: forks N execs N exits N
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/work/clock.h"

static void name_self(const char *kind, const char *nr)
{
	char name[16];

	snprintf(name, sizeof(name), "%s-%.8s", kind, nr);
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

static __attribute__((noinline)) int leaf(const char *nr)
{
	uint64_t start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	name_self("leaf", nr);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start < 1000000)
		for (unsigned i = 0; i < 20000; i++)
			__asm__ volatile("");
	return 0;
}

static void child(unsigned long i)
{
	char nr[24];

	snprintf(nr, sizeof(nr), "%lu", i);
	name_self("child", nr);
	execl("/proc/self/exe", "forks", "leaf", nr, (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 10;

	if (argc > 2 && !strcmp(argv[1], "leaf"))
		return leaf(argv[2]);
	for (unsigned long i = 0; i < nr; i++) {
		int status = 1;
		pid_t pid = fork();

		if (!pid)
			child(i);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	printf("forks %lu execs %lu exits %lu\n", nr, nr, nr);
	return 0;
}
