/*
 * Keeps all threads and processes of a recording, and finds the one that had a tid or pid at a given time. The kernel reuses
 * these numbers, so each use is an entry of its own.
 */
#include "core/model/threads.h"

#include <string.h>

#define ANY	UINT32_MAX	/* an unknown pid */

static uint32_t find_slot(const struct ids *ids, uint32_t id)
{
	uint64_t h = hash_u64(id);

	index_for(pos, &ids->by_id, h)
		if (ids->slots.v[pos].id == id)
			return pos;
	return INDEX_END;
}

static uint32_t last_of(const struct ids *ids, uint32_t id)
{
	uint32_t pos = find_slot(ids, id);

	return pos == INDEX_END ? LIFE_NONE : ids->slots.v[pos].last;
}

/* Returns the life that was the last before, or LIFE_NONE. */
static uint32_t set_last(struct ids *ids, uint32_t id, uint32_t life, uint64_t time)
{
	uint32_t pos = find_slot(ids, id), before;

	if (pos == INDEX_END) {
		pos = (uint32_t)ids->slots.nr;
		index_add(&ids->by_id, hash_u64(id), pos);
		vec_push(&ids->slots, (struct slot){ id, LIFE_NONE });
	}
	before = ids->slots.v[pos].last;
	ids->slots.v[pos].last = life;
	vec_push(&ids->lives.list, (struct since){ time, pos, life });
	return before;
}

uint32_t threads_new_process(struct threads *t, uint32_t pid, uint64_t time)
{
	uint32_t process = (uint32_t)t->processes.nr;

	vec_push(&t->processes, (struct process){ .pid = pid });
	set_last(&t->pids, pid, process, time);
	return process;
}

uint32_t threads_process(struct threads *t, uint32_t pid, bool *made)
{
	uint32_t process = last_of(&t->pids, pid);

	*made = process == LIFE_NONE;
	/* The start of the process was not recorded, so it is taken to be the start of the recording. */
	return *made ? threads_new_process(t, pid, 0) : process;
}

uint32_t threads_last(const struct threads *t, uint32_t tid)
{
	return last_of(&t->tids, tid);
}

uint32_t threads_new_life(struct threads *t, uint32_t process, uint32_t tid, uint64_t time)
{
	uint32_t life = (uint32_t)t->lives.nr, before = set_last(&t->tids, tid, life, time);

	if (before != LIFE_NONE)
		threads_end(t, before, time);
	vec_push(&t->lives, (struct life){
		.thread = {
			.pid = t->processes.v[process].pid, .tid = tid, .number = life,
			.from = time, .to = UINT64_MAX,
		},
		.process = process, .comm = COMM_NONE,
	});
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
	vec_push(&t->names.list, (struct since){ time, life, comm });
}

void threads_enter(struct threads *t, uint32_t life, uint32_t cgroup_ns, uint64_t time)
{
	vec_push(&t->cgroups.list, (struct since){ time, life, cgroup_ns });
}

void threads_end(struct threads *t, uint32_t life, uint64_t time)
{
	struct life *l = &t->lives.v[life];

	if (!l->ended)
		l->thread.to = MAX(time, l->thread.from);
	l->ended = true;
}

/* ---- sealing ---- */

/* Groups the list by key, of which there are @nr_keys. */
static void history_seal(struct history *h, size_t nr_keys)
{
	uint32_t *at;

	h->offsets.nr = h->order.nr = 0;
	vec_reserve(&h->offsets, nr_keys + 1);
	h->offsets.nr = nr_keys + 1;
	memset(h->offsets.v, 0, h->offsets.nr * sizeof(*h->offsets.v));
	vec_reserve(&h->order, h->list.nr + 1);
	h->order.nr = h->list.nr;
	vec_for(item, &h->list)
		h->offsets.v[item->key + 1]++;
	for (size_t i = 0; i < nr_keys; i++)
		h->offsets.v[i + 1] += h->offsets.v[i];
	at = xmalloc((nr_keys + 1) * sizeof(*at));
	memcpy(at, h->offsets.v, nr_keys * sizeof(*at));
	for (uint32_t i = 0; i < h->list.nr; i++)
		h->order.v[at[h->list.v[i].key]++] = i;
	free(at);
}

void threads_seal(struct threads *t)
{
	history_seal(&t->tids.lives, t->tids.slots.nr);
	history_seal(&t->pids.lives, t->pids.slots.nr);
	history_seal(&t->names, t->lives.nr);
	history_seal(&t->cgroups, t->lives.nr);
	history_seal(&t->spaces, t->processes.nr);
}

static void history_release(struct history *h)
{
	vec_free(&h->list);
	vec_free(&h->order);
	vec_free(&h->offsets);
}

static void ids_release(struct ids *ids)
{
	vec_free(&ids->slots);
	index_release(&ids->by_id);
	history_release(&ids->lives);
}

void threads_release(struct threads *t)
{
	ids_release(&t->tids);
	ids_release(&t->pids);
	vec_free(&t->lives);
	vec_free(&t->processes);
	history_release(&t->names);
	history_release(&t->cgroups);
	history_release(&t->spaces);
}

/* ---- searching ---- */

/* The value of @key at @time; @none: it has none yet. Narrows *from and *to to the times with the same answer. */
static uint32_t value_at(const struct history *h, uint32_t key, uint64_t time, uint32_t none, uint64_t *from, uint64_t *to)
{
	uint32_t begin = h->offsets.v[key], end = h->offsets.v[key + 1];
	uint32_t next = bisect(i, begin, end, h->list.v[h->order.v[i]].time <= time);
	const struct since *last;

	if (next < end)
		*to = MIN(*to, h->list.v[h->order.v[next]].time);
	if (next == begin)
		return none;
	last = &h->list.v[h->order.v[next - 1]];
	*from = MAX(*from, last->time);
	return last->value;
}

static uint32_t life_of(const struct ids *ids, uint32_t id, uint64_t time, struct moment *m)
{
	uint32_t slot = find_slot(ids, id);

	return slot == INDEX_END ? LIFE_NONE : value_at(&ids->lives, slot, time, LIFE_NONE, &m->from, &m->to);
}

static uint32_t life_at(const struct threads *t, uint32_t pid, uint32_t tid, uint64_t time, struct moment *m)
{
	uint32_t life = life_of(&t->tids, tid, time, m);

	/* The record of the thread's start was lost, and @life is of an older thread with this tid. */
	if (life != LIFE_NONE && pid != ANY && t->lives.v[life].thread.pid != pid && t->lives.v[life].thread.pid != ANY)
		return LIFE_NONE;
	return life;
}

void threads_at(const struct threads *t, uint32_t pid, uint32_t tid, uint64_t time, struct moment *out)
{
	uint32_t process;

	*out = (struct moment){ .comm = COMM_NONE, .space = SPACE_NONE, .to = UINT64_MAX };
	out->life = life_at(t, pid, tid, time, out);
	if (out->life != LIFE_NONE) {
		if (pid == ANY)
			pid = t->lives.v[out->life].thread.pid;
		out->comm = value_at(&t->names, out->life, time, COMM_NONE, &out->from, &out->to);
		out->cgroup_ns = value_at(&t->cgroups, out->life, time, 0, &out->from, &out->to);
	}
	/* By pid, not by the thread's process, which may be long gone if an EXIT was lost. */
	process = life_of(&t->pids, pid, time, out);
	if (process != LIFE_NONE)
		out->space = value_at(&t->spaces, process, time, SPACE_NONE, &out->from, &out->to);
}

uint64_t threads_next_naming(const struct threads *t, uint32_t life, uint64_t time)
{
	uint64_t from = 0, to = UINT64_MAX;

	value_at(&t->names, life, time, COMM_NONE, &from, &to);
	return to;
}
