/* Samples into rows, one table a worker; then all tables into one. Layer: views */
#include "core/views/raw.h"

#include <string.h>

#include "core/flow/session.h"
#include "core/views/filter.h"

struct raw_worker {
	struct raw_table table;
	struct chain_table chains;
	VEC(struct raw_total) totals;
};

struct raw_pass {
	const struct raw_opts *opts;
	struct raws *out;
	size_t nr_events;
	bool merged;
};

static uint64_t hash_key(const struct raw_key *key)
{
	uint64_t w[sizeof(*key) / 8], h = 0;

	memcpy(w, key, sizeof(*key));
	for (size_t i = 0; i < ARRAY_SIZE(w); i++)
		h = (h ^ w[i]) * 0x9e3779b97f4a7c15ull ^ h >> 29;
	return hash_u64(h);
}

void raw_add(struct raw_table *t, const struct raw_key *key, uint64_t period, uint64_t nr)
{
	uint64_t h = hash_key(key);
	uint32_t pos;

	for (size_t i = index_first(&t->by_key, h); (pos = index_at(&t->by_key, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || memcmp(&t->rows.v[pos].key, key, sizeof(*key)))
			continue;
		t->rows.v[pos].period += period;
		t->rows.v[pos].nr += nr;
		return;
	}
	index_add(&t->by_key, h, (uint32_t)t->rows.nr);
	vec_push(&t->rows, ((struct raw){ *key, period, nr }));
}

void raw_table_release(struct raw_table *t)
{
	vec_free(&t->rows);
	index_release(&t->by_key);
}

/* Without PERF_SAMPLE_PERIOD every sample stands for the period that was asked for. */
static uint64_t period_of(const struct item *item)
{
	return item->event->layout.period_at >= 0 ? item->sample->period : item->event->attr.sample_period;
}

static uint32_t space_of(const struct item *item)
{
	return chain_space(item->where, item->cpumode);
}

static struct raw_key key_of(struct raw_worker *w, const struct raw_opts *o, const struct item *item)
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
	}
	if (o->needs & RAW_MODE || key.space == SPACE_NONE)
		key.mode = item->cpumode;
	if (o->needs & RAW_CHAIN && s->chain.nr)
		key.chain = chain_intern(&w->chains, &s->chain, item->where, item->cpumode, o->max_depth);
	return key;
}

static void worker_init(void *worker, void *ctx)
{
	struct raw_worker *w = worker;
	struct raw_pass *pass = ctx;

	chain_table_init(&w->chains);
	w->totals.v = xcalloc(pass->nr_events, sizeof(*w->totals.v));
	w->totals.nr = w->totals.cap = pass->nr_events;
}

static void take_sample(void *worker, void *ctx, const struct item *item)
{
	struct raw_worker *w = worker;
	const struct raw_opts *o = ((struct raw_pass *)ctx)->opts;
	struct raw_total *total = &w->totals.v[item->event->number];
	uint64_t period = period_of(item);
	struct raw_key key;

	if (!filter_in_window(o->filter, item))
		return;
	total->nr++;
	total->period += period;
	if (!filter_item(o->filter, item)) {
		total->nr_out++;
		total->period_out += period;
		return;
	}
	key = key_of(w, o, item);
	if (o->needs & RAW_CHAIN && key.chain == CHAIN_ROOT && item->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		total->nr_no_chain++;
	raw_add(&w->table, &key, period, 1);
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

static void merge_rows(struct raws *out, const struct raw_worker *w)
{
	uint32_t *map = xmalloc(w->chains.nodes.nr * sizeof(*map));

	chains_merge(&out->chains, &w->chains, map);
	vec_for(row, &w->table.rows) {
		row->key.chain = map[row->key.chain];
		raw_add(&out->table, &row->key, row->period, row->nr);
	}
	free(map);
}

static void merge_worker(void *worker, void *ctx)
{
	struct raw_worker *w = worker;
	struct raw_pass *pass = ctx;

	merge_totals(pass->out, w);
	vec_free(&w->totals);
	if (!pass->merged) {	/* the first worker's tables become the result */
		chain_table_release(&pass->out->chains);
		pass->out->table = w->table;
		pass->out->chains = w->chains;
		pass->merged = true;
		return;
	}
	merge_rows(pass->out, w);
	raw_table_release(&w->table);
	chain_table_release(&w->chains);
}

int raws_collect(struct raws *out, struct session *s, const struct raw_opts *opts)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct raw_worker),
		.init = worker_init,
		.sample = take_sample,
		.merge = merge_worker,
	};
	struct raw_pass ctx = { .opts = opts, .out = out, .nr_events = session_events(s)->events.nr };

	chain_table_init(&out->chains);
	out->totals.v = xcalloc(MAX(ctx.nr_events, 1), sizeof(*out->totals.v));
	out->totals.nr = out->totals.cap = ctx.nr_events;
	return session_samples(s, &pass, &ctx);
}

void raws_release(struct raws *r)
{
	raw_table_release(&r->table);
	chain_table_release(&r->chains);
	vec_free(&r->totals);
}
