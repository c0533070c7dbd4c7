/*
 * load busy THREADS ROUNDS: that many threads share ROUNDS rounds of some 50 us, each 20 calls deep.
 * load forks N RATE: N children, RATE a second, each works for some 2 ms of it.
 * The work is the same each time, so that its CPU time says how much slower a recorder makes it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEEP		20
#define STEPS		50000
#define NS_OF_SECOND	1000000000ul
#define ROUNDS_OF_CHILD	40
#define MAX_THREADS	1024

static atomic_long left;

static __attribute__((noinline)) unsigned long work(unsigned depth, unsigned long x)
{
	if (depth)
		return work(depth - 1, x + depth) * 3 + depth;	/* no tail call */
	for (unsigned i = 0; i < STEPS; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static void *share(void *arg)
{
	while (atomic_fetch_sub(&left, 1) > 0)
		work(DEEP, (unsigned long)arg);
	return NULL;
}

static int busy(unsigned long threads)
{
	pthread_t list[MAX_THREADS];

	if (threads > MAX_THREADS)
		return 1;
	for (unsigned long i = 0; i < threads; i++)
		if (pthread_create(&list[i], NULL, share, (void *)i))
			return 1;
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(list[i], NULL);
	return 0;
}

static int forks(unsigned long nr, unsigned long rate)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (unsigned long i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			for (int k = 0; k < ROUNDS_OF_CHILD; k++)
				work(DEEP, i);
			_exit(0);
		}
		next.tv_nsec += (long)(NS_OF_SECOND / rate);
		next.tv_sec += next.tv_nsec / (long)NS_OF_SECOND;
		next.tv_nsec %= (long)NS_OF_SECOND;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc == 4 ? strtoul(argv[2], NULL, 0) : 0, amount = argc == 4 ? strtoul(argv[3], NULL, 0) : 0;

	if (nr && amount && !strcmp(argv[1], "busy")) {
		atomic_store(&left, (long)amount);
		return busy(nr);
	}
	if (nr && amount && !strcmp(argv[1], "forks"))
		return forks(nr, amount);
	fprintf(stderr, "usage: load busy THREADS ROUNDS | load forks N RATE\n");
	return 129;
}
