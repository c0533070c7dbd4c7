/*
 * Samples into rows, one table a worker; then all tables into one. The tables are larger than the caches, so keys
 * are looked up a batch at a time, and the memory of all is asked for before the first is waited for.
 * Layer: views
 */
#include "core/views/raw.h"

#include <string.h>

#include "core/flow/session.h"
#include "core/model/machine.h"
#include "core/model/runqueue.h"
#include "core/views/filter.h"

#define BATCH 32

/*
 * In which file the last addresses of a region of a space were. A region is wider than most files' code and the
 * kernel's, so a worker's samples of many processes find room.
 */
#define REGION_SHIFT	26
#define REGION_BITS	10

struct region { struct ip_span span; uint32_t space, dso; };	/* an empty span: nothing is known */

/*
 * The row that an address's last sample went to: a program's hot addresses need not be looked up. Only where the address
 * is the same is the row looked at, so that tables larger than the caches do not pay for it.
 */
#define RECENT_BITS	11

struct recent { uint64_t ip; uint32_t row; };

struct waiting { struct raw_key key; uint64_t hash, period; };

struct raw_worker {
	struct raw_table table;
	struct recent recent[1 << RECENT_BITS];
	struct waiting batch[BATCH];
	unsigned nr_waiting;
	struct chain_table chains;
	struct blobs traces;
	struct buf scratch;
	VEC(struct raw_total) totals;
	const struct machine *machine;
	struct runqueue_cursor queue;
	struct region regions[1 << REGION_BITS];
};

struct raw_pass {
	const struct raw_opts *opts;
	struct raws *out;
	const struct machine *machine;
	size_t nr_events;
	bool merged;
	bool open;		/* the filter lets all samples pass */
};

/* Field by field: loading words that were just stored as halves would wait for the stores. */
static inline uint64_t hash_key(const struct raw_key *k)
{
	return hash_u64(k->ip * 0x9e3779b97f4a7c15 + k->slot * 0xd6e8feb86659fd93 +
			((uint64_t)k->event << 32 | k->comm) * 0xc2b2ae3d27d4eb4f +
			((uint64_t)k->tid << 32 | k->space) * 0x165667b19e3779f9 +
			((uint64_t)k->chain << 32 | k->cpu) * 0xff51afd7ed558ccd +
			((uint64_t)k->trace << 32 | (uint32_t)k->queue << 16 | k->mode) * 0xc4ceb9fe1a85ec53);
}

/* Returns the row's number. */
static uint32_t add_hashed(struct raw_table *t, const struct raw_key *key, uint64_t h, uint64_t period, uint64_t nr)
{
	uint32_t pos;

	for (size_t i = index_first(&t->by_key, h); (pos = index_at(&t->by_key, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || memcmp(&t->rows.v[pos].key, key, sizeof(*key)))
			continue;
		t->rows.v[pos].period += period;
		t->rows.v[pos].nr += nr;
		return pos;
	}
	index_add(&t->by_key, h, (uint32_t)t->rows.nr);
	vec_push(&t->rows, ((struct raw){ *key, period, nr }));
	return (uint32_t)t->rows.nr - 1;
}

void raw_add(struct raw_table *t, const struct raw_key *key, uint64_t period, uint64_t nr)
{
	add_hashed(t, key, hash_key(key), period, nr);
}

static inline struct recent *recent_of(struct raw_worker *w, uint64_t ip)
{
	return &w->recent[ip * 0x9e3779b97f4a7c15 >> (64 - RECENT_BITS)];
}

static void add_batch(struct raw_worker *w)
{
	struct raw_table *t = &w->table;

	for (unsigned i = 0; i < w->nr_waiting && t->by_key.slots; i++) {
		uint32_t pos = index_at(&t->by_key, w->batch[i].hash, w->batch[i].hash);

		if (pos < t->rows.nr)
			__builtin_prefetch(&t->rows.v[pos], 1);
	}
	for (unsigned i = 0; i < w->nr_waiting; i++) {
		uint32_t row = add_hashed(t, &w->batch[i].key, w->batch[i].hash, w->batch[i].period, 1);

		*recent_of(w, w->batch[i].key.ip) = (struct recent){ w->batch[i].key.ip, row };
	}
	w->nr_waiting = 0;
}

/* Returns false where the key is not that of the address's last sample. */
static inline bool add_again(struct raw_worker *w, const struct raw_key *key, uint64_t period)
{
	const struct recent *last = recent_of(w, key->ip);
	struct raw *row;

	if (last->ip != key->ip || last->row >= w->table.rows.nr)
		return false;
	row = &w->table.rows.v[last->row];
	if (memcmp(&row->key, key, sizeof(*key)))
		return false;
	row->period += period;
	row->nr++;
	return true;
}

static inline void add_later(struct raw_worker *w, const struct raw_key *key, uint64_t period)
{
	struct waiting *next = &w->batch[w->nr_waiting++];

	*next = (struct waiting){ *key, hash_key(key), period };
	if (w->table.by_key.slots)
		__builtin_prefetch(&w->table.by_key.slots[next->hash & w->table.by_key.mask]);
	if (w->nr_waiting == BATCH)
		add_batch(w);
}

void raw_table_release(struct raw_table *t)
{
	vec_free(&t->rows);
	index_release(&t->by_key);
}

static uint32_t space_of(const struct item *item)
{
	return chain_space(item->where, item->cpumode);
}

static uint32_t dso_of(struct raw_worker *w, const struct item *item)
{
	uint64_t ip = item->sample->ip;
	uint32_t space = space_of(item);
	struct region *r = &w->regions[hash_pair(space, ip >> REGION_SHIFT) >> (64 - REGION_BITS)];
	const struct map *map;

	if (r->space == space && r->span.from <= ip && ip < r->span.to)
		return r->dso;
	map = machine_map_span(w->machine, space, ip, &r->span);
	r->space = space;
	r->dso = map ? map->dso->number : RAW_NO_DSO;
	return r->dso;
}

static uint32_t describe(struct raw_worker *w, const struct raw_opts *o, const struct item *item)
{
	w->scratch.len = 0;
	o->describe(o->describe_ctx, item, &w->scratch);
	return blobs_add(&w->traces, w->scratch.data, w->scratch.len);
}

static uint16_t queue_of(struct raw_worker *w, const struct raw_opts *o, const struct item *item)
{
	uint32_t cpu = item->event->layout.cpu_at >= 0 ? item->sample->cpu : RAW_NO_CPU;

	return runqueue_length(o->queues, &w->queue, cpu, item->at);
}

static inline struct raw_key key_of(struct raw_worker *w, const struct raw_opts *o, const struct item *item)
{
	const struct sample *s = item->sample;
	struct raw_key key = { .event = item->event->number };

	if (o->needs & RAW_COMM)
		key.comm = item->where->comm_number;
	if (o->needs & RAW_TID)
		key.tid = s->tid;
	if (o->needs & RAW_CPU)
		key.cpu = item->event->layout.cpu_at >= 0 ? s->cpu : RAW_NO_CPU;
	if (o->needs & RAW_TIME)
		key.slot = item->time / o->slot_ns;
	if (o->needs & RAW_PLACE) {
		key.ip = s->ip;
		key.space = space_of(item);
	} else if (o->needs & RAW_DSO) {
		key.ip = dso_of(w, item);
	}
	if (o->needs & RAW_MODE || key.space == SPACE_NONE)
		key.mode = item->cpumode;
	if (o->needs & RAW_QUEUE)
		key.queue = queue_of(w, o, item);
	if (o->needs & RAW_TRACE)
		key.trace = describe(w, o, item);
	if (o->needs & RAW_CHAIN && s->chain.nr)
		key.chain = chain_intern(&w->chains, &s->chain, item->where, item->cpumode, o->max_depth);
	return key;
}

static void worker_init(void *worker, void *ctx)
{
	struct raw_worker *w = worker;
	struct raw_pass *pass = ctx;

	chain_table_init(&w->chains);
	w->machine = pass->machine;
	w->totals.v = xcalloc(pass->nr_events, sizeof(*w->totals.v));
	w->totals.nr = w->totals.cap = pass->nr_events;
}

static void take_sample(void *worker, void *ctx, const struct item *item)
{
	struct raw_worker *w = worker;
	const struct raw_pass *pass = ctx;
	const struct raw_opts *o = pass->opts;
	struct raw_total *total = &w->totals.v[item->event->number];
	uint64_t period = item_period(item);
	struct raw_key key;

	if (!pass->open && !filter_in_window(o->filter, item))
		return;
	total->nr++;
	total->period += period;
	if (!pass->open && !filter_item(o->filter, item)) {
		total->nr_out++;
		total->period_out += period;
		return;
	}
	key = key_of(w, o, item);
	if (o->needs & RAW_CHAIN && key.chain == CHAIN_ROOT && item->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		total->nr_no_chain++;
	if (!add_again(w, &key, period))
		add_later(w, &key, period);
}

static void merge_totals(struct raws *out, const struct raw_worker *w)
{
	for (size_t i = 0; i < w->totals.nr; i++) {
		struct raw_total *into = &out->totals.v[i];
		const struct raw_total *from = &w->totals.v[i];

		into->nr += from->nr;
		into->period += from->period;
		into->nr_out += from->nr_out;
		into->period_out += from->period_out;
		into->nr_no_chain += from->nr_no_chain;
	}
}

/* The new numbers of the worker's traces, owned by the caller. */
static uint32_t *merge_traces(struct raws *out, const struct raw_worker *w)
{
	uint32_t *map = xmalloc((w->traces.ends.nr + 1) * sizeof(*map));

	for (uint32_t i = 0; i < w->traces.ends.nr; i++) {
		size_t n;
		const char *p = blobs_get(&w->traces, i, &n);

		map[i] = blobs_add(&out->traces, p, n);
	}
	return map;
}

static void merge_rows(struct raws *out, const struct raw_worker *w)
{
	uint32_t *map = xmalloc(w->chains.nodes.nr * sizeof(*map));
	uint32_t *traces = merge_traces(out, w);

	chains_merge(&out->chains, &w->chains, map);
	vec_for(row, &w->table.rows) {
		row->key.chain = map[row->key.chain];
		if (w->traces.ends.nr)
			row->key.trace = traces[row->key.trace];
		raw_add(&out->table, &row->key, row->period, row->nr);
	}
	free(traces);
	free(map);
}

static void merge_worker(void *worker, void *ctx)
{
	struct raw_worker *w = worker;
	struct raw_pass *pass = ctx;

	add_batch(w);
	merge_totals(pass->out, w);
	vec_free(&w->totals);
	buf_release(&w->scratch);
	if (!pass->merged) {	/* the first worker's tables become the result */
		chain_table_release(&pass->out->chains);
		pass->out->table = w->table;
		pass->out->chains = w->chains;
		pass->out->traces = w->traces;
		pass->merged = true;
		return;
	}
	merge_rows(pass->out, w);
	raw_table_release(&w->table);
	chain_table_release(&w->chains);
	blobs_release(&w->traces);
}

int raws_collect(struct raws *out, struct session *s, const struct raw_opts *opts)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct raw_worker),
		.init = worker_init,
		.sample = take_sample,
		.merge = merge_worker,
	};
	struct raw_pass ctx = {
		.opts = opts, .out = out, .machine = session_machine(s), .nr_events = session_events(s)->events.nr,
		.open = filter_is_open(opts->filter),
	};

	chain_table_init(&out->chains);
	out->totals.v = xcalloc(MAX(ctx.nr_events, 1), sizeof(*out->totals.v));
	out->totals.nr = out->totals.cap = ctx.nr_events;
	return session_samples(s, &pass, &ctx);
}

void raws_release(struct raws *r)
{
	raw_table_release(&r->table);
	chain_table_release(&r->chains);
	blobs_release(&r->traces);
	vec_free(&r->totals);
}
