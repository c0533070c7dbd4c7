/*
 * Sums equal samples into buckets (bucket.h). Several worker threads read samples (core/read/session.h), and each fills a table
 * of its own. bucket_unite.c merges these tables.
 */
#include "core/hists/bucket.h"

#include <string.h>

#include "core/base/cpus.h"
#include "core/base/phase.h"
#include "core/base/varint.h"
#include "core/read/session.h"
#include "core/model/machine.h"
#include "core/sched/runqueue.h"
#include "core/sched/running.h"
#include "core/read/counters.h"
#include "core/read/filter.h"
#include "core/read/raw_memo.h"
#include "core/hists/branch_history.h"
#include "core/hists/packed.h"

/*
 * Samples are added in batches, because the tables are larger than the CPU's caches: the memory for a whole batch is prefetched
 * before its first sample is added.
 */
#define BATCH 32
#define MOST_ROOM ((size_t)4 << 20)	/* rows that are reserved for all workers together */

/*
 * Caches the bucket of an address key's last sample, so that hot addresses need no search. The bucket itself is only read if the
 * address key is the same, because tables may be larger than the caches.
 */
#define RECENT_BITS	11

struct recent { uint64_t at; uint32_t bucket; };

struct waiting { struct bucket bucket; uint64_t hash, time; };

struct bucket_worker {
	struct bucket_part part;
	struct recent recent[1 << RECENT_BITS];
	struct waiting batch[BATCH];
	unsigned nr_waiting;
	struct raw_memo described;	/* the details of raw data, with .describes_raw */
	struct buf scratch;
	struct branch_history history;
	struct packed_table packed;
	VEC(struct event_total) totals;
	struct runqueue_cursor queue;
	size_t running_at;
	struct counters counters;
	const struct machine *machine;
	bool wants_moments;
	uint64_t last_moment;
};

struct bucket_pass {
	const struct bucket_opts *opts;
	struct buckets *out;
	const struct machine *machine;
	const struct event_table *events;
	size_t nr_events;
	size_t room;		/* rows that each worker has room for from the start */
	VEC(struct bucket_part) parts;
	bool open;		/* the filter lets all samples pass */
};

struct counted {		/* a sample with values of counters: on_counter() */
	struct bucket_worker *worker;
	const struct bucket_pass *pass;
	const struct item *item;
};

/* Returns the row's number. */
static uint32_t add_hashed(struct bucket_table *t, const struct bucket *bucket, uint64_t h)
{
	index_for(pos, &t->by_key, h) {
		struct bucket *b = &t->buckets.v[pos];

		if (memcmp(&b->key, &bucket->key, sizeof(b->key)))
			continue;
		bucket_add(b, bucket);
		return pos;
	}
	index_add(&t->by_key, h, (uint32_t)t->buckets.nr);
	vec_push(&t->buckets, *bucket);
	return (uint32_t)t->buckets.nr - 1;
}

static inline struct recent *recent_of(struct bucket_worker *w, uint64_t at)
{
	return &w->recent[at * 0x9e3779b97f4a7c15 >> (64 - RECENT_BITS)];
}

/* Makes the nodes of waiting chains, then completes the keys that depend on them. */
static void settle_batch(struct bucket_worker *w)
{
	chains_settle(&w->part.chains, &w->part.addr_keys);
	for (unsigned i = 0; i < w->nr_waiting; i++) {
		struct waiting *b = &w->batch[i];

		if (!(b->bucket.key.chain & CHAIN_WAITING))
			continue;
		b->bucket.key.chain = chain_settled(&w->part.chains, b->bucket.key.chain);
		b->hash = bucket_hash(&b->bucket.key);
		index_expect(&w->part.table.by_key, b->hash);
	}
}

/* Prefetches the buckets that exist already. Their hash slots were prefetched by add_later(). */
static void expect_rows(const struct bucket_table *t, const struct waiting *batch, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		uint32_t pos = index_at(&t->by_key, batch[i].hash, batch[i].hash);

		if (pos < t->buckets.nr)
			__builtin_prefetch(&t->buckets.v[pos], 1);
	}
}

static inline void note_moment(struct bucket_worker *w, uint64_t time, uint32_t bucket, uint64_t period)
{
	struct buf *moments;

	if (!w->wants_moments)
		return;
	moments = spill_more(&w->part.moments);
	buf_varint(moments, zigzag(time - w->last_moment));
	buf_varint(moments, bucket);
	buf_varint(moments, period);
	w->last_moment = time;
}

static void add_batch(struct bucket_worker *w)
{
	struct bucket_table *t = &w->part.table;

	if (w->part.chains.waiting.nr && !w->part.chains.settled)
		settle_batch(w);
	expect_rows(t, w->batch, w->nr_waiting);
	for (unsigned i = 0; i < w->nr_waiting; i++) {
		uint32_t bucket = add_hashed(t, &w->batch[i].bucket, w->batch[i].hash);

		*recent_of(w, w->batch[i].bucket.key.at) = (struct recent){ w->batch[i].bucket.key.at, bucket };
		note_moment(w, w->batch[i].time, bucket, w->batch[i].bucket.period);
	}
	w->nr_waiting = 0;
}

/* Adds to the bucket of the address key's last sample. Returns false if the key differs. */
static inline bool add_again(struct bucket_worker *w, const struct bucket *bucket, uint64_t time)
{
	const struct recent *last = recent_of(w, bucket->key.at);
	struct bucket *b;

	if (last->at != bucket->key.at || last->bucket >= w->part.table.buckets.nr)
		return false;
	b = &w->part.table.buckets.v[last->bucket];
	if (memcmp(&b->key, &bucket->key, sizeof(b->key)))
		return false;
	bucket_add(b, bucket);
	note_moment(w, time, last->bucket, bucket->period);
	return true;
}

static inline void add_later(struct bucket_worker *w, const struct bucket *bucket, uint64_t time)
{
	struct waiting *next = &w->batch[w->nr_waiting++];

	*next = (struct waiting){ .bucket = *bucket, .time = time };
	if (!(bucket->key.chain & CHAIN_WAITING)) {
		next->hash = bucket_hash(&bucket->key);
		index_expect(&w->part.table.by_key, next->hash);
	}
	if (w->nr_waiting == BATCH)
		add_batch(w);
}

static void put_addr_key(struct bucket_worker *w, const struct bucket_opts *o, const struct item *item, struct bucket *bucket)
{
	uint32_t space = chain_space(item->context, item->cpumode);
	struct addr_key addr_key;

	if (!(o->needs & NEED_ADDRESS)) {
		bucket->key.dso = address_dso(w->part.addr_keys.finder, space, item->sample->ip);
		return;
	}
	addr_key = addr_key_of(w->part.addr_keys.finder, space, item->sample->ip, 0);
	bucket->key.at = addr_key.at;
	bucket->key.owner = addr_key.owner;
	bucket->ip = addr_key.ip;
	bucket->space = space;
	if (space == SPACE_NONE)
		bucket->key.mode = item->cpumode;
}

static uint32_t describe(struct bucket_worker *w, const struct bucket_opts *o, const struct sample_view *v)
{
	uint32_t *known = NULL, detail;

	if (o->describes_raw && raw_memo_find(&w->described, v->item, &known))
		return *known;
	w->scratch.len = 0;
	o->describe(o->describe_ctx, v, &w->scratch);
	detail = byte_table_add(&w->part.details, w->scratch.data, w->scratch.len);
	if (known)
		*known = detail;
	return detail;
}

static uint16_t queue_of(struct bucket_worker *w, const struct bucket_opts *o, const struct item *item)
{
	uint32_t cpu = item->event->layout.cpu_at >= 0 ? item->sample->cpu : CPU_NONE;

	return runqueue_length(o->queues, &w->queue, cpu, item->at);
}

static inline struct bucket bucket_of(struct bucket_worker *w, const struct bucket_opts *o, const struct sample_view *v,
				const struct event *event, uint64_t period)
{
	const struct item *item = v->item;
	const struct sample *s = item->sample;
	struct bucket bucket = { .key.event = event->number, .period = period, .nr = 1 };
	struct bucket_key *key = &bucket.key;
	struct words chain;

	if (o->needs & NEED_COMM)
		key->comm = item->context->comm_number;
	if (o->needs & NEED_TID)
		key->tid = sample_owner(s);
	if (o->needs & NEED_THREAD)
		key->tid = item->context->thread->number;
	if (o->needs & NEED_CPU)
		key->cpu = item->event->layout.cpu_at >= 0 ? s->cpu : CPU_NONE;
	if (o->needs & NEED_TIME)
		key->slot = item->time > o->slot_from ? (item->time - o->slot_from) / o->slot_ns : 0;
	if (o->needs & (NEED_ADDRESS | NEED_DSO) && !(o->needs & NEED_BRANCH))
		put_addr_key(w, o, item, &bucket);
	if (o->needs & NEED_MODE)
		key->mode = item->cpumode;
	if (o->needs & NEED_QUEUE)
		key->queue = queue_of(w, o, item);
	if (o->needs & NEED_CGROUP)
		key->cgroup = machine_cgroup(w->machine, s->cgroup);
	if (o->needs & NEED_DETAIL)
		key->detail = describe(w, o, v);
	chain = o->branch_history && s->branch_nr ? branch_history_of(&w->history, item) : s->chain;
	if (o->needs & NEED_CHAIN && chain.nr)
		key->chain = chain_intern(&w->part.chains, &w->part.addr_keys, &chain, item->context, item->cpumode, item->unwound,
					  o->max_depth);
	return bucket;
}

static void worker_init(void *worker, void *ctx)
{
	struct bucket_worker *w = worker;
	struct bucket_pass *pass = ctx;

	chain_table_init(&w->part.chains);
	addr_key_table_init(&w->part.addr_keys, pass->machine);
	w->part.addr_keys.keeps_unmapped = pass->opts->all_callers;
	packed_init(&w->packed, pass->opts->needs, w->part.addr_keys.finder, &w->described);
	vec_reserve(&w->part.table.buckets, pass->room);
	w->machine = pass->machine;
	w->wants_moments = pass->opts->moments;
	w->totals.v = xcalloc(pass->nr_events, sizeof(*w->totals.v));
	w->totals.nr = w->totals.cap = pass->nr_events;
}

static inline void add(struct bucket_worker *w, const struct bucket *bucket, uint64_t time)
{
	if (!add_again(w, bucket, time))
		add_later(w, bucket, time);
}

/*
 * The number of the address key of one end of a branch. Branches are recorded without cpumodes, so the address is looked up in the
 * process and then in the kernel. An unmapped address gets SPACE_NONE.
 */
static uint32_t end_of_branch(struct bucket_worker *w, const struct task_context *context, uint64_t ip)
{
	uint32_t space = context->user_space;
	struct addr_key addr_key;

	if (address_dso(w->part.addr_keys.finder, space, ip) == DSO_NONE)
		space = context->kernel_space;
	if (address_dso(w->part.addr_keys.finder, space, ip) == DSO_NONE)
		addr_key = addr_key_of(w->part.addr_keys.finder, SPACE_NONE, ip, PERF_RECORD_MISC_HYPERVISOR);
	else
		addr_key = addr_key_of(w->part.addr_keys.finder, space, ip, 0);
	return addr_keys_add(&w->part.addr_keys, &addr_key);
}

static void count_branch(struct bucket_worker *w, const struct bucket_opts *o, const struct sample_view *v,
			const struct event *event, uint64_t from, uint64_t to)
{
	struct bucket bucket = bucket_of(w, o, v, event, 1);

	bucket.key.from = end_of_branch(w, v->item->context, from);
	bucket.key.to = end_of_branch(w, v->item->context, to);
	add(w, &bucket, v->item->time);
}

/* True if the item is a branch that was decoded from a hardware trace. */
static bool is_branch(const struct item *item)
{
	const struct event_attr *attr = &item->event->attr;

	return item->sample->flags && attr->type == PERF_TYPE_HARDWARE &&
	       attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
}

static void count_branches(struct bucket_worker *w, const struct bucket_opts *o, const struct sample_view *sample,
			  const struct event *event)
{
	const struct sample *s = sample->item->sample;

	if (is_branch(sample->item)) {
		count_branch(w, o, sample, event, s->ip, s->addr);
		return;
	}
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		const struct sample_view r = { sample->item, words_at(&s->branches, 3 * i + 2), sample->running, NULL };

		count_branch(w, o, &r, event, words_at(&s->branches, 3 * i), words_at(&s->branches, 3 * i + 1));
	}
}

static bool passes(const struct bucket_pass *pass, const struct sample_view *v)
{
	const struct cpus *wanted = pass->opts->wanted_running;

	return (!wanted || cpus_has(wanted, (int)v->running)) && filter_item(pass->opts->filter, v->item);
}

/* Events that are only the source of others are not shown. */
static bool wants_event(const void *ctx, const struct event *event)
{
	const struct bucket_opts *o = ((const struct bucket_pass *)ctx)->opts;

	return o->event ? event == o->event : o->sources || !event->hidden_source;
}

/* Adds @item, which counts @period of @event, to the totals and to its bucket. */
static inline void take(struct bucket_worker *w, const struct bucket_pass *pass, const struct item *item,
			const struct event *event, uint64_t period)
{
	const struct bucket_opts *o = pass->opts;
	struct event_total *total = &w->totals.v[event->number];
	struct sample_view r = { .item = item };
	uint64_t sums[NR_BRANCH_SUMS];
	struct bucket bucket;

	if (!wants_event(pass, event))
		return;
	if (o->needs & NEED_RUNNING)
		r.running = running_at(o->running, &w->running_at, item->at);
	if (o->needs & NEED_BRANCH)
		period = is_branch(item) ? 1 : item->sample->branch_nr;
	if (!pass->open && !filter_in_window(o->filter, item))
		return;
	total->nr++;
	total->nr_single += r.running == 1;
	add_saturated(&total->period, period);
	if (!pass->open && !passes(pass, &r)) {
		total->nr_out++;
		add_saturated(&total->period_out, period);
		add_saturated(&total->latency_out, r.running ? period / r.running : 0);
		return;
	}
	if (!sample_owner(item->sample) && event_shows(item->event, PERF_SAMPLE_TID))
		add_saturated(&total->period_idle, period);
	if (o->needs & NEED_BRANCH) {
		count_branches(w, o, &r, event);
		return;
	}
	if (o->needs & NEED_BRANCH_SUMS && o->branch_history) {
		branch_history_sums(&w->history, item, sums);
		r.branch_sums = sums;
	}
	bucket = bucket_of(w, o, &r, event, period);
	if (o->needs & NEED_CHAIN && bucket.key.chain == CHAIN_ROOT && event_shows(item->event, PERF_SAMPLE_CALLCHAIN))
		total->nr_no_chain++;
	add(w, &bucket, item->time);
}

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	const struct bucket_pass *pass = ctx;

	if (pass->opts->needs & NEED_BRANCH && !event_shows(item->event, PERF_SAMPLE_BRANCH_STACK) && !is_branch(item))
		return;		/* an event without branches, next to events with branches */
	take(worker, pass, item, item->event, pass->opts->count ? pass->opts->count(item) : item_period(item));
}

/* ---- plain samples ---- */

static bool takes_plain(const struct bucket_pass *pass)
{
	const struct bucket_opts *o = pass->opts;

	return pass->open && !(o->needs & ~PACKED_NEEDS) && (!(o->needs & NEED_TRACE) || o->describes_raw) && !o->moments &&
	       !o->count;
}

/* Returns false for a sample whose raw data have not been seen before: on_sample() then makes its detail. */
static bool on_plain(void *worker, void *ctx, const struct plain_sample *s, struct context_cache *contexts)
{
	const struct bucket_pass *pass = ctx;
	struct bucket_worker *w = worker;
	struct event_total *total = &w->totals.v[s->event->number];

	if (pass->opts->event && s->event != pass->opts->event)
		return true;
	if (!packed_add(&w->packed, s, contexts))
		return false;
	total->nr++;
	add_saturated(&total->period, s->period);
	if (!owner_of(s->pid, s->tid))
		add_saturated(&total->period_idle, s->period);
	return true;
}

/* The bucket that bucket_of() would have made of these samples. */
static struct bucket bucket_of_row(const struct packed_owner *owner, const struct packed_row *row)
{
	return (struct bucket){
		.key = { .event = owner->event, .comm = owner->comm, .tid = owner->tid, .mode = owner->mode,
			 .at = row->at, .owner = row->at_owner, .detail = row->detail },
		.period = row->period, .nr = row->nr, .ip = row->ip, .space = row->space,
	};
}

static void unpack_among_others(void *worker, const struct packed_owner *owner, const struct packed_row *row)
{
	struct bucket bucket = bucket_of_row(owner, row);

	add_later(worker, &bucket, 0);
}

static void unpack_alone(void *worker, const struct packed_owner *owner, const struct packed_row *row)
{
	struct bucket_worker *w = worker;

	vec_push(&w->part.table.buckets, bucket_of_row(owner, row));
}

/* All rows are different, so if the table is empty they are added without a search. */
static void unpack(struct bucket_worker *w)
{
	bool alone = !w->part.table.buckets.nr && !w->nr_waiting;

	if (alone) {
		vec_reserve(&w->part.table.buckets, w->packed.nr + w->packed.nr_batch);
		packed_rows(&w->packed, unpack_alone, w);
	} else {
		packed_rows(&w->packed, unpack_among_others, w);
	}
	packed_release(&w->packed);
}

/* ---- in order of time ---- */

static void on_counter(void *ctx, const struct event *event, uint64_t period)
{
	const struct counted *c = ctx;

	take(c->worker, c->pass, c->item, event, period);
}

/* Adds items in order of time, which is needed if the difference of two samples' counters is the period. */
static void on_item_in_order(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	const struct bucket_pass *pass = ctx;
	struct bucket_worker *w = worker;
	struct counted c = { .worker = w, .pass = pass, .item = item };

	if (!item->sample)
		return;
	if (event_counts(item->event))
		counters_read(&w->counters, pass->events, item->event, item->sample, on_counter, &c);
	else
		on_sample(worker, ctx, item);
}

static bool wants_samples(void *ctx, const struct record_header *header)
{
	return header->type == PERF_RECORD_SAMPLE;
}

static void merge_totals(struct buckets *out, const struct bucket_worker *w)
{
	for (size_t i = 0; i < w->totals.nr; i++) {
		struct event_total *into = &out->totals.v[i];
		const struct event_total *from = &w->totals.v[i];

		into->nr += from->nr;
		add_saturated(&into->period, from->period);
		into->nr_out += from->nr_out;
		add_saturated(&into->period_out, from->period_out);
		into->nr_single += from->nr_single;
		add_saturated(&into->latency_out, from->latency_out);
		add_saturated(&into->period_idle, from->period_idle);
		into->nr_no_chain += from->nr_no_chain;
	}
}

/* Sets .addr_key of each row. Until then a row has the parts of its address key, but not its number. */
static void number_addr_keys(struct bucket_worker *w)
{
	struct addr_key keys[BATCH];
	size_t nr = w->part.table.buckets.nr;

	for (size_t i = 0; i < nr; i += BATCH) {
		size_t n = MIN(nr - i, BATCH);

		for (size_t k = 0; k < n; k++) {
			const struct bucket *b = &w->part.table.buckets.v[i + k];

			keys[k] = (struct addr_key){
				.at = b->key.at, .owner = b->key.owner, .ip = b->ip, .space = b->space,
				.mode = b->space == SPACE_NONE ? (uint16_t)b->key.mode : 0,
			};
			addr_keys_expect(&w->part.addr_keys, &keys[k]);
		}
		for (size_t k = 0; k < n; k++)
			w->part.table.buckets.v[i + k].addr_key = addr_keys_add(&w->part.addr_keys, &keys[k]);
	}
}

static void finish_worker(void *worker, void *ctx)
{
	const struct bucket_pass *pass = ctx;
	struct bucket_worker *w = worker;

	unpack(w);
	add_batch(w);
	if (!(pass->opts->needs & NEED_BRANCH))
		number_addr_keys(w);
}

static void merge_worker(void *worker, void *ctx)
{
	struct bucket_worker *w = worker;
	struct bucket_pass *pass = ctx;

	merge_totals(pass->out, w);
	vec_free(&w->totals);
	buf_release(&w->scratch);
	raw_memo_release(&w->described);
	branch_history_release(&w->history);
	counters_release(&w->counters);
	vec_push(&pass->parts, w->part);
}

static void merge_in_order(void *worker, void *ctx)
{
	finish_worker(worker, ctx);
	merge_worker(worker, ctx);
}

/*
 * The number of rows that each worker reserves. A table that grows is copied each time into memory that the kernel must clear
 * first, and unused memory costs nothing. A worker may read all samples, so each reserves rows for all, up to some hundred
 * megabytes in total.
 */
static size_t room_for_rows(const struct session *s)
{
	return MIN(session_counts(s)->by_type[PERF_RECORD_SAMPLE], MOST_ROOM / MAX(session_jobs(s), 1));
}

/* True if the kernel's functions will probably be looked up, according to the events. */
static bool counts_kernel(const struct bucket_pass *pass)
{
	if (pass->opts->needs & (NEED_ADDRESS | NEED_BRANCH | NEED_CHAIN))
		vec_for(event, &pass->events->events)
			if (!(*event)->attr.exclude_kernel && wants_event(pass, *event))
				return true;
	return false;
}

int buckets_collect(struct buckets *out, struct session *s, const struct bucket_opts *opts)
{
	unsigned unwind = opts->needs & NEED_CHAIN ? opts->max_depth : 0;
	struct sample_pass pass = {
		.worker_size = sizeof(struct bucket_worker),
		.init = worker_init,
		.sample = on_sample,
		.finish = finish_worker,
		.merge = merge_worker,
		.unwind = unwind, .wants_event = wants_event,
		.may_want = filter_may_pass, .filter = opts->filter, .only_wanted = opts->only_wanted,
	};
	struct bucket_pass ctx = {
		.opts = opts, .out = out, .machine = session_machine(s), .events = session_events(s),
		.nr_events = session_events(s)->events.nr,
		.open = filter_is_open(opts->filter) && !opts->wanted_running, .room = room_for_rows(s),
	};
	struct ordered_pass ordered = {
		.worker_size = sizeof(struct bucket_worker), .init = worker_init, .release = merge_in_order,
		.wants = wants_samples, .item = on_item_in_order, .unwind = unwind, .one_worker = true,
	};
	struct phase phase;
	int err;

	if (session_jobs(s) > 1 && counts_kernel(&ctx))
		machine_load_kernel_early(session_machine(s));
	if (takes_plain(&ctx))
		pass.plain = on_plain;
	pass.plain_chains = !(opts->needs & NEED_CHAIN);
	pass.plain_raw = opts->needs & NEED_TRACE;
	out->jobs = session_jobs(s);
	chain_table_init(&out->chains);
	addr_key_table_init(&out->addr_keys, ctx.machine);
	out->totals.v = xcalloc(MAX(ctx.nr_events, 1), sizeof(*out->totals.v));
	out->totals.nr = out->totals.cap = ctx.nr_events;
	err = event_table_counts(ctx.events) ? session_ordered(s, &ordered, &ctx, -1) : session_samples(s, &pass, &ctx);
	phase = phase_begin();
	if (ctx.parts.nr)
		bucket_parts_unite(out, ctx.parts.v, ctx.parts.nr, opts->needs, session_jobs(s));
	phase_end(&phase, "merging");
	vec_free(&ctx.parts);
	index_release(&out->table.by_key);
	chain_table_seal(&out->chains);
	return err;
}

void buckets_moments(struct buckets *b, void (*sample)(void *ctx, uint64_t time, uint32_t bucket, uint64_t period), void *ctx)
{
	vec_for(m, &b->moments) {
		uint64_t time = 0, size;
		const uint8_t *p = spill_all(&m->bytes, &size), *end = p + size, *passed = p;

		while (p < end) {
			uint64_t period;
			uint32_t bucket;

			spill_passed(&m->bytes, &passed, p);

			time += unzigzag(read_varint(&p));
			bucket = (uint32_t)read_varint(&p);
			period = read_varint(&p);
			sample(ctx, time, m->buckets ? m->buckets[bucket] : bucket, period);
		}
	}
}

void buckets_release(struct buckets *b)
{
	vec_free(&b->table.buckets);
	index_release(&b->table.by_key);
	chain_table_release(&b->chains);
	addr_key_table_release(&b->addr_keys);
	byte_table_release(&b->details);
	vec_free(&b->totals);
	vec_for(m, &b->moments) {
		spill_release(&m->bytes);
		free(m->buckets);
	}
	vec_free(&b->moments);
}
