/*
 * Synthesizes samples from Arm SPE trace. Each record describes one sampled operation (record.h), and becomes one sample for
 * each kind of event in the record. source.c finds the memory level of a load or store.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "auxtrace/arm_spe/info.h"
#include "auxtrace/arm_spe/packet.h"
#include "auxtrace/arm_spe/record.h"
#include "auxtrace/aux.h"
#include "auxtrace/backend.h"
#include "auxtrace/clock.h"
#include "auxtrace/synth.h"
#include "auxtrace/worker.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/read/session.h"

/* In the order in which a record's samples come. */
enum spe_sample {
	L1D_MISS, L1D_ACCESS, LLC_MISS, LLC_ACCESS, TLB_MISS, TLB_ACCESS, BRANCH, REMOTE_ACCESS, MEMORY, INSTRUCTIONS, NR_SAMPLES,
};

#define OF_BRANCH	(1u << BRANCH | 1u << INSTRUCTIONS)	/* kinds of samples of a branch that have its target */

/* Names and contents of the samples are the same as in perf. */
static const struct { const char *name; uint64_t events; } sample_kinds[NR_SAMPLES] = {
	[L1D_MISS] = { "l1d-miss", 1 << SPE_L1D_REFILL }, [L1D_ACCESS] = { "l1d-access", 1 << SPE_L1D_ACCESS },
	[LLC_MISS] = { "llc-miss", 1 << SPE_LLC_REFILL }, [LLC_ACCESS] = { "llc-access", 1 << SPE_LLC_ACCESS },
	[TLB_MISS] = { "tlb-miss", 1 << SPE_TLB_REFILL }, [TLB_ACCESS] = { "tlb-access", 1 << SPE_TLB_ACCESS },
	[BRANCH] = { "branch", 0 }, [REMOTE_ACCESS] = { "remote-access", 1 << SPE_REMOTE_ACCESS },
	[MEMORY] = { "memory", 0 }, [INSTRUCTIONS] = { "instructions", 0 },
};

#define MAX_BRANCHES 2	/* the sampled branch, and the branch before it */
#define DUMP_AT_ONCE (1u << 20)	/* bytes of text */

struct spe_piece {
	const struct aux_queue *queue;
	uint64_t from, to;		/* positions */
	uint64_t records_before;	/* records in earlier pieces of the queue, if they are counted */
	bool wanted;			/* the piece may have samples that are shown */
	uint64_t broken, records;	/* known after decoding: records that were damaged; all records */
};

struct spe_stage {
	struct aux_stage aux;		/* first */
	struct spe_info info;
	VEC(struct spe_piece) pieces;	/* as aux.source.pieces */
	const struct event *events[NR_SAMPLES];		/* NULL: not wanted */
	uint64_t period;		/* one record of this many becomes samples */
	struct aux_clock clock;
};

struct spe_worker {
	struct aux_worker aux;		/* first */
	struct buf bytes;
	uint64_t branches[3 * MAX_BRANCHES];	/* the last branches of the sample (struct branch_entry) */
};

/* ---- a record's samples ---- */

/* Returns the record's time in ns; 0: it is not known. */
static uint64_t time_of(const struct spe_stage *s, const struct spe_record *r)
{
	return s->clock.known && r->has & SPE_HAS_TIME ? aux_clock_ns(&s->clock, r->time) : 0;
}

static uint32_t named_by(const struct spe_record *r)
{
	if (!(r->has & (SPE_HAS_CONTEXT_1 | SPE_HAS_CONTEXT_2)))
		return AUX_NONE;
	return r->has & SPE_HAS_CONTEXT_2 ? r->context_el2 : r->context_el1;
}

static bool is_branch(const struct spe_record *r)
{
	return r->has & SPE_HAS_OPERATION && r->class == SPE_BRANCH;
}

/* Source: Arm ARM, D17.2 "Operation Type packet", branches: bits 0 conditional, 1 indirect, 4:3 a call or return. */
enum { CONDITIONAL = 1, INDIRECT = 2, CALL_BITS = 3 << 3, CALL = 1 << 3, RETURN = 2 << 3, NEITHER = 3 << 3 };

static uint32_t flags_of(const struct spe_record *r)
{
	unsigned call = r->subclass & CALL_BITS;
	uint32_t flags = SYNTH_BRANCH;

	if (!is_branch(r))
		return 0;
	if (r->subclass & CONDITIONAL)
		flags |= SYNTH_CONDITIONAL;
	if (call == CALL)
		flags |= SYNTH_CALL;
	else if (call == RETURN || r->subclass & INDIRECT)
		flags |= SYNTH_RETURN;
	return flags | (spe_has_event(r, SPE_MISPREDICTED) ? SYNTH_MISSED : 0) |
	       (spe_has_event(r, SPE_NOT_TAKEN) ? SYNTH_NOT_TAKEN : 0) | (spe_has_event(r, SPE_TRANSACTIONAL) ? SYNTH_IN_TX : 0);
}

/* Source: linux/perf_event.h, struct perf_branch_entry and PERF_BR_*. */
static uint64_t branch_word(const struct spe_record *r)
{
	enum { COND = 1, UNCOND = 2, BR_CALL = 4, RET = 6, COND_CALL = 9, COND_RET = 10 };
	bool condition = r->subclass & CONDITIONAL;
	unsigned call = r->subclass & CALL_BITS, type = condition ? COND : 0;

	if (call == CALL)
		type = condition ? COND_CALL : BR_CALL;
	else if (call == RETURN || r->subclass & INDIRECT)
		type = condition ? COND_RET : RET;
	else if (call == NEITHER)
		type = condition ? COND : UNCOND;
	return (spe_has_event(r, SPE_MISPREDICTED) ? 1 : 2) | (uint64_t)spe_has_event(r, SPE_TRANSACTIONAL) << 2 |
	       (uint64_t)r->total << 4 | (uint64_t)type << 20 | (uint64_t)spe_has_event(r, SPE_NOT_TAKEN) << 33;
}

/* Sets the last branches, the latest first: the operation, if it is a branch, and the branch before it, with its target alone. */
static void fill_branches(struct spe_worker *w, const struct spe_stage *s, const struct spe_record *r)
{
	unsigned nr = 0;

	if (is_branch(r)) {
		w->branches[0] = r->pc;
		w->branches[1] = r->target;
		w->branches[2] = branch_word(r);
		nr = 1;
	}
	if (r->prev_target && nr < s->aux.opts.last_branch_depth) {
		w->branches[3 * nr] = 0;
		w->branches[3 * nr + 1] = r->prev_target;
		w->branches[3 * nr + 2] = 0;
		nr++;
	}
	w->aux.sample.branch_nr = nr;
	w->aux.sample.branch_hw_idx = UINT64_MAX;
	w->aux.sample.branches = (struct words){ .nr = 3 * nr, .data = (const uint8_t *)w->branches };
}

static void fill(struct spe_worker *w, const struct spe_stage *s, const struct spe_record *r)
{
	aux_start_sample(&w->aux, NULL, r->pc, aux_cpumode(&w->aux, r->pc));
	w->aux.sample.period = s->period;
	w->aux.sample.phys_addr = r->pa;
	w->aux.sample.weight = r->total;
	w->aux.sample.simd = spe_simd(r);
	w->aux.sample.data_src = spe_data_src(r, spe_info_cpu(&s->info, w->aux.cpu));
}

static bool has_kind(const struct spe_record *r, const struct sample *sample, enum spe_sample kind)
{
	switch (kind) {
	case INSTRUCTIONS:
		return true;
	case BRANCH:
		return is_branch(r);
	case MEMORY:
		return sample->data_src != 0;
	default:
		return (r->events & sample_kinds[kind].events) != 0;
	}
}

static void emit_all(struct spe_worker *w, const struct spe_stage *s, const struct spe_record *r)
{
	struct sample memory = w->aux.sample, branch;

	memory.addr = r->va;
	w->aux.sample.addr = r->target;
	w->aux.sample.flags = flags_of(r);
	if (s->aux.opts.last_branch)
		fill_branches(w, s, r);
	branch = w->aux.sample;
	for (unsigned kind = 0; kind < NR_SAMPLES; kind++) {
		if (!s->events[kind] || !has_kind(r, &memory, kind))
			continue;
		w->aux.sample = OF_BRANCH >> kind & 1 ? branch : memory;
		if (kind == BRANCH)
			w->aux.sample.phys_addr = w->aux.sample.data_src = 0;
		w->aux.item.event = s->events[kind];
		aux_give(&w->aux);
	}
}

static void spe_piece_decode(struct item_source *source, void *worker, size_t number, const struct item_sink *sink)
{
	struct spe_stage *s = (struct spe_stage *)source;
	struct spe_piece *p = &s->pieces.v[number];
	struct spe_worker *w = worker;
	const uint8_t *data = aux_queue_bytes(p->queue, p->from, p->to, &w->bytes);
	uint64_t broken = 0, records = 0;
	size_t at = 0;
	struct spe_record r;

	aux_worker_begin(&w->aux, p->queue, p->from, source->pieces.v[number].time, sink);
	while ((at = spe_record_next(&r, data, at, p->to - p->from))) {
		records++;
		broken += r.broken;
		aux_set_time(&w->aux, time_of(s, &r));
		w->aux.piece_time = w->aux.time;
		if ((p->records_before + records) % s->period)
			continue;
		aux_update_task(&w->aux, w->aux.time, named_by(&r), p->from + r.at);
		fill(w, s, &r);
		emit_all(w, s, &r);
	}
	aux_queue_release(p->queue, p->from, p->to);
	p->broken = broken;
	p->records = records;
}

static void *spe_worker_new(struct item_source *source)
{
	struct spe_worker *w = xcalloc(1, sizeof(*w));

	aux_worker_init(&w->aux, &((struct spe_stage *)source)->aux);
	return w;
}

static void spe_worker_free(struct item_source *source, void *worker)
{
	struct spe_worker *w = worker;

	aux_worker_release(&w->aux);
	buf_release(&w->bytes);
	free(w);
}

/* ---- opening ---- */

struct piece_times {		/* the result of read_piece_times() */
	uint64_t first, last;	/* times of the first and the last record that have one; 0: no record has */
	uint64_t records;
	bool names;		/* some have a context packet, which names their thread */
};

/* Reads the times of a piece's records: of every record with @all, otherwise up to the first record with a time. */
static struct piece_times read_piece_times(const struct spe_stage *s, const struct spe_piece *p, bool all, struct buf *scratch)
{
	const uint8_t *data = aux_queue_bytes(p->queue, p->from, p->to, scratch);
	size_t at = 0, size = p->to - p->from;
	struct piece_times l = {0};
	struct spe_record r;

	while ((all || !l.first) && (at = spe_record_next(&r, data, at, size))) {
		l.last = MAX(l.last, s->aux.timeless ? 0 : time_of(s, &r));
		l.first = l.first ? l.first : l.last;
		l.names |= (r.has & (SPE_HAS_CONTEXT_1 | SPE_HAS_CONTEXT_2)) != 0;
		l.records++;
	}
	aux_queue_release(p->queue, p->from, p->to);
	return l;
}

/* True if piece @p may have wanted samples. @from, @to: the times of its samples. */
static bool is_wanted(const struct spe_stage *s, const struct aux_window *window, const struct spe_piece *p,
		      const struct piece_times *t, uint64_t from, uint64_t to)
{
	struct source_extent e = { .cpu = p->queue->cpu, .pid = SOURCE_ANY, .tid = SOURCE_ANY, .from = from, .to = to };

	if (!window->wants)
		return true;
	if (s->aux.timeless || !s->clock.known)
		e.from = 0, e.to = UINT64_MAX;
	return window->wants(window->ctx, &e) && (t->names || cpu_task_wanted(&s->aux.tasks, p->queue, window, e.from, e.to));
}

/* Makes a piece of each AUXTRACE record: no SPE record crosses from one to the next. */
static void split_queue(struct spe_stage *s, const struct aux_queue *q, const struct aux_window *window, struct buf *scratch)
{
	uint64_t time = 0, records = 0;

	vec_for(b, &q->buffers) {
		struct spe_piece p = { .queue = q, .from = b->at, .to = b->at + b->size, .records_before = records };
		struct piece_times t = read_piece_times(s, &p, s->period > 1 || window->wants, scratch);

		time = MAX(time, t.first);
		records += t.records;
		p.wanted = is_wanted(s, window, &p, &t, time, MAX(time, t.last));
		vec_push(&s->pieces, p);
		vec_push(&s->aux.source.pieces, (struct source_piece){ .stream = q->number, .time = time });
	}
}

static bool was_wanted(const struct aux_stage *s, const struct aux_window *window, size_t i, size_t end)
{
	return ((const struct spe_stage *)s)->pieces.v[i].wanted;
}

static void split_queues(struct spe_stage *s, const struct aux_window *window)
{
	struct buf scratch = {0};

	vec_for(q, &s->aux.queues.list)
		split_queue(s, q, window, &scratch);
	s->aux.source.nr_streams = (uint32_t)s->aux.queues.list.nr;
	buf_release(&scratch);
	aux_stage_choose(&s->aux, window, was_wanted, false, s->pieces.v, sizeof(*s->pieces.v));
	s->pieces.nr = s->aux.source.pieces.nr;
}

static void add_events(struct spe_stage *s, const struct event *origin)
{
	const struct itrace_opts *o = &s->aux.opts;
	const bool wanted[NR_SAMPLES] = {
		[L1D_MISS] = o->first_level, [L1D_ACCESS] = o->first_level, [LLC_MISS] = o->last_level,
		[LLC_ACCESS] = o->last_level, [TLB_MISS] = o->tlb, [TLB_ACCESS] = o->tlb, [BRANCH] = o->branches,
		[REMOTE_ACCESS] = o->remote, [MEMORY] = o->memory, [INSTRUCTIONS] = o->instructions,
	};
	struct synth_base base = {
		.origin = origin, .timeless = s->aux.timeless, .per_cpu = origin->attr.sample_type & PERF_SAMPLE_CPU,
	};
	uint64_t more = PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_PHYS_ADDR;

	for (unsigned kind = 0; kind < NR_SAMPLES; kind++) {
		uint64_t config = kind == INSTRUCTIONS ? PERF_COUNT_HW_INSTRUCTIONS : origin->attr.config;
		uint64_t branches = OF_BRANCH >> kind & 1 && o->last_branch ? PERF_SAMPLE_BRANCH_STACK : 0;

		if (wanted[kind])
			s->events[kind] = synth_named(s->aux.session, &base, PERF_TYPE_HARDWARE, config, more | branches,
						      sample_kinds[kind].name);
	}
}

/* A record is already a sample, so periods of time, and the default, select every record, including branches. */
static int set_options(struct spe_stage *s)
{
	struct itrace_opts *o = &s->aux.opts;
	bool by_default = o->unit == ITRACE_NS && o->period == ITRACE_PERIOD_NS;

	if (o->given && o->chain)
		return error("--itrace: SPE's samples have no call chains (g)");
	if (o->given && o->instructions && o->unit != ITRACE_INSTRUCTIONS && !by_default)
		return error("--itrace: the period of SPE's instructions is a number of its records, as i1i");
	s->period = 1;
	if (!o->given)
		o->instructions = o->branches = true;
	else if (o->instructions && o->unit == ITRACE_INSTRUCTIONS)
		s->period = MAX(o->period, 1);
	return 0;
}

static int spe_open(struct aux_stage *stage, const struct words *info, const struct aux_window *window)
{
	struct spe_stage *s = (struct spe_stage *)stage;
	const char *path = session_file(s->aux.session)->path;
	const struct event *origin;

	if (spe_info_read(&s->info, info))
		return error("'%s': AUXTRACE_INFO does not describe SPE", path);
	origin = synth_origin(s->aux.session, s->info.pmu_type);
	if (!origin)
		return error("'%s' has no event that its SPE trace belongs to", path);
	if (set_options(s))
		return -1;
	s->aux.timeless = s->aux.opts.timeless || session_is_timeless(s->aux.session) ||
			  !(origin->attr.sample_type & PERF_SAMPLE_TIME);
	add_events(s, origin);
	s->clock = aux_clock_read(s->aux.session);
	tids_gather(&s->aux.tids, session_machine(s->aux.session));
	aux_queues_gather(&s->aux.queues, s->aux.session, false);
	cpu_tasks_gather(&s->aux.tasks, s->aux.session);
	split_queues(s, window);
	return 0;
}

static void spe_close(struct item_source *source)
{
	struct spe_stage *s = (struct spe_stage *)source;

	spe_info_release(&s->info);
	vec_free(&s->pieces);
	aux_stage_free(&s->aux);
}

static void spe_findings(const struct item_source *source, struct findings *out)
{
	const struct spe_stage *s = (const struct spe_stage *)source;
	uint64_t broken = 0, records = 0;

	vec_for(p, &s->pieces) {
		broken += p->broken;
		records += p->records;
	}
	findings_add(out, FINDING_DAMAGED_SPE, broken, records, NULL);
	aux_queues_findings(&s->aux.queues, s->aux.queues.truncated, out);
}

/* ---- -D ---- */

static void *spe_dumper_new(const struct session *s, const struct words *words)
{
	struct spe_info *info = xcalloc(1, sizeof(*info));

	if (spe_info_read(info, words))
		vec_free(&info->cpus);
	return info;
}

static void spe_dumper_free(void *dumper)
{
	spe_info_release(dumper);
	free(dumper);
}

static void spe_dump_record(struct ordered_text *out, const void *dumper, const struct session *s,
			    const struct trace_record *record)
{
	const struct spe_cpu *cpu;
	struct record trace;
	uint64_t size;

	if (session_read_trace_record(s, record, &trace))
		return;
	cpu = spe_info_cpu(dumper, trace.auxtrace.cpu);
	size = MIN(trace.auxtrace.size, record->payload_size);
	buf_printf(&out->buf, ".\n. ... ARM SPE data: size %#llx bytes\n", (unsigned long long)size);
	for (size_t at = 0; at < size; ordered_text_flush(out))
		at = spe_text(&out->buf, record->payload, size, cpu ? cpu->midr : 0, at, DUMP_AT_ONCE);
}

const struct aux_decode_ops arm_spe_decode = {
	.stage_size = sizeof(struct spe_stage), .arch = &arch_arm64, .open = spe_open,
	.source = { .worker_new = spe_worker_new, .worker_free = spe_worker_free, .decode = spe_piece_decode,
		    .findings = spe_findings, .close = spe_close },
	.dumper_new = spe_dumper_new, .dumper_free = spe_dumper_free,
	.dump_record = spe_dump_record, .dump_info = spe_info_print,
};
