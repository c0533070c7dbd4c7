/*
 * A made-up scheduler knows how many threads run at any time; the replay of its records, which begin in the middle, must
 * agree. After lost records it must be right again once each thread has come or gone.
 */
#include "core/sched/running.h"
#include "core/sched/task_changes.h"

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

static void add(struct task_changes *changes, uint32_t tid, enum task_change_kind kind, uint64_t time)
{
	vec_push(&changes->list, (struct task_change){ .time = time, .tid = tid, .kind = kind });
}

/* A thread's next step; @changes NULL: it is not recorded. */
static void step(struct world *w, struct task_changes *changes, unsigned thread, uint64_t time)
{
	enum life *life = &w->life[thread];
	enum life next = *life == OFF ? ON : *life == ON ? (rand() % 20 ? OFF : ENDED) : OFF;

	if (changes)
		add(changes, tid_of(thread), *life == UNBORN || *life == ENDED ? TASK_FORKED : next == ENDED ? TASK_END :
		    next == ON ? TASK_IN : TASK_OUT, time);
	*life = next;
}

/* Steps of time [lost_from, lost_to) are not heard. */
static struct running *live(struct world *w, unsigned seed, uint32_t lost_from, uint32_t lost_to)
{
	struct task_changes changes = {0};
	struct running *r;
	bool heard[THREADS] = {0};
	unsigned nr_heard = 0;

	*w = (struct world){ .saw_all = STEPS };
	srand(seed);
	for (unsigned i = 0; i < THREADS; i++)
		w->life[i] = (enum life)(rand() % 3);
	for (uint32_t i = 0; i < STEPS; i++) {
		unsigned thread = (unsigned)rand() % THREADS;
		bool lost = i + 1 >= lost_from && i + 1 < lost_to;

		step(w, lost ? NULL : &changes, thread, i + 1);
		if (!lost && i + 1 >= lost_to && !heard[thread]) {
			heard[thread] = true;
			if (++nr_heard == THREADS)
				w->saw_all = i;
		}
		for (unsigned t = 0; t < THREADS; t++)
			w->number[i] += w->life[t] == ON;
	}
	add(&changes, 0, TASK_IN, STEPS + 1);			/* the idle task, */
	add(&changes, UINT32_MAX, TASK_OUT, STEPS + 2);		/* and one past its end */
	r = running_new(&changes);
	vec_free(&changes.list);
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
