/*
 * Finds the critical path of a thread (the threads that it waited for, directly or indirectly) by going back in time from wait
 * to wait (waits.h). core/show/report/critical_path.c prints the path.
 */
#include "core/sched/wait_path.h"

struct wait_lists {
	const struct waits *waits;
	size_t *first;		/* by task: index of its first wait in .numbers; one more entry ends the last task */
	size_t *numbers;	/* indices in waits->list, by task, then by time */
};

struct walk {
	const struct wait_lists *lists;
	struct wait_path *out;
	uint64_t since, at;
	uint64_t changed;	/* when the walk came to this thread */
	uint32_t task;
};

struct wait_lists *wait_lists_new(const struct waits *w)
{
	struct wait_lists *l = xcalloc(1, sizeof(*l));
	size_t *next;

	l->waits = w;
	l->first = xcalloc(w->tasks.nr + 2, sizeof(*l->first));
	l->numbers = xcalloc(MAX(w->list.nr, 1), sizeof(*l->numbers));
	next = l->first + 1;
	for (size_t i = 0; i < w->list.nr; i++)
		next[w->list.v[i].task + 1]++;
	for (size_t i = 0; i < w->tasks.nr; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < w->list.nr; i++)
		l->numbers[next[w->list.v[i].task]++] = i;
	return l;
}

void wait_lists_free(struct wait_lists *l)
{
	if (!l)
		return;
	free(l->first);
	free(l->numbers);
	free(l);
}

/* Returns the last wait of @task that began before @time and was not empty, or PATH_NO_WAIT. */
static size_t last_wait(const struct wait_lists *l, uint32_t task, uint64_t time)
{
	const size_t *numbers = l->numbers + l->first[task];

	for (size_t nr = bisect(i, 0, l->first[task + 1] - l->first[task], l->waits->list.v[numbers[i]].from < time); nr; nr--) {
		const struct wait *w = &l->waits->list.v[numbers[nr - 1]];

		if (w->to > w->from)
			return numbers[nr - 1];
	}
	return PATH_NO_WAIT;
}

/*
 * Adds a step that ends at the current time, and goes back to its begin. A step of the path is a time in which one thread ran, was
 * ready to run, or was off the CPU. It ends at the time at which the step after it begins. So the search always goes further back
 * in time, and it ends even if times in the recording are wrong.
 */
static void go_back(struct walk *w, enum path_kind kind, uint64_t from, size_t wait)
{
	from = MAX(from, w->since);
	if (from < w->at)
		vec_push(&w->out->steps, (struct path_step){
			.from = from, .to = w->at, .wait = wait, .task = w->task, .kind = (uint8_t)kind,
		});
	w->at = MIN(w->at, from);
}

/* Returns the thread that ended @wait at the current time, or WAIT_NO_TASK. */
static uint32_t waker_of(const struct walk *w, const struct wait *wait)
{
	uint32_t tid = wait->waker_tid, task;

	if (tid == WAIT_NO_WAKER || tid == WAIT_INTERRUPT || wait->ready != w->at)
		return WAIT_NO_TASK;
	task = waits_task_at(w->lists->waits, tid, w->at);
	return task == w->task || task == WAIT_NO_TASK || w->lists->waits->tasks.v[task].first >= w->at ? WAIT_NO_TASK : task;
}

/* Goes back over wait @number, the last one before the current time. */
static void cross_wait(struct walk *w, size_t number)
{
	const struct wait *wait = &w->lists->waits->list.v[number];
	uint32_t waker;

	if (wait->ready >= wait->from && wait->ready < wait->to)
		go_back(w, PATH_READY, wait->ready, number);
	/* Changes the thread only if time has gone back: two threads that wake each other at one time are no endless loop. */
	waker = w->at < w->changed ? waker_of(w, wait) : WAIT_NO_TASK;
	if (waker == WAIT_NO_TASK || w->at <= w->since) {
		go_back(w, PATH_OFF, wait->from, number);
		return;
	}
	w->task = waker;
	w->changed = w->at;
}

static void step_back(struct walk *w)
{
	size_t number = last_wait(w->lists, w->task, w->at);
	uint64_t first = w->lists->waits->tasks.v[w->task].first;

	if (number == PATH_NO_WAIT) {
		go_back(w, PATH_RUNNING, first, PATH_NO_WAIT);
		w->since = MAX(w->since, w->at);	/* before it there is nothing */
		return;
	}
	if (w->lists->waits->list.v[number].to < w->at)
		go_back(w, PATH_RUNNING, w->lists->waits->list.v[number].to, number);
	if (w->at > w->since)
		cross_wait(w, number);
}

void wait_path_find(struct wait_path *out, const struct wait_lists *l, uint32_t task, uint64_t since, uint64_t at)
{
	struct walk w = { .lists = l, .out = out, .since = since, .at = at, .changed = UINT64_MAX, .task = task };

	while (w.at > w.since)
		step_back(&w);
	for (size_t i = 0, k = out->steps.nr; i + 1 < k; i++) {
		struct path_step step = out->steps.v[i];

		out->steps.v[i] = out->steps.v[--k];
		out->steps.v[k] = step;
	}
	for (size_t i = 0; i + 1 < out->steps.nr; i++)
		out->steps.v[i].wakes = out->steps.v[i].task != out->steps.v[i + 1].task;
}
