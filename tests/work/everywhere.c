/*
 * everywhere: a thread on each CPU that it may run on, the first one being the process's own, spins there until killed.
 * Prints "ready" and the threads' ids, in the order of CPUs, when all of them do.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t ready;
static long tids[CPU_SETSIZE];

static void settle(int cpu, int nr)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("everywhere: sched_setaffinity");
		exit(1);
	}
	tids[nr] = syscall(SYS_gettid);
	pthread_barrier_wait(&ready);
}

static _Noreturn void spin(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

static void *run(void *arg)
{
	const int *at = arg;

	settle(at[0], at[1]);
	spin();
}

int main(void)
{
	static int places[CPU_SETSIZE][2];
	cpu_set_t all;
	int nr = 0;

	if (sched_getaffinity(0, sizeof(all), &all)) {
		perror("everywhere: sched_getaffinity");
		return 1;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((unsigned)cpu, &all))
			continue;
		places[nr][0] = cpu;
		places[nr][1] = nr;
		nr++;
	}
	pthread_barrier_init(&ready, NULL, (unsigned)nr);
	for (int i = 1; i < nr; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, places[i])) {
			fputs("everywhere: cannot make threads\n", stderr);
			return 1;
		}
	}
	settle(places[0][0], 0);
	printf("ready");
	for (int i = 0; i < nr; i++)
		printf(" %ld", tids[i]);
	puts("");
	fflush(stdout);
	spin();
}
