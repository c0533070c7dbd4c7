/* The order of steps; the replay of the end of a thread, after which its own events are gone. */
#include "core/read/order.h"
#include "core/sched/waits.h"

#include "tests/unit/check.h"

static struct wait_step step(uint64_t time, enum wait_step_kind kind, enum wait_source source, enum wait_state state)
{
	return (struct wait_step){
		.time = time, .position = time, .tid = 7, .pid = 7, .kind = (uint8_t)kind, .source = (uint8_t)source,
		.state = (uint8_t)state,
	};
}

static void check_task(struct wait_step *steps, size_t nr, uint64_t last, uint64_t on, uint64_t runnable)
{
	struct waits *w = waits_new(steps, nr, 1000, NULL);
	const struct wait_task *t = &w->tasks.v[0];

	CHECK(w->tasks.nr == 1 && t->last == last && t->on == on && t->runnable == runnable && !t->off,
	      "%zu: until %" PRIu64 ", on %" PRIu64 ", ready %" PRIu64 ", off %" PRIu64, w->tasks.nr, t->last, t->on, t->runnable,
	      t->off);
	CHECK(!w->gaps.nr_in && !w->gaps.nr_out);
	waits_free(w);
}

/* It is preempted, unrecorded; another thread's tracepoint shows its return. */
static void check_unseen(void)
{
	struct wait_step steps[] = {
		step(100, WAIT_STEP_IN, WAIT_BY_RECORD, WAIT_BLOCKED), step(300, WAIT_STEP_END, 0, 0),
		step(500, WAIT_STEP_IN, WAIT_BY_TRACEPOINT, WAIT_BLOCKED), step(510, WAIT_STEP_WAKE, 0, 0),
	};

	check_task(steps, ARRAY_SIZE(steps), 300, 200, 0);
}

/* The same, of all threads on a CPU: nothing is hidden. */
static void check_seen(void)
{
	struct wait_step steps[] = {
		step(100, WAIT_STEP_IN, WAIT_BY_RECORD, WAIT_BLOCKED), step(300, WAIT_STEP_END, 0, 0),
		step(310, WAIT_STEP_OUT, WAIT_BY_TRACEPOINT, WAIT_PREEMPTED),
		step(500, WAIT_STEP_IN, WAIT_BY_TRACEPOINT, WAIT_BLOCKED),
		step(520, WAIT_STEP_OUT, WAIT_BY_TRACEPOINT, WAIT_EXITED),
	};

	check_task(steps, ARRAY_SIZE(steps), 520, 230, 190);
}

/*
 * The thread that leaves names the next one, before that one's own events are enabled again; threads that are not recorded
 * stay unknown.
 */
static void check_next_only(void)
{
	struct wait_step steps[] = {
		step(100, WAIT_STEP_IN, WAIT_BY_RECORD, WAIT_BLOCKED),
		step(200, WAIT_STEP_OUT, WAIT_BY_TRACEPOINT, WAIT_PREEMPTED),
		step(210, WAIT_STEP_OUT, WAIT_BY_RECORD, WAIT_PREEMPTED),
		step(500, WAIT_STEP_IN, WAIT_BY_NEXT, WAIT_BLOCKED), step(505, WAIT_STEP_IN, WAIT_BY_TRACEPOINT, WAIT_BLOCKED),
		step(520, WAIT_STEP_IN, WAIT_BY_RECORD, WAIT_BLOCKED),
		step(550, WAIT_STEP_IN, WAIT_BY_NEXT, WAIT_BLOCKED),
		step(600, WAIT_STEP_OUT, WAIT_BY_TRACEPOINT, WAIT_EXITED),
	};

	steps[6].tid = 8;
	check_task(steps, ARRAY_SIZE(steps), 600, 200, 300);
}

static int compare(const void *pa, const void *pb)
{
	const struct wait_step *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Runs as rings give them, and none; steps that are equal keep their order. */
static void check_sort(void)
{
	static struct wait_step steps[3000], want[ARRAY_SIZE(steps)];
	uint64_t state = 7;

	for (unsigned round = 0; round < 300 && !nr_failed; round++) {
		size_t nr = random_below(&state, round % 2 ? ARRAY_SIZE(steps) : 20);
		uint64_t run = 1 + random_below(&state, 400), time = 0;

		for (size_t i = 0; i < nr; i++) {
			time = random_below(&state, run) ? time + random_below(&state, 3) : random_below(&state, 1000);
			steps[i] = (struct wait_step){ .time = time, .position = random_below(&state, 2), .tid = (uint32_t)i };
		}
		memcpy(want, steps, nr * sizeof(*steps));
		qsort(want, nr, sizeof(*want), compare);
		order_sort(steps, nr, sizeof(*steps), 1 + round % 3);
		CHECK(!memcmp(steps, want, nr * sizeof(*steps)), "round %u, %zu steps", round, nr);
	}
}

int main(void)
{
	check_sort();
	check_unseen();
	check_seen();
	check_next_only();
	return checks_done();
}
