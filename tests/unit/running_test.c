/*
 * A made-up scheduler knows how many threads run at any time; the replay of its records, which begin in the middle, must
 * agree. After lost records it must be right again once each thread has come or gone.
 */
#include "core/sched/running.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/check.h"

#define THREADS	12u
#define STEPS	3000u

enum life { UNBORN, OFF, ON, ENDED };

struct world {
	enum life life[THREADS];
	uint32_t number[STEPS];		/* that run after the step of time i + 1 */
	uint32_t saw_all;		/* the step after which each thread was seen again; see live() */
};

static uint32_t tid_of(unsigned thread)
{
	return 100 + thread;
}

/* A thread's next step; @r NULL: it is not recorded. */
static void step(struct world *w, struct running *r, unsigned thread, uint64_t time)
{
	enum life *life = &w->life[thread];
	enum life next = *life == OFF ? ON : *life == ON ? (rand() % 20 ? OFF : ENDED) : OFF;

	if (r && (*life == UNBORN || *life == ENDED))
		running_forked(r, tid_of(thread), time);
	else if (r && next == ENDED)
		running_end(r, tid_of(thread), time);
	else if (r)
		running_switch(r, tid_of(thread), next == ON, time);
	*life = next;
}

/* Steps of time [lost_from, lost_to) are not heard. */
static struct running *live(struct world *w, unsigned seed, uint32_t lost_from, uint32_t lost_to)
{
	struct running *r = running_new();
	bool heard[THREADS] = {0};
	unsigned nr_heard = 0;

	*w = (struct world){ .saw_all = STEPS };
	srand(seed);
	for (unsigned i = 0; i < THREADS; i++)
		w->life[i] = (enum life)(rand() % 3);
	for (uint32_t i = 0; i < STEPS; i++) {
		unsigned thread = (unsigned)rand() % THREADS;
		bool lost = i + 1 >= lost_from && i + 1 < lost_to;

		step(w, lost ? NULL : r, thread, i + 1);
		if (!lost && i + 1 >= lost_to && !heard[thread]) {
			heard[thread] = true;
			if (++nr_heard == THREADS)
				w->saw_all = i;
		}
		for (unsigned t = 0; t < THREADS; t++)
			w->number[i] += w->life[t] == ON;
	}
	running_switch(r, 0, true, 5);			/* the idle task, */
	running_switch(r, UINT32_MAX, false, 6);	/* and one past its end */
	running_finish(r);
	return r;
}

static unsigned count_wrong(const struct world *w, const struct running *r, uint32_t from, uint32_t to)
{
	unsigned wrong = 0;
	size_t at = 0;

	for (uint32_t i = from; i < to; i++)
		wrong += running_at(r, &at, i + 1) != (w->number[i] ? w->number[i] : 1);
	/* In any order, too. */
	for (uint32_t n = 0; n < 1000 && to > from; n++) {
		uint32_t i = from + (uint32_t)rand() % (to - from);

		wrong += running_at(r, &at, i + 1) != (w->number[i] ? w->number[i] : 1);
	}
	return wrong;
}

int main(void)
{
	static struct world w;

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct running *r = live(&w, seed, STEPS + 1, STEPS + 1);

		CHECK(!count_wrong(&w, r, 0, STEPS));
		running_free(r);
		r = live(&w, seed, 1000, 1100);
		CHECK(w.saw_all < STEPS);
		CHECK(!count_wrong(&w, r, 0, 999));
		CHECK(!count_wrong(&w, r, w.saw_all, STEPS));
		running_free(r);
	}
	return 0;
}
