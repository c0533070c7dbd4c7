/*
 * Sums samples in a hash table, as bucket.c does, but with smaller rows (packed.h). The table can be larger than the CPU's
 * caches, so samples wait in a batch while the table rows that they change are prefetched.
 */
#include "core/hists/packed.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"
#include "core/read/item.h"
#include "core/read/raw_memo.h"
#include "core/read/session.h"
#include "core/model/addr_key.h"
#include "core/model/chain.h"

#define FIRST_SLOTS	4096

/* Caches the owner of the samples of a thread, until its struct task_context changes. */
struct recent_owner {
	const struct event *event;		/* NULL: nothing is known */
	uint64_t from, to;
	uint32_t pid, tid, cpumode;
	uint32_t owner, space, kernel_space;
	const struct region *near;		/* region of the last address */
};

void packed_init(struct packed_table *t, unsigned needs, struct addr_key_finder *finder, const struct raw_memo *details)
{
	*t = (struct packed_table){ .needs = needs, .finder = finder, .details = details };
	t->recent = xcalloc(1 << PACKED_RECENT_BITS, sizeof(*t->recent));
}

/* ---- owners ---- */

static uint32_t owner_number(struct packed_table *t, const struct packed_owner *o)
{
	uint64_t h = hash_bytes(o, sizeof(*o));

	index_for(pos, &t->by_owner, h)
		if (!memcmp(&t->owners.v[pos], o, sizeof(*o)))
			return pos;
	index_add(&t->by_owner, h, (uint32_t)t->owners.nr);
	vec_push(&t->owners, *o);
	return (uint32_t)t->owners.nr - 1;
}

static void find_owner(struct packed_table *t, const struct plain_sample *s, struct context_cache *cache, struct recent_owner *r)
{
	uint32_t tid = owner_of(s->pid, s->tid);
	const struct task_context *context = machine_context(cache, s->pid, tid, s->at);
	struct packed_owner owner = { .event = s->event->number };

	*r = (struct recent_owner){
		.event = s->event, .from = context->from, .to = context->to, .pid = s->pid, .tid = s->tid, .cpumode = s->cpumode,
		.space = chain_space(context, s->cpumode), .kernel_space = context->kernel_space,
	};
	if (t->needs & NEED_COMM)
		owner.comm = context->comm_number;
	if (t->needs & (NEED_TID | NEED_THREAD))
		owner.tid = t->needs & NEED_THREAD ? context->thread->number : tid;
	if (t->needs & NEED_MODE || (t->needs & NEED_ADDRESS && r->space == SPACE_NONE))
		owner.mode = s->cpumode;
	r->owner = owner_number(t, &owner);
}

static inline struct recent_owner *owner_of_sample(struct packed_table *t, const struct plain_sample *s,
							 struct context_cache *cache)
{
	uint32_t hash = s->tid * 0x9e3779b9u ^ (s->cpumode << 16 | s->event->number) * 0x85ebca6bu;
	struct recent_owner *r = &t->recent[hash >> (32 - PACKED_RECENT_BITS)];

	if (r->event != s->event || r->tid != s->tid || r->pid != s->pid || r->cpumode != s->cpumode || s->at < r->from ||
	    s->at >= r->to)
		find_owner(t, s, cache, r);
	return r;
}

/* ---- rows ---- */

static inline size_t first_slot(const struct packed_table *t, const struct packed_row *row)
{
	uint64_t rest = (uint64_t)row->at_owner << 32 | row->owner;

	rest = rest * 0xd6e8feb86659fd93 + row->detail * 0xc2b2ae3d27d4eb4f;
	return (size_t)((row->at * 0x9e3779b97f4a7c15 ^ rest) >> 24) & t->mask;
}

static inline struct packed_row *find_slot(const struct packed_table *t, const struct packed_row *row)
{
	struct packed_row *slot;

	for (size_t i = first_slot(t, row);; i++) {
		slot = &t->slots[i & t->mask];
		if (!slot->nr || (slot->at == row->at && slot->owner == row->owner && slot->at_owner == row->at_owner &&
				  slot->detail == row->detail))
			return slot;
	}
}

static void grow(struct packed_table *t)
{
	struct packed_row *old = t->slots;
	size_t nr_old = old ? t->mask + 1 : 0, nr = old ? 2 * nr_old : FIRST_SLOTS;

	t->slots = xcalloc_huge(nr, sizeof(*t->slots));
	t->mask = nr - 1;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].nr)
			*find_slot(t, &old[i]) = old[i];
	free(old);
}

static void add_row(struct packed_table *t, const struct packed_row *row)
{
	struct packed_row *slot = find_slot(t, row);

	if (!slot->nr) {
		*slot = *row;
		t->nr++;
		return;
	}
	slot->nr += row->nr;
	add_saturated(&slot->period, row->period);
	if (row->ip < slot->ip || (row->ip == slot->ip && row->space < slot->space)) {
		slot->ip = row->ip;
		slot->space = row->space;
	}
}

static void add_batch(struct packed_table *t)
{
	if (3 * (t->nr + t->nr_batch) > 2 * t->mask)
		grow(t);
	for (unsigned i = 0; i < t->nr_batch; i++)
		add_row(t, &t->batch[i]);
	t->nr_batch = 0;
}

/* Without addresses, all samples of one thread are one row, and consecutive samples often belong to one thread. */
static inline bool add_to_last(struct packed_table *t, uint32_t owner, uint32_t detail, uint64_t period)
{
	struct packed_row *last = t->nr_batch ? &t->batch[t->nr_batch - 1] : NULL;

	if (!last || last->owner != owner || last->detail != detail || t->needs & (NEED_ADDRESS | NEED_DSO))
		return false;
	last->nr++;
	add_saturated(&last->period, period);
	return true;
}

static bool find_detail(const struct packed_table *t, const struct plain_sample *s, const struct recent_owner *r, uint32_t *detail)
{
	struct raw_key key = { .event = s->event->number, .space = r->kernel_space, .size = s->raw_size, .raw = s->raw };

	return raw_memo_get(t->details, &key, detail);
}

bool packed_add(struct packed_table *t, const struct plain_sample *s, struct context_cache *context)
{
	struct recent_owner *r = owner_of_sample(t, s, context);
	struct packed_row *row;
	struct address_place place;
	uint32_t detail = 0;

	if (t->needs & NEED_TRACE && !find_detail(t, s, r, &detail))
		return false;
	if (add_to_last(t, r->owner, detail, s->period))
		return true;
	row = &t->batch[t->nr_batch++];
	*row = (struct packed_row){ .period = s->period, .nr = 1, .owner = r->owner, .detail = detail };
	if (t->needs & (NEED_ADDRESS | NEED_DSO)) {
		place = address_place(t->finder, &r->near, r->space, s->ip);
		row->at_owner = t->needs & NEED_ADDRESS ? place.owner : place.dso;
	}
	if (t->needs & NEED_ADDRESS) {
		row->at = place.at;
		row->ip = s->ip;
		row->space = r->space;
	}
	if (t->slots)
		__builtin_prefetch(&t->slots[first_slot(t, row)], 1);
	if (t->nr_batch == PACKED_BATCH)
		add_batch(t);
	return true;
}

void packed_rows(struct packed_table *t, void (*row)(void *ctx, const struct packed_owner *owner, const struct packed_row *row),
		 void *ctx)
{
	if (t->nr_batch)
		add_batch(t);
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i].nr)
			row(ctx, &t->owners.v[t->slots[i].owner], &t->slots[i]);
}

void packed_release(struct packed_table *t)
{
	vec_free(&t->owners);
	index_release(&t->by_owner);
	free(t->recent);
	free(t->slots);
	*t = (struct packed_table){0};
}
