/*
 * Finds the lock that each wait is for, and divides the wait among the threads that held the lock in this time. wait_samples.c
 * makes a sample of each part.
 */
#include "core/sched/wait_locks.h"

#include "core/arch.h"

/* ---- locks ---- */

/* Returns the number of the lock. It is identified by process and address, or by a file descriptor and its file. */
static uint32_t find_lock(struct wait_locks *l, struct index *by_value, const struct wait_args *a, uint64_t time)
{
	uint64_t hash = hash_pair(a->value ^ (uint64_t)a->name << 32, (uint64_t)a->pid << 8 | a->kind);
	uint32_t pos;

	index_for(at, by_value, hash)
		if (l->list.v[at].value == a->value && l->list.v[at].pid == a->pid &&
		    l->list.v[at].kind == a->kind && l->list.v[at].name == a->name)
			return at;
	pos = (uint32_t)l->list.nr;
	index_add(by_value, hash, pos);
	vec_push(&l->list, (struct wait_lock){
		.value = a->value, .time = time, .pid = a->pid, .name = a->name, .kind = a->kind, .held = true });
	return pos;
}

/* Numbers the locks in the order of their calls in the file, no matter which thread waited first. */
static void find_locks(struct wait_locks *l, const struct waits *w)
{
	struct index by_value = {0};
	VEC(uint64_t) first_wait = {0};	/* ns, by number in waits->args */

	for (size_t i = 0; i < w->args.list.nr; i++) {
		vec_push(&l->of_args, WAIT_NO_LOCK);
		vec_push(&first_wait, UINT64_MAX);
	}
	vec_for(wait, &w->list)
		if (wait->args != WAIT_NO_ARGS)
			first_wait.v[wait->args] = MIN(first_wait.v[wait->args], wait->from);
	for (size_t i = 0; i < w->args.list.nr; i++) {
		const struct wait_args *a = &w->args.list.v[i];

		if (first_wait.v[i] == UINT64_MAX || a->kind == CALL_NAMELESS)
			continue;
		l->of_args.v[i] = find_lock(l, &by_value, a, first_wait.v[i]);
		l->list.v[l->of_args.v[i]].held &= a->held;
	}
	vec_free(&first_wait);
	index_release(&by_value);
}

uint32_t wait_locks_of(const struct wait_locks *l, const struct wait *wait)
{
	return wait->args == WAIT_NO_ARGS ? WAIT_NO_LOCK : l->of_args.v[wait->args];
}

/* ---- releases ---- */

static bool ended_by_thread(const struct wait *wait)
{
	return wait->waker_tid != WAIT_NO_WAKER && wait->waker_tid != WAIT_INTERRUPT && wait->ready >= wait->from;
}

ORDER(compare_releases, struct wait_release,
	compare_numbers(a->lock, b->lock) ?: compare_numbers(a->time, b->time) ?: compare_numbers(a->task, b->task))

static void find_releases(struct wait_locks *l, const struct waits *w)
{
	vec_for(wait, &w->list) {
		uint32_t lock = wait_locks_of(l, wait);

		if (lock != WAIT_NO_LOCK && ended_by_thread(wait))
			vec_push(&l->releases, (struct wait_release){
				.time = wait->ready, .lock = lock, .task = waits_task_at(w, wait->waker_tid, wait->ready) });
	}
	vec_sort(&l->releases, compare_releases);
	for (size_t i = 0; i < l->releases.nr; i++) {
		struct wait_lock *lock = &l->list.v[l->releases.v[i].lock];

		if (!lock->nr++)
			lock->first = i;
	}
}

struct wait_locks *wait_locks_new(const struct waits *w)
{
	struct wait_locks *l = xcalloc(1, sizeof(*l));

	find_locks(l, w);
	find_releases(l, w);
	return l;
}

void wait_locks_free(struct wait_locks *l)
{
	if (!l)
		return;
	vec_free(&l->list);
	vec_free(&l->of_args);
	vec_free(&l->releases);
	free(l);
}

/* ---- one wait ---- */

/* The number of releases of the lock before @time. */
static size_t nr_before(const struct wait_locks *l, const struct wait_lock *lock, uint64_t time)
{
	return bisect(i, 0, lock->nr, l->releases.v[lock->first + i].time < time);
}

static unsigned add_part(struct wait_part *parts, unsigned nr, uint32_t task, uint64_t to)
{
	if (nr && parts[nr - 1].task == task)
		nr--;
	parts[nr] = (struct wait_part){ .to = to, .task = task };
	return nr + 1;
}

/* The holder up to release number @release of @lock is the task that releases it. WAIT_NO_TASK: no such release. */
static uint32_t holder_at(const struct wait_locks *l, const struct wait_lock *lock, size_t release)
{
	return release < lock->nr ? l->releases.v[lock->first + release].task : WAIT_NO_TASK;
}

unsigned wait_locks_split(const struct wait_locks *l, uint32_t number, const struct wait *wait,
			  struct wait_part parts[WAIT_MAX_PARTS])
{
	const struct wait_lock *lock = &l->list.v[number];
	uint64_t to = wait->ready > wait->from && wait->ready < wait->to ? wait->ready : wait->to;
	size_t first = nr_before(l, lock, wait->from + 1), last = nr_before(l, lock, to);
	/* An object other than a lock has no holder, so only the task that ended this wait is known. */
	uint32_t end = ended_by_thread(wait) || lock->held ? holder_at(l, lock, last) : WAIT_NO_TASK;
	unsigned nr = 0;

	if (last - first < WAIT_MAX_PARTS) {
		for (size_t i = first; i < last; i++)
			nr = add_part(parts, nr, holder_at(l, lock, i), l->releases.v[lock->first + i].time);
		return add_part(parts, nr, end, to);
	}
	/* Too many releases: take the holders at WAIT_MAX_PARTS evenly spaced moments. */
	for (unsigned i = 0; i < WAIT_MAX_PARTS; i++) {
		double each = (double)(to - wait->from) / WAIT_MAX_PARTS;
		size_t release = nr_before(l, lock, wait->from + (uint64_t)(each * (i + 0.5)));

		nr = add_part(parts, nr, release < last ? holder_at(l, lock, release) : end,
			      i + 1 < WAIT_MAX_PARTS ? wait->from + (uint64_t)(each * (i + 1)) : to);
	}
	return nr;
}
