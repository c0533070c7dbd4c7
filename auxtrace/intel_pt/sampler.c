/*
 * Decodes parts (pieces, stage.h) of an Intel PT trace in a worker thread: runs the decoder of flow.h over each part, with
 * callbacks that synthesize samples.
 */
#include "auxtrace/intel_pt/sampler.h"

#include <string.h>

#include "auxtrace/block.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/read/session.h"

#define MAX_BLOCKS	(1u << 20)	/* the cache is cleared if it has more, so that a hostile trace does not fill the memory */
#define STRETCH		4096		/* bytes of trace between two checks of what other workers have counted */

static uint32_t on_space(void *ctx, const struct pt_state *s)
{
	struct pt_worker *w = ctx;

	pt_update_task(w, s);
	return w->aux.space;
}

/* ---- pieces ---- */

static bool on_traced(void *ctx, const struct pt_state *s, uint64_t ip)
{
	struct pt_worker *w = ctx;
	uint32_t space;

	if (!aux_space_of(&w->aux, s->space, ip, &space))
		space = s->space;
	return pt_filters_trace(&w->stage->filters, ip, machine_map(session_machine(w->stage->aux.session), space, ip));
}

/* Returns true for addresses of the kernel and of processes without maps, too, because their maps are incomplete. */
static bool on_mapped(void *ctx, const struct pt_state *s, uint64_t ip)
{
	struct ip_span span = { 0, UINT64_MAX };
	struct pt_worker *w = ctx;
	uint32_t space;

	if (ip >= w->stage->aux.kernel_start || !aux_space_of(&w->aux, s->space, ip, &space))
		return true;
	return machine_map_span(session_machine(w->stage->aux.session), space, ip, &span) || (!span.from && span.to == UINT64_MAX);
}

static void choose_calls(struct pt_worker *w, bool count)
{
	const struct pt_stage *stage = w->stage;

	w->calls = (struct pt_sink){ .taken_only = !stage->hold, .space = on_space, .gap = pt_on_gap, .mapped = on_mapped };
	if (stage->filters.list.nr)
		w->calls.traced = on_traced;
	if (w->log) {
		w->calls.block = w->log_calls->block;
		w->calls.gap = w->log_calls->gap;
		return;
	}
	if (stage->branches || stage->aux.follow || stage->hold || stage->ticks || stage->transactions)
		w->calls.branch = pt_on_branch;
	if (count && !stage->aux.follow)
		w->calls.branch = NULL;
	if (count)
		return;
	if (!stage->instructions && !stage->cycles)
		;
	else if (stage->ticks)
		w->calls.block = pt_on_tick;
	else if (stage->period == 1)
		w->calls.block = pt_on_block;
	else
		w->calls.sample = pt_on_sample;
	if (stage->aux.opts.ptwrites || stage->aux.opts.power || stage->transactions || stage->packet_events[SYNTH_EVT] ||
	    stage->pebs.first)
		w->calls.event = pt_on_event;
	if (stage->packet_events[SYNTH_IFLAG])
		w->calls.interrupts = pt_on_interrupts;
}

static void make_flow(struct pt_worker *w, bool count)
{
	struct pt_flow_config config = w->stage->flow;

	choose_calls(w, count);
	w->cache = block_cache_new(&arch_x86_64, aux_read_code, &w->aux);
	config.cache = w->cache;
	config.sink = &w->calls;
	config.ctx = w;
	if (w->calls.sample)
		config.period = w->stage->period;
	w->flow = pt_flow_new(&config);
}

static void drop_flow(struct pt_worker *w)
{
	pt_flow_free(w->flow);
	block_cache_free(w->cache);
}

static struct pt_worker *sampler_new(struct pt_stage *stage, bool count, struct pt_log *log, const struct pt_sink *log_calls)
{
	struct pt_worker *w = xcalloc(1, sizeof(*w));

	aux_worker_init(&w->aux, &stage->aux);
	w->stage = stage;
	w->log = log;
	w->log_calls = log_calls;
	make_flow(w, count);
	return w;
}

/* Returns the number of the instruction at which the first sample is due, as if all pieces of the queue were one. */
static uint64_t first_sample_at(const struct pt_worker *w, const struct pt_piece *p)
{
	uint64_t period = w->stage->period;

	return w->first_insn + (period ? period - p->insns_before % period : 1);
}

/* Returns true if the number of instructions in the pieces before @p is known. @wait: waits until it is. */
static bool find_insns_before(struct pt_stage *stage, const struct pt_piece *p, bool wait)
{
	bool known;

	pthread_mutex_lock(&stage->aux.lock);
	while (wait && !p->insns_before_known && !stage->aux.in_vain)
		pthread_cond_wait(&stage->aux.turned, &stage->aux.lock);
	known = p->insns_before_known;
	pthread_mutex_unlock(&stage->aux.lock);
	return known;
}

/* Passes the number of instructions to the queue's next piece. */
static void pass_on_insns(struct pt_stage *stage, const struct pt_piece *p)
{
	size_t next = (size_t)(p - stage->pieces.v) + 1;
	struct pt_piece *to = next < stage->pieces.nr ? &stage->pieces.v[next] : NULL;

	if (!to || to->queue != p->queue)
		return;
	pthread_mutex_lock(&stage->aux.lock);
	if (!to->insns_before_known)
		to->insns_before = p->insns_before + p->insns;
	to->insns_before_known = true;
	pthread_cond_broadcast(&stage->aux.turned);
	pthread_mutex_unlock(&stage->aux.lock);
}

static void begin_piece(struct pt_worker *w, size_t number, const struct item_sink *sink)
{
	w->number = number;
	w->piece = &w->stage->pieces.v[number];
	aux_worker_begin(&w->aux, w->piece->queue, w->piece->from, w->stage->aux.source.pieces.v[number].time, sink);
	w->cbr_reported = UINT32_MAX;
	w->prepared = NULL;
	w->first_insn = pt_flow_state(w->flow)->insns;
	w->walk_left = w->clock_tsc = w->clock_insn = 0;
	w->pending = false;
	w->nr_data = 0;
	w->pebs.open = false;
	w->pebs_truncated = w->pebs_unnamed = 0;
	w->skip = w->piece->skip;
	if (!w->stage->carries)
		w->carry = (struct pt_carry){0};
	memset(w->gaps, 0, sizeof(w->gaps));
	pt_flow_reset(w->flow);
}

/* Reports the samples of the stored path. Returns false if the path was too long to store. */
static bool report_late(struct pt_worker *w)
{
	w->aux.context = NULL;	/* the path begins at the start of the piece, so the task must be looked up again */
	w->prepared = NULL;
	return pt_flow_sample_now(w->flow, first_sample_at(w, w->piece));
}

/* Follows the piece while it is unknown where the first sample is due. Returns the offset that it reached. */
static size_t follow_blindly(struct pt_worker *w, size_t size, size_t to)
{
	size_t at = 0;

	pt_flow_sample_later(w->flow);
	while (at < to && !find_insns_before(w->stage, w->piece, false))
		at = pt_flow_advance(w->flow, w->data, size, at, MIN(at + STRETCH, to), 0);
	return at;
}

/* Decodes the piece. @known: the first sample's place is known, or does not matter. Returns false: call again with @known. */
static bool follow(struct pt_worker *w, bool known)
{
	struct pt_piece *p = w->piece;
	uint64_t size = MIN(p->end, p->to + PSB_PLUS) - p->from, to = p->to - p->from;
	size_t at = 0;

	w->data = aux_queue_bytes(p->queue, p->from, p->from + size, &w->bytes);
	if (w->stage->aux.opts.quick) {
		pt_decode_no_flow(w, size, to);
		return true;
	}
	if (known)
		pt_flow_sample_at(w->flow, first_sample_at(w, p));
	else
		at = follow_blindly(w, size, to);
	if (!known && at < to) {
		if (!report_late(w))
			return false;
		known = true;
	}
	pt_flow_decode(w->flow, w->data, size, at, to, 0);
	pt_release_pending(w);
	p->insns = pt_flow_state(w->flow)->insns - w->first_insn;
	if (known)
		return true;
	find_insns_before(w->stage, p, true);
	pass_on_insns(w->stage, p);
	return report_late(w);
}

static void decode_piece(struct pt_worker *w, size_t number, const struct item_sink *sink)
{
	struct pt_piece *p = &w->stage->pieces.v[number];
	bool known = !sink || !w->stage->sums || find_insns_before(w->stage, p, false);

	if (block_cache_nr(w->cache) > MAX_BLOCKS) {
		drop_flow(w);
		make_flow(w, !sink);
	}
	begin_piece(w, number, sink);
	if (!follow(w, known)) {
		begin_piece(w, number, sink);
		follow(w, true);
	}
	if (sink && w->stage->sums)
		pass_on_insns(w->stage, p);
	aux_queue_release(p->queue, p->from, p->to);
	memcpy(p->gaps, w->gaps, sizeof(p->gaps));
	pt_truncate_pebs(w);
	p->pebs_truncated = w->pebs_truncated;
	p->pebs_unnamed = w->pebs_unnamed;
	p->lost = *pt_flow_lost(w->flow);
	p->last_tsc = pt_flow_state(w->flow)->time.tsc;
}

/* Takes over the state at the end of the queue's previous piece. */
static void set_carry(struct pt_worker *w, size_t number)
{
	struct pt_carry *carry = &w->stage->carry.v[w->stage->pieces.v[number].queue->number];

	if (aux_is_first(&w->stage->aux, number))
		*carry = (struct pt_carry){0};
	w->carry = *carry;
}

static void leave_carry(struct pt_worker *w)
{
	const struct pt_state *s = pt_flow_state(w->flow);

	w->carry.before.insns += s->insns - w->first_insn;
	w->carry.before.cycles += s->time.cycles;
	w->stage->carry.v[w->piece->queue->number] = w->carry;
}

/* ---- struct item_source ---- */

void *pt_sampler_new(struct item_source *s)
{
	return sampler_new((struct pt_stage *)s, false, NULL, NULL);
}

void *pt_sampler_new_prescan(struct aux_stage *stage)
{
	return sampler_new((struct pt_stage *)stage, true, NULL, NULL);
}

struct pt_worker *pt_sampler_new_log(struct pt_stage *stage, struct pt_log *log, const struct pt_sink *calls)
{
	return sampler_new(stage, true, log, calls);
}

void pt_sampler_follow(struct pt_worker *w, size_t number)
{
	decode_piece(w, number, NULL);
}

struct thread_stacks *pt_sampler_prescan(void *worker, size_t piece)
{
	struct pt_worker *w = worker;

	w->aux.stacks = w->stage->aux.follow ? thread_stacks_new(&w->stage->aux.stack, true) : NULL;
	decode_piece(w, piece, NULL);
	return w->aux.stacks;
}

void pt_sampler_free(struct item_source *s, void *worker)
{
	struct pt_worker *w = worker;

	drop_flow(w);
	context_cache_free(w->pebs_contexts);
	buf_release(&w->bytes);
	aux_worker_release(&w->aux);
	free(w);
}

void pt_sampler_decode(struct item_source *source, void *worker, size_t piece, const struct item_sink *sink)
{
	struct pt_stage *s = (struct pt_stage *)source;
	struct pt_worker *w = worker;

	if (!aux_turn_begin(&s->aux, piece, &w->aux.stacks))
		return;
	if (s->carries)
		set_carry(w, piece);
	decode_piece(w, piece, sink);
	if (s->carries)
		leave_carry(w);
	aux_turn_end(&s->aux, piece, w->aux.stacks);
}

void pt_sampler_report(void *worker, size_t number, size_t from, size_t to)
{
	struct pt_worker *w = worker;

	if (!aux_turn_begin(&w->stage->aux, number, &w->aux.stacks))
		return;
	w->augmented = from;
	w->augmented_end = to;
	decode_piece(w, number, NULL);
	pt_end_augmented_samples(w);
	aux_turn_end(&w->stage->aux, number, w->aux.stacks);
}

/* ---- skipping the first samples (--itrace=s) ---- */

struct counting_sink {
	struct item_sink sink;
	uint64_t nr;
};

static void count_item(const struct item_sink *sink, const struct item *item)
{
	((struct counting_sink *)(uintptr_t)sink)->nr += item->sample != NULL;
}

ORDER(by_time, struct source_piece *, compare_numbers((*a)->time, (*b)->time) ?: compare_numbers(*a, *b))

void pt_choose_skipped(struct pt_stage *stage)
{
	size_t nr = stage->pieces.nr;
	const struct source_piece **order = xcalloc(MAX(nr, 1), sizeof(*order));
	struct pt_worker *w = sampler_new(stage, false, NULL, NULL);
	uint64_t left = stage->aux.opts.skip;

	for (size_t i = 0; i < nr; i++)
		order[i] = &stage->aux.source.pieces.v[i];
	if (nr)
		qsort(order, nr, sizeof(*order), by_time);
	for (size_t i = 0; i < nr && left; i++) {
		struct counting_sink counting = { .sink.item = count_item };
		size_t number = (size_t)(order[i] - stage->aux.source.pieces.v);

		pt_sampler_decode(&stage->aux.source, w, number, &counting.sink);
		stage->pieces.v[number].skip = MIN(counting.nr, left);
		left -= MIN(counting.nr, left);
	}
	free(order);
	pt_sampler_free(&stage->aux.source, w);
	aux_turns_reset(&stage->aux);
}
