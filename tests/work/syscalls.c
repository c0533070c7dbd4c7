/*
 * syscalls [N [THREADS]]: each thread calls getppid(2) N times in ask(). Nothing else of the program or of libc
 * uses that call. Prints: getppid SUM
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static __attribute__((noinline)) void *ask(void *arg)
{
	for (unsigned long i = *(unsigned long *)arg; i; i--)
		syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned threads = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	pthread_t *ids = calloc(threads + 1, sizeof(*ids));

	for (unsigned i = 1; i < threads; i++)
		if (pthread_create(&ids[i], NULL, ask, &nr))
			return 1;
	ask(&nr);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("getppid %lu\n", nr * (threads ? threads : 1));
	free(ids);
	return 0;
}
