/*
 * The path back over wake-ups: of a made-up chain it is the chain; of steps that contradict each other it ends, has no gaps, and
 * never goes forth in time.
 */
#include "core/sched/wait_path.h"

#include "tests/unit/check.h"

#define THREADS	5u

static struct wait_step step(uint64_t time, enum wait_step_kind kind, uint32_t tid)
{
	return (struct wait_step){
		.time = time, .position = time, .tid = tid, .pid = 1, .kind = (uint8_t)kind, .source = WAIT_BY_TRACEPOINT,
		.state = WAIT_SLEEPING,
	};
}

static struct wait_step wake(uint64_t time, uint32_t waker, uint32_t tid)
{
	struct wait_step s = step(time, WAIT_STEP_WAKE, tid);

	s.waker = waker;
	return s;
}

static void check_step(const struct wait_path *p, const struct waits *w, size_t i, uint32_t tid, enum path_kind kind,
		       uint64_t from, uint64_t to)
{
	const struct path_step *s = i < p->steps.nr ? &p->steps.v[i] : NULL;

	CHECK(s && w->tasks.v[s->task].tid == tid && s->kind == kind && s->from == from && s->to == to,
	      "step %zu is %u %d %" PRIu64 " %" PRIu64, i, s ? w->tasks.v[s->task].tid : 0, s ? s->kind : -1,
	      s ? s->from : 0, s ? s->to : 0);
}

/* Thread 1 sleeps until 50 and wakes 2, which runs until 90 and wakes 3. */
static void check_chain(void)
{
	struct wait_step steps[] = {
		step(5, WAIT_STEP_OUT, 1), step(10, WAIT_STEP_OUT, 2), step(20, WAIT_STEP_OUT, 3),
		wake(40, WAIT_INTERRUPT, 1), step(50, WAIT_STEP_IN, 1), wake(60, 1, 2), step(65, WAIT_STEP_IN, 2),
		wake(90, 2, 3), step(91, WAIT_STEP_IN, 3), step(100, WAIT_STEP_OUT, 3),
	};
	struct waits *w = waits_new(steps, ARRAY_SIZE(steps), 100, NULL);
	struct wait_lists *l = wait_lists_new(w);
	struct wait_path p = {0};

	wait_path_find(&p, l, waits_task_at(w, 3, 100), 0, 100);
	CHECK(p.steps.nr == 7, "%zu steps", p.steps.nr);
	check_step(&p, w, 0, 1, PATH_OFF, 5, 40);
	check_step(&p, w, 1, 1, PATH_READY, 40, 50);
	check_step(&p, w, 2, 1, PATH_RUNNING, 50, 60);
	check_step(&p, w, 3, 2, PATH_READY, 60, 65);
	check_step(&p, w, 4, 2, PATH_RUNNING, 65, 90);
	check_step(&p, w, 5, 3, PATH_READY, 90, 91);
	check_step(&p, w, 6, 3, PATH_RUNNING, 91, 100);
	CHECK(p.steps.v[2].wakes && p.steps.v[4].wakes && !p.steps.v[1].wakes && !p.steps.v[6].wakes);
	vec_free(&p.steps);
	/* A part of it. */
	wait_path_find(&p, l, waits_task_at(w, 3, 100), 62, 95);
	CHECK(p.steps.nr == 4, "%zu steps", p.steps.nr);
	check_step(&p, w, 0, 2, PATH_READY, 62, 65);
	check_step(&p, w, 3, 3, PATH_RUNNING, 91, 95);
	vec_free(&p.steps);
	wait_lists_free(l);
	waits_free(w);
}

static struct wait_step random_step(uint64_t *seed, uint64_t time)
{
	uint32_t tid = 1 + (uint32_t)random_below(seed, THREADS);

	switch (random_below(seed, 6)) {
	case 0: return step(time, WAIT_STEP_IN, tid);
	case 1: return step(time, WAIT_STEP_OUT, tid);
	case 2: return step(time, random_below(seed, 9) ? WAIT_STEP_SAMPLE : WAIT_STEP_FORKED, tid);
	case 3: return step(time, random_below(seed, 9) ? WAIT_STEP_SAMPLE : WAIT_STEP_END, tid);
	default: return wake(time, 1 + (uint32_t)random_below(seed, THREADS), tid);
	}
}

static void check_random(uint64_t *seed)
{
	struct wait_step steps[60];
	uint64_t time = 1;
	struct waits *w;
	struct wait_lists *l;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		steps[i] = random_step(seed, time);
		steps[i].position = i;
		time += random_below(seed, 3);
	}
	w = waits_new(steps, ARRAY_SIZE(steps), time, NULL);
	l = wait_lists_new(w);
	for (uint32_t task = 0; task < w->tasks.nr; task++) {
		struct wait_path p = {0};

		wait_path_find(&p, l, task, 0, time);
		for (size_t i = 0; i < p.steps.nr; i++) {
			const struct path_step *s = &p.steps.v[i];

			CHECK(s->from < s->to && s->to <= time, "step %zu", i);
			CHECK(!i || s[-1].to == s->from, "a gap before step %zu", i);
		}
		CHECK(!p.steps.nr || p.steps.v[p.steps.nr - 1].to == time);
		vec_free(&p.steps);
	}
	wait_lists_free(l);
	waits_free(w);
}

int main(void)
{
	uint64_t seed = 7;

	check_chain();
	for (unsigned i = 0; i < 20000; i++)
		check_random(&seed);
	return nr_failed != 0;
}
