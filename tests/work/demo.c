/*
 * The program of `make demo`: a small image pipeline on four threads, half a second of CPU time each. By the threads' own
 * clocks, blur() and sharpen(), called by render(), get 60 % and 30 %, histogram(), called by analyse(), 10 %; it prints the
 * real shares.
 */
#include <pthread.h>
#include <stdio.h>

#include "tests/work/clock.h"

#define THREADS		4
#define THREAD_NS	500000000
#define TILE		4096

enum stage { BLUR, SHARPEN, HISTOGRAM, NR_STAGES };

static const unsigned percent[NR_STAGES] = { 60, 30, 10 };

struct worker {
	pthread_t id;
	char name[16];
	uint64_t spent_ns[NR_STAGES];
	uint32_t tile[TILE];
	unsigned seed;
	unsigned bins[16];
};

#define KEEP __attribute__((noinline))

/* GCC sets up frames for functions that call nothing only where they want to know their own. */
#define KEEP_FRAME() __asm__ volatile("" : : "r" (__builtin_frame_address(0)))

static KEEP void blur(uint32_t *t, unsigned n)
{
	KEEP_FRAME();
	for (unsigned i = 0; i < n; i++) {
		t[i % TILE] = (t[i % TILE] * 3 + t[(i + 1) % TILE]) / 4 + 1;
		__asm__ volatile("" ::: "memory");
	}
}

static KEEP void sharpen(uint32_t *t, unsigned n)
{
	KEEP_FRAME();
	for (unsigned i = 0; i < n; i++) {
		t[i % TILE] = (t[i % TILE] * 5 - t[(i + 1) % TILE]) / 4 + 2;
		__asm__ volatile("" ::: "memory");
	}
}

static KEEP void histogram(struct worker *w, unsigned n)
{
	KEEP_FRAME();
	for (unsigned i = 0; i < n; i++) {
		w->bins[w->tile[i % TILE] / 16 % 16]++;
		__asm__ volatile("" ::: "memory");
	}
}

static KEEP void render(struct worker *w, enum stage stage, unsigned n)
{
	if (stage == BLUR)
		blur(w->tile, n);
	else
		sharpen(w->tile, n);
	__asm__ volatile("" ::: "memory");
}

static KEEP void analyse(struct worker *w, unsigned n)
{
	histogram(w, n);
	__asm__ volatile("" ::: "memory");
}

/* The stage that is most behind its share. */
static enum stage next_stage(const struct worker *w, uint64_t now)
{
	enum stage best = BLUR;
	double most = 0;

	for (enum stage s = BLUR; s < NR_STAGES; s++) {
		double behind = (double)now * percent[s] / 100 - (double)w->spent_ns[s];

		if (behind > most) {
			most = behind;
			best = s;
		}
	}
	return best;
}

/* Some 0.1 to 0.5 ms of work, never the same twice, lest it runs in step with who samples it. */
static unsigned next_size(struct worker *w)
{
	w->seed = w->seed * 1103515245 + 12345;
	return 50000 + (w->seed >> 14);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	uint64_t now, last = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	pthread_setname_np(pthread_self(), w->name);
	for (; last < THREAD_NS; last = now) {
		enum stage stage = next_stage(w, last);
		unsigned n = next_size(w);

		if (stage == HISTOGRAM)
			analyse(w, n);
		else
			render(w, stage, n);
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		w->spent_ns[stage] += now - last;
	}
	return NULL;
}

int main(void)
{
	static struct worker workers[THREADS];
	uint64_t spent[NR_STAGES] = { 0 }, sum = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].seed = i;
		snprintf(workers[i].name, sizeof(workers[i].name), "tile-%u", i);
		if (pthread_create(&workers[i].id, NULL, worker_main, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].id, NULL);
		for (enum stage s = BLUR; s < NR_STAGES; s++) {
			spent[s] += workers[i].spent_ns[s];
			sum += workers[i].spent_ns[s];
		}
	}
	printf("demo: %d threads: %.1f %% in blur, %.1f %% in sharpen, %.1f %% in histogram\n", THREADS,
	       100.0 * spent[BLUR] / sum, 100.0 * spent[SHARPEN] / sum, 100.0 * spent[HISTOGRAM] / sum);
	return 0;
}
