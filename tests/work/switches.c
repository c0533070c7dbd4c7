/*
 * switches [N]: two threads hand a byte back and forth N times through pipes (voluntary switches), then compete for
 * one CPU (involuntary ones). Prints the switches of all its threads from its start to its end:
 *	switches TOTAL voluntary V involuntary I
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define COMPETE_NS 50000000

struct pair {
	int there[2], back[2];
	unsigned long rounds;
};

static __attribute__((noinline)) void compete(void)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < COMPETE_NS)
		;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t allowed, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed)) {
			CPU_SET(i, &one);
			break;
		}
	sched_setaffinity(0, sizeof(one), &one);
}

static void *echo(void *arg)
{
	struct pair *p = arg;
	char c;

	for (unsigned long i = 0; i < p->rounds; i++)
		if (read(p->there[0], &c, 1) != 1 || write(p->back[1], &c, 1) != 1)
			exit(1);
	compete();
	return NULL;
}

int main(int argc, char **argv)
{
	struct pair p = { .rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000 };
	struct rusage before, after;
	pthread_t other;
	char c = 0;

	getrusage(RUSAGE_SELF, &before);
	stay_on_one_cpu();
	if (pipe(p.there) || pipe(p.back) || pthread_create(&other, NULL, echo, &p))
		return 1;
	for (unsigned long i = 0; i < p.rounds; i++)
		if (write(p.there[1], &c, 1) != 1 || read(p.back[0], &c, 1) != 1)
			return 1;
	compete();
	pthread_join(other, NULL);
	getrusage(RUSAGE_SELF, &after);
	after.ru_nvcsw -= before.ru_nvcsw;
	after.ru_nivcsw -= before.ru_nivcsw;
	printf("switches %ld voluntary %ld involuntary %ld\n", after.ru_nvcsw + after.ru_nivcsw,
	       after.ru_nvcsw, after.ru_nivcsw);
	return 0;
}
