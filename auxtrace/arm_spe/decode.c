/*
 * The SPE stage: each sample record of the trace becomes a sample of each event that it tells of. Events, their names
 * and what their samples hold are as perf has them.
 * Layer: auxtrace
 */
#include <inttypes.h>
#include <stdlib.h>

#include "auxtrace/arm_spe/info.h"
#include "auxtrace/arm_spe/packet.h"
#include "auxtrace/arm_spe/record.h"
#include "auxtrace/arm_spe/source.h"
#include "auxtrace/aux.h"
#include "auxtrace/backend.h"
#include "auxtrace/clock.h"
#include "auxtrace/queue.h"
#include "auxtrace/synth.h"
#include "auxtrace/tids.h"
#include "auxtrace/who.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/flow/item.h"
#include "core/flow/session.h"
#include "core/flow/source.h"

/* In the order in which a record's samples come. */
enum spe_sample {
	L1D_MISS, L1D_ACCESS, LLC_MISS, LLC_ACCESS, TLB_MISS, TLB_ACCESS, BRANCH, REMOTE_ACCESS, MEMORY, INSTRUCTIONS, NR_SAMPLES,
};

#define OF_BRANCH	(1u << BRANCH | 1u << INSTRUCTIONS)	/* kinds that tell where it went */

static const struct { const char *name; uint64_t events; } sample_kinds[NR_SAMPLES] = {
	[L1D_MISS] = { "l1d-miss", 1 << SPE_L1D_REFILL }, [L1D_ACCESS] = { "l1d-access", 1 << SPE_L1D_ACCESS },
	[LLC_MISS] = { "llc-miss", 1 << SPE_LLC_REFILL }, [LLC_ACCESS] = { "llc-access", 1 << SPE_LLC_ACCESS },
	[TLB_MISS] = { "tlb-miss", 1 << SPE_TLB_REFILL }, [TLB_ACCESS] = { "tlb-access", 1 << SPE_TLB_ACCESS },
	[BRANCH] = { "branch", 0 }, [REMOTE_ACCESS] = { "remote-access", 1 << SPE_REMOTE_ACCESS },
	[MEMORY] = { "memory", 0 }, [INSTRUCTIONS] = { "instructions", 0 },
};

#define MAX_BRANCHES 2	/* the sampled one, and the one before it */

struct spe_piece {
	const struct aux_queue *queue;
	uint64_t from, to;		/* positions */
	uint64_t records_before;	/* of the queue; where they are counted */
	bool wanted;			/* something of it may be shown */
	uint64_t broken, records;	/* known once it was decoded */
};

struct spe_stage {
	struct item_source source;	/* first: what the session sees */
	struct session *session;
	struct itrace_opts opts;
	struct spe_info info;
	struct aux_queues queues;
	struct who_list who;
	struct tids tids;
	VEC(struct spe_piece) pieces;	/* as source.pieces */
	const struct event *events[NR_SAMPLES];		/* NULL: not wanted */
	uint64_t period;		/* one record of so many is shown */
	bool timeless;
	struct aux_clock clock;
};

struct spe_sampler {
	struct where_cache *where_cache;
	struct buf bytes;
	struct record record;
	struct sample sample;
	struct item item;
	uint64_t branches[3 * MAX_BRANCHES];	/* of .sample */
};

/* ---- a record's samples ---- */

static uint64_t time_of(const struct spe_stage *s, const struct spe_record *r, uint64_t at_least)
{
	if (s->timeless || !s->clock.known || !(r->has & SPE_HAS_TIME))
		return at_least;
	return MAX(aux_clock_ns(&s->clock, r->time), at_least);
}

static uint64_t machine_time(const struct spe_stage *s, const struct spe_piece *p, uint64_t time)
{
	const struct aux_span *span;

	if (!s->timeless && time)
		return time;
	span = aux_queue_span(p->queue, p->from);
	return span ? span->time : UINT64_MAX - 1;
}

/* As the record's context says; else as the side band does. */
static struct who who_of(const struct spe_stage *s, const struct spe_piece *p, const struct spe_record *r, uint64_t at)
{
	uint32_t tid = r->has & SPE_HAS_CONTEXT_2 ? r->context_el2 : r->context_el1;
	const struct thread *t;

	if (!(r->has & (SPE_HAS_CONTEXT_1 | SPE_HAS_CONTEXT_2)))
		return who_at(&s->who, p->queue, at, p->from + r->at);
	t = tids_find(&s->tids, tid, at);
	return (struct who){ .pid = t ? t->pid : tid, .tid = tid };
}

static bool is_branch(const struct spe_record *r)
{
	return r->has & SPE_HAS_OPERATION && r->class == SPE_BRANCH;
}

static bool had(const struct spe_record *r, enum spe_event event)
{
	return r->events >> event & 1;
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
	return flags | (had(r, SPE_MISPREDICTED) ? SYNTH_MISSED : 0) | (had(r, SPE_NOT_TAKEN) ? SYNTH_NOT_TAKEN : 0) |
	       (had(r, SPE_TRANSACTIONAL) ? SYNTH_IN_TX : 0);
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
	return (had(r, SPE_MISPREDICTED) ? 1 : 2) | (uint64_t)had(r, SPE_TRANSACTIONAL) << 2 | (uint64_t)r->total << 4 |
	       (uint64_t)type << 20 | (uint64_t)had(r, SPE_NOT_TAKEN) << 33;
}

/* The latest first: the operation, if it is a branch, and where the branch before it went. */
static void fill_branches(struct spe_sampler *w, const struct spe_stage *s, const struct spe_record *r)
{
	unsigned nr = 0;

	if (is_branch(r)) {
		w->branches[0] = r->pc;
		w->branches[1] = r->target;
		w->branches[2] = branch_word(r);
		nr = 1;
	}
	if (r->previous && nr < s->opts.last_branch_depth) {
		w->branches[3 * nr] = 0;
		w->branches[3 * nr + 1] = r->previous;
		w->branches[3 * nr + 2] = 0;
		nr++;
	}
	w->sample.branch_nr = nr;
	w->sample.branch_hw_idx = UINT64_MAX;
	w->sample.branches = (struct words){ .nr = 3 * nr, .data = (const uint8_t *)w->branches };
}

static void fill(struct spe_sampler *w, const struct spe_stage *s, const struct spe_piece *p, const struct spe_record *r,
		 uint64_t time)
{
	uint64_t at = machine_time(s, p, time);
	struct who who = who_of(s, p, r, at);
	uint16_t mode = r->pc >= arch_arm64.kernel_start ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	w->sample = (struct sample){
		.ip = r->pc, .pid = who.pid, .tid = who.tid, .cpu = p->queue->cpu, .period = s->period,
		.time = s->timeless ? 0 : time, .phys_addr = r->pa, .weight = r->total,
		.data_src = spe_data_src(r, spe_info_cpu(&s->info, p->queue->cpu)),
	};
	w->item = (struct item){
		.record = &w->record, .sample = &w->sample, .time = w->sample.time, .at = at, .cpumode = mode,
		.where = machine_where(w->where_cache, who.pid, who.tid, at),
	};
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .misc = mode, .size = 8 };
}

static bool tells_of(const struct spe_record *r, const struct sample *sample, enum spe_sample kind)
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

static void give_all(struct spe_sampler *w, const struct spe_stage *s, const struct spe_record *r, const struct item_sink *sink)
{
	struct sample memory = w->sample, branch;

	memory.addr = r->va;
	w->sample.addr = r->target;
	w->sample.flags = flags_of(r);
	if (s->opts.last_branch)
		fill_branches(w, s, r);
	branch = w->sample;
	for (unsigned kind = 0; kind < NR_SAMPLES; kind++) {
		if (!s->events[kind] || !tells_of(r, &memory, kind))
			continue;
		w->sample = OF_BRANCH >> kind & 1 ? branch : memory;
		if (kind == BRANCH)
			w->sample.phys_addr = w->sample.data_src = 0;
		w->item.event = s->events[kind];
		sink->item(sink, &w->item);
	}
}

static void spe_piece_decode(struct item_source *source, void *worker, size_t number, const struct item_sink *sink)
{
	struct spe_stage *s = (struct spe_stage *)source;
	struct spe_piece *p = &s->pieces.v[number];
	struct spe_sampler *w = worker;
	const uint8_t *data = aux_queue_bytes(p->queue, p->from, p->to, &w->bytes);
	size_t size = p->to - p->from, at = 0;
	uint64_t time = source->pieces.v[number].time, broken = 0, records = 0;
	struct spe_record r;

	while ((at = spe_record_next(&r, data, at, size))) {
		records++;
		broken += r.broken;
		time = time_of(s, &r, time);
		if ((p->records_before + records) % s->period)
			continue;
		fill(w, s, p, &r, time);
		give_all(w, s, &r, sink);
	}
	p->broken = broken;
	p->records = records;
}

static void *spe_worker_new(struct item_source *source)
{
	struct spe_sampler *w = xcalloc(1, sizeof(*w));

	w->where_cache = where_cache_new(session_machine(((struct spe_stage *)source)->session));
	return w;
}

static void spe_worker_free(struct item_source *source, void *worker)
{
	struct spe_sampler *w = worker;

	(void)source;
	where_cache_free(w->where_cache);
	buf_release(&w->bytes);
	free(w);
}

/* ---- opening ---- */

struct look {			/* what a look at a piece's records told */
	uint64_t first, last;	/* their times; 0: none has one */
	uint64_t records;
	bool names;		/* some say whose they are */
};

/* @all: at every record, not only as far as the first that has a time. */
static struct look look_through(const struct spe_stage *s, const struct spe_piece *p, bool all, struct buf *scratch)
{
	const uint8_t *data = aux_queue_bytes(p->queue, p->from, p->to, scratch);
	size_t at = 0, size = p->to - p->from;
	struct look l = {0};
	struct spe_record r;

	while ((all || !l.first) && (at = spe_record_next(&r, data, at, size))) {
		l.last = time_of(s, &r, l.last);
		l.first = l.first ? l.first : l.last;
		l.names |= (r.has & (SPE_HAS_CONTEXT_1 | SPE_HAS_CONTEXT_2)) != 0;
		l.records++;
	}
	return l;
}

/* @from, @to: the times of @p's samples. */
static bool is_wanted(const struct spe_stage *s, const struct aux_window *window, const struct spe_piece *p,
		      const struct look *l, uint64_t from, uint64_t to)
{
	struct source_extent e = { .cpu = p->queue->cpu, .pid = SOURCE_ANY, .tid = SOURCE_ANY, .from = from, .to = to };

	if (!window->wants)
		return true;
	if (s->timeless || !s->clock.known)
		e.from = 0, e.to = UINT64_MAX;
	return window->wants(window->ctx, &e) && (l->names || who_wanted(&s->who, p->queue, window, e.from, e.to));
}

/* Records do not cross from one AUXTRACE record to the next. */
static void cut_queue(struct spe_stage *s, const struct aux_queue *q, const struct aux_window *window, struct buf *scratch)
{
	uint64_t time = 0, records = 0;

	vec_for(b, &q->buffers) {
		struct spe_piece p = { .queue = q, .from = b->at, .to = b->at + b->size, .records_before = records };
		struct look l = look_through(s, &p, s->period > 1 || window->wants, scratch);

		time = MAX(time, l.first);
		records += l.records;
		p.wanted = is_wanted(s, window, &p, &l, time, MAX(time, l.last));
		vec_push(&s->pieces, p);
		vec_push(&s->source.pieces, (struct source_piece){ .stream = q->number, .time = time });
	}
}

static void drop_unwanted(struct spe_stage *s)
{
	size_t nr = s->pieces.nr, kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!s->pieces.v[i].wanted)
			continue;
		s->pieces.v[kept] = s->pieces.v[i];
		s->source.pieces.v[kept++] = s->source.pieces.v[i];
	}
	s->pieces.nr = s->source.pieces.nr = kept;
	aux_debug_chosen(nr, kept);
}

static void cut_queues(struct spe_stage *s, const struct aux_window *window)
{
	struct buf scratch = {0};

	vec_for(q, &s->queues.list)
		cut_queue(s, q, window, &scratch);
	s->source.nr_streams = (uint32_t)s->queues.list.nr;
	buf_release(&scratch);
	if (window->wants)
		drop_unwanted(s);
}

static void add_events(struct spe_stage *s, const struct event *origin)
{
	const struct itrace_opts *o = &s->opts;
	const bool wanted[NR_SAMPLES] = {
		[L1D_MISS] = o->first_level, [L1D_ACCESS] = o->first_level, [LLC_MISS] = o->last_level,
		[LLC_ACCESS] = o->last_level, [TLB_MISS] = o->tlb, [TLB_ACCESS] = o->tlb, [BRANCH] = o->branches,
		[REMOTE_ACCESS] = o->remote, [MEMORY] = o->memory, [INSTRUCTIONS] = o->instructions,
	};
	struct synth_base base = {
		.origin = origin, .timeless = s->timeless, .per_cpu = origin->attr.sample_type & PERF_SAMPLE_CPU,
	};
	uint64_t more = PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_PHYS_ADDR;

	for (unsigned kind = 0; kind < NR_SAMPLES; kind++) {
		uint64_t config = kind == INSTRUCTIONS ? PERF_COUNT_HW_INSTRUCTIONS : origin->attr.config;
		uint64_t branches = OF_BRANCH >> kind & 1 && o->last_branch ? PERF_SAMPLE_BRANCH_STACK : 0;

		if (wanted[kind])
			s->events[kind] = synth_named(s->session, &base, PERF_TYPE_HARDWARE, config, more | branches,
						      sample_kinds[kind].name);
	}
}

/* A record is a sample already: what is asked for by time, or by default, is each of them, branches too. */
static int take_options(struct spe_stage *s)
{
	struct itrace_opts *o = &s->opts;
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

static struct spe_stage *stage_new(const struct aux_input *in)
{
	struct spe_stage *s = xcalloc(1, sizeof(*s));

	s->source.worker_new = spe_worker_new;
	s->source.worker_free = spe_worker_free;
	s->source.decode = spe_piece_decode;
	s->session = in->session;
	s->opts = *in->opts;
	return s;
}

static int prepare(struct spe_stage *s, const struct words *info, const struct aux_window *window)
{
	const char *path = session_file(s->session)->path;
	const struct event *origin;

	if (spe_info_read(&s->info, info))
		return error("'%s': AUXTRACE_INFO does not describe SPE", path);
	origin = synth_origin(s->session, s->info.pmu_type);
	if (!origin)
		return error("'%s' has no event that its SPE trace belongs to", path);
	if (take_options(s))
		return -1;
	s->timeless = s->opts.timeless || session_is_timeless(s->session) || !(origin->attr.sample_type & PERF_SAMPLE_TIME);
	add_events(s, origin);
	s->clock = aux_clock_read(s->session);
	tids_gather(&s->tids, session_machine(s->session));
	aux_queues_gather(&s->queues, s->session, false);
	who_gather(&s->who, s->session);
	cut_queues(s, window);
	return 0;
}

static void spe_close(struct item_source *source)
{
	struct spe_stage *s = (struct spe_stage *)source;

	aux_queues_release(&s->queues);
	who_release(&s->who);
	tids_release(&s->tids);
	spe_info_release(&s->info);
	vec_free(&s->pieces);
	vec_free(&s->source.pieces);
	free(s);
}

static int spe_open(struct item_source **out, const struct aux_input *in)
{
	struct spe_stage *s = stage_new(in);

	if (prepare(s, in->info, in->window)) {
		spe_close(&s->source);
		return -1;
	}
	*out = &s->source;
	return 0;
}

static void spe_tell(const struct item_source *source)
{
	const struct spe_stage *s = (const struct spe_stage *)source;
	uint64_t broken = 0, records = 0;

	vec_for(p, &s->pieces) {
		broken += p->broken;
		records += p->records;
	}
	if (broken)
		warning("%" PRIu64 " of %" PRIu64 " SPE records ended in bytes that are no packet", broken, records);
	aux_queues_tell(&s->queues, s->queues.truncated);
}

/* ---- -D ---- */

static void *spe_dumper_new(const struct session *s, const struct words *words)
{
	struct spe_info *info = xcalloc(1, sizeof(*info));

	(void)s;
	if (spe_info_read(info, words))
		vec_free(&info->cpus);
	return info;
}

static void spe_dumper_free(void *dumper)
{
	if (dumper)
		spe_info_release(dumper);
	free(dumper);
}

static void spe_dump_record(struct buf *out, const void *dumper, const struct session *s, const struct trace_record *note)
{
	const struct spe_cpu *cpu;
	struct record trace;
	uint64_t size;

	if (session_read_trace_record(s, note, &trace))
		return;
	cpu = spe_info_cpu(dumper, trace.auxtrace.cpu);
	size = MIN(trace.auxtrace.size, note->payload_size);
	buf_printf(out, ".\n. ... ARM SPE data: size %#llx bytes\n", (unsigned long long)size);
	spe_text(out, note->payload, size, cpu ? cpu->midr : 0);
}

static void spe_dump_info(struct buf *out, const struct words *info)
{
	spe_info_print(out, info);
}

const struct aux_decode_ops arm_spe_decode = {
	.open = spe_open, .close = spe_close, .tell = spe_tell, .dumper_new = spe_dumper_new, .dumper_free = spe_dumper_free,
	.dump_record = spe_dump_record, .dump_info = spe_dump_info,
};
