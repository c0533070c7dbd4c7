/*
 * What `make demo` records: a small image pipeline on four threads for about two seconds of CPU time. Per tile
 * blur() does six parts of work, sharpen() three and histogram() one; decode() calls the first two.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/work/clock.h"

#define THREADS	4
#define THREAD_NS 500000000
#define TILE	4096

struct worker {
	pthread_t id;
	uint32_t tile[TILE];
	unsigned bins[16], tiles;
	char name[16];
};

#define KEEP __attribute__((noinline))

static KEEP void blur(uint32_t *t)
{
	for (unsigned round = 0; round < 6; round++)
		for (unsigned i = 0; i < TILE; i++) {
			t[i] = (t[i] * 3 + t[(i + 1) % TILE]) / 4 + 1;
			__asm__ volatile("" ::: "memory");
		}
}

static KEEP void sharpen(uint32_t *t)
{
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < TILE; i++) {
			t[i] = (t[i] * 5 - t[(i + 1) % TILE]) / 4 + 2;
			__asm__ volatile("" ::: "memory");
		}
}

static KEEP void histogram(struct worker *w)
{
	for (unsigned i = 0; i < TILE; i++) {
		w->bins[(w->tile[i] * 7 + w->tile[(i + 1) % TILE]) / 4 % 16]++;
		__asm__ volatile("" ::: "memory");
	}
}

static KEEP void decode(struct worker *w)
{
	blur(w->tile);
	sharpen(w->tile);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	pthread_setname_np(pthread_self(), w->name);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < THREAD_NS) {
		for (unsigned i = 0; i < 20; i++) {
			decode(w);
			histogram(w);
			w->tiles++;
		}
	}
	return NULL;
}

int main(void)
{
	static struct worker workers[THREADS];
	unsigned tiles = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		snprintf(workers[i].name, sizeof(workers[i].name), "tile-%u", i);
		if (pthread_create(&workers[i].id, NULL, worker_main, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].id, NULL);
		tiles += workers[i].tiles;
	}
	printf("demo: %u tiles on %u threads; expect about 60 %% in blur, 30 %% in sharpen, 10 %% in histogram\n",
	       tiles, THREADS);
	return 0;
}
