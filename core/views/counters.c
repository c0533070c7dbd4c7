/* Counters by (id, thread). Layer: views */
#include "core/views/counters.h"

static struct counter *find_or_add(struct counters *c, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_pair(id, tid);
	uint32_t pos;

	for (size_t i = index_first(&c->by_id, hash); (pos = index_at(&c->by_id, i, hash)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && c->list.v[pos].id == id && c->list.v[pos].tid == tid)
			return &c->list.v[pos];
	index_add(&c->by_id, hash, (uint32_t)c->list.nr);
	vec_push(&c->list, (struct counter){ .id = id, .tid = tid });
	return &c->list.v[c->list.nr - 1];
}

uint64_t counters_advance(struct counters *c, uint64_t id, uint32_t tid, uint64_t value)
{
	struct counter *counter = find_or_add(c, id, tid);
	uint64_t moved = value - counter->value;

	counter->value = value;
	return moved;
}

void counters_release(struct counters *c)
{
	vec_free(&c->list);
	index_release(&c->by_id);
}
