/*
 * Keeps all threads and processes of a recording, and finds the one that had a tid or pid at a given time. Tids and pids are
 * reused, so each use is an entry of its own.
 * Layer: model
 */
#include "core/model/threads.h"

#include <string.h>

#define ANY	UINT32_MAX	/* an unknown pid */

static uint32_t find_slot(const struct index *by_id, const struct slot *slots, uint32_t id)
{
	uint64_t h = hash_u64(id);

	index_for(pos, by_id, h)
		if (slots[pos].id == id)
			return pos;
	return INDEX_END;
}

static void set_last_process(struct threads *t, uint32_t pid, uint32_t process)
{
	uint32_t pos = find_slot(&t->by_pid, t->pids.v, pid);

	if (pos == INDEX_END) {
		index_add(&t->by_pid, hash_u64(pid), (uint32_t)t->pids.nr);
		vec_push(&t->pids, (struct slot){ pid, process });
	} else {
		t->pids.v[pos].last = process;
	}
}

uint32_t threads_new_process(struct threads *t, uint32_t pid, uint64_t time)
{
	uint32_t process = (uint32_t)t->processes.nr;

	vec_push(&t->processes, (struct process){ .pid = pid, .from = time });
	set_last_process(t, pid, process);
	return process;
}

uint32_t threads_process(struct threads *t, uint32_t pid, bool *made)
{
	uint32_t pos = find_slot(&t->by_pid, t->pids.v, pid);

	*made = pos == INDEX_END;
	/* The start of the process was not recorded, so it is taken to be the start of the recording. */
	return *made ? threads_new_process(t, pid, 0) : t->pids.v[pos].last;
}

uint32_t threads_last(const struct threads *t, uint32_t tid)
{
	uint32_t pos = find_slot(&t->by_tid, t->tids.v, tid);

	return pos == INDEX_END ? LIFE_NONE : t->tids.v[pos].last;
}

static void set_last_life(struct threads *t, uint32_t tid, uint32_t life)
{
	uint32_t pos = find_slot(&t->by_tid, t->tids.v, tid);

	if (pos == INDEX_END) {
		index_add(&t->by_tid, hash_u64(tid), (uint32_t)t->tids.nr);
		vec_push(&t->tids, (struct slot){ tid, life });
		return;
	}
	struct life *before = &t->lives.v[t->tids.v[pos].last];

	if (!before->ended)
		before->thread.to = t->lives.v[life].thread.from;
	before->ended = true;
	t->tids.v[pos].last = life;
}

uint32_t threads_new_life(struct threads *t, uint32_t process, uint32_t tid, uint64_t time)
{
	uint32_t life = (uint32_t)t->lives.nr;

	vec_push(&t->lives, (struct life){
		.thread = {
			.pid = t->processes.v[process].pid, .tid = tid, .number = life,
			.from = time, .to = UINT64_MAX,
		},
		.process = process, .comm = COMM_NONE,
	});
	set_last_life(t, tid, life);
	return life;
}

uint32_t threads_life(struct threads *t, uint32_t process, uint32_t tid, uint64_t time)
{
	uint32_t life = threads_last(t, tid);

	if (life == LIFE_NONE)
		return threads_new_life(t, process, tid, 0);
	if (t->lives.v[life].ended || t->lives.v[life].process != process)
		return threads_new_life(t, process, tid, time);
	return life;
}

void threads_name(struct threads *t, uint32_t life, uint32_t comm, uint64_t time)
{
	if (t->lives.v[life].comm == comm)
		return;
	t->lives.v[life].comm = comm;
	vec_push(&t->namings, (struct naming){ time, life, comm });
}

void threads_enter(struct threads *t, uint32_t life, uint32_t cgroup_ns, uint64_t time)
{
	vec_push(&t->enterings, (struct entering){ time, life, cgroup_ns });
}

void threads_end(struct threads *t, uint32_t life, uint64_t time)
{
	struct life *l = &t->lives.v[life];

	if (!l->ended)
		l->thread.to = MAX(time, l->thread.from);
	l->ended = true;
}

/* ---- sealing ---- */

/* Group the numbers below @nr by the u32 at @key + i * stride, which is below @nr_keys. */
static void make_index(struct multi_index *m, const uint32_t *key, size_t stride, size_t nr, size_t nr_keys)
{
	uint32_t *at;

	m->offsets.nr = m->v.nr = 0;
	vec_reserve(&m->offsets, nr_keys + 1);
	m->offsets.nr = nr_keys + 1;
	memset(m->offsets.v, 0, m->offsets.nr * sizeof(*m->offsets.v));
	vec_reserve(&m->v, nr + 1);
	m->v.nr = nr;
	for (size_t i = 0; i < nr; i++)
		m->offsets.v[key[i * stride] + 1]++;
	for (size_t i = 0; i < nr_keys; i++)
		m->offsets.v[i + 1] += m->offsets.v[i];
	at = xmalloc((nr_keys + 1) * sizeof(*at));
	memcpy(at, m->offsets.v, nr_keys * sizeof(*at));
	for (uint32_t i = 0; i < nr; i++)
		m->v.v[at[key[i * stride]]++] = i;
	free(at);
}

static void index_lives(struct threads *t)
{
	uint32_t *slot = xmalloc((t->lives.nr + 1) * sizeof(*slot));

	for (size_t i = 0; i < t->lives.nr; i++)
		slot[i] = find_slot(&t->by_tid, t->tids.v, t->lives.v[i].thread.tid);
	make_index(&t->lives_of_tid, slot, 1, t->lives.nr, t->tids.nr);
	free(slot);
}

static void index_processes(struct threads *t)
{
	uint32_t *slot = xmalloc((t->processes.nr + 1) * sizeof(*slot));

	for (size_t i = 0; i < t->processes.nr; i++)
		slot[i] = find_slot(&t->by_pid, t->pids.v, t->processes.v[i].pid);
	make_index(&t->processes_of_pid, slot, 1, t->processes.nr, t->pids.nr);
	free(slot);
}

void threads_seal(struct threads *t)
{
	index_lives(t);
	index_processes(t);
	make_index(&t->namings_of_life, t->namings.nr ? &t->namings.v->life : NULL,
	      sizeof(struct naming) / sizeof(uint32_t), t->namings.nr, t->lives.nr);
	make_index(&t->enterings_of_life, t->enterings.nr ? &t->enterings.v->life : NULL,
	      sizeof(struct entering) / sizeof(uint32_t), t->enterings.nr, t->lives.nr);
	make_index(&t->epochs_of_process, t->epochs.nr ? &t->epochs.v->process : NULL,
	      sizeof(struct epoch) / sizeof(uint32_t), t->epochs.nr, t->processes.nr);
}

static void multi_index_release(struct multi_index *m)
{
	vec_free(&m->v);
	vec_free(&m->offsets);
}

void threads_release(struct threads *t)
{
	vec_free(&t->tids);
	vec_free(&t->pids);
	index_release(&t->by_tid);
	index_release(&t->by_pid);
	vec_free(&t->lives);
	vec_free(&t->processes);
	vec_free(&t->namings);
	vec_free(&t->enterings);
	vec_free(&t->epochs);
	multi_index_release(&t->lives_of_tid);
	multi_index_release(&t->processes_of_pid);
	multi_index_release(&t->namings_of_life);
	multi_index_release(&t->enterings_of_life);
	multi_index_release(&t->epochs_of_process);
}

/* ---- searching ---- */

/* The time of item @number, for last_at(). */
typedef uint64_t time_of(const struct threads *t, uint32_t number);

static uint64_t life_from(const struct threads *t, uint32_t n) { return t->lives.v[n].thread.from; }
static uint64_t process_from(const struct threads *t, uint32_t n) { return t->processes.v[n].from; }
static uint64_t naming_time(const struct threads *t, uint32_t n) { return t->namings.v[n].time; }
static uint64_t entering_time(const struct threads *t, uint32_t n) { return t->enterings.v[n].time; }
static uint64_t epoch_time(const struct threads *t, uint32_t n) { return t->epochs.v[n].time; }

/*
 * The last item of group @key that began at or before @time; UINT32_MAX: none. Narrows *from and *to to the times with the same
 * answer.
 */
static uint32_t last_at(const struct threads *t, const struct multi_index *m, uint32_t key, time_of *when, uint64_t time,
			uint64_t *from, uint64_t *to)
{
	uint32_t begin = m->offsets.v[key], end = m->offsets.v[key + 1], low = begin, high = end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (when(t, m->v.v[mid]) <= time)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < end)
		*to = MIN(*to, when(t, m->v.v[low]));
	if (low == begin)
		return UINT32_MAX;
	*from = MAX(*from, when(t, m->v.v[low - 1]));
	return m->v.v[low - 1];
}

static uint32_t life_at(const struct threads *t, uint32_t pid, uint32_t tid, uint64_t time, struct moment *m)
{
	uint32_t slot = find_slot(&t->by_tid, t->tids.v, tid), life;

	if (slot == INDEX_END)
		return LIFE_NONE;
	life = last_at(t, &t->lives_of_tid, slot, life_from, time, &m->from, &m->to);
	if (life == LIFE_NONE)
		return LIFE_NONE;
	/* The record of the thread's start was lost, and @life is of an older thread with this tid. */
	if (pid != ANY && t->lives.v[life].thread.pid != pid && t->lives.v[life].thread.pid != ANY)
		return LIFE_NONE;
	return life;
}

static uint32_t process_at(const struct threads *t, uint32_t pid, uint64_t time, struct moment *m)
{
	uint32_t slot = find_slot(&t->by_pid, t->pids.v, pid);

	if (slot == INDEX_END)
		return UINT32_MAX;
	return last_at(t, &t->processes_of_pid, slot, process_from, time, &m->from, &m->to);
}

void threads_at(const struct threads *t, uint32_t pid, uint32_t tid, uint64_t time, struct moment *out)
{
	uint32_t process, naming, entering, epoch;

	*out = (struct moment){ .comm = COMM_NONE, .space = SPACE_NONE, .to = UINT64_MAX };
	out->life = life_at(t, pid, tid, time, out);
	if (out->life != LIFE_NONE) {
		if (pid == ANY)
			pid = t->lives.v[out->life].thread.pid;
		naming = last_at(t, &t->namings_of_life, out->life, naming_time, time, &out->from, &out->to);
		if (naming != UINT32_MAX)
			out->comm = t->namings.v[naming].comm;
		entering = last_at(t, &t->enterings_of_life, out->life, entering_time, time, &out->from, &out->to);
		if (entering != UINT32_MAX)
			out->cgroup_ns = t->enterings.v[entering].cgroup_ns;
	}
	/* By pid, not by the thread's process, which may be long gone if an EXIT was lost. */
	process = process_at(t, pid, time, out);
	if (process == UINT32_MAX)
		return;
	epoch = last_at(t, &t->epochs_of_process, process, epoch_time, time, &out->from, &out->to);
	if (epoch != UINT32_MAX)
		out->space = t->epochs.v[epoch].space;
}

uint64_t threads_next_naming(const struct threads *t, uint32_t life, uint64_t time)
{
	uint64_t from = 0, to = UINT64_MAX;

	last_at(t, &t->namings_of_life, life, naming_time, time, &from, &to);
	return to;
}
