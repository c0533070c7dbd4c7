/*
 * deep MS FRAMES...: a thread for each number, which for MS milliseconds of its CPU time is in burn(), below so many calls of
 * down(), each of which has 4,000 bytes of the stack. With FRAMES-FRAMES... it does so for one number after the other. Prints for
 * each thread: TID FRAMES
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")
#define THREADS_MAX 8

void burn(void);
void down(unsigned frames);

static uint64_t ns;

KEEP void burn(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		__asm__ volatile("" : "+r"(i));
}

KEEP void down(unsigned frames)
{
	volatile char room[4000];

	for (size_t i = 0; i < sizeof(room); i += 512)
		room[i] = 1;
	if (frames > 1)
		down(frames - 1);
	else
		burn();
	AFTER_CALL();
}

KEEP static void for_a_while(unsigned frames)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		frames ? down(frames) : burn();
	AFTER_CALL();
}

static void *thread(void *frames)
{
	const char *at = frames;

	printf("%d %s\n", (int)gettid(), (const char *)frames);
	fflush(stdout);
	do
		for_a_while((unsigned)atoi(at));
	while ((at = strchr(at, '-')) && at++);
	return frames;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int nr = argc - 2 < THREADS_MAX ? argc - 2 : THREADS_MAX;

	ns = (argc > 1 ? strtoull(argv[1], NULL, 0) : 100) * 1000000;
	for (int i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, thread, argv[2 + i]);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
