/*
 * The SPE stage: each sample record of the trace becomes a sample of each event that it tells of. Events, their names
 * and what their samples hold are as perf has them.
 * Layer: auxtrace
 */
#include <inttypes.h>
#include <stdlib.h>

#include "auxtrace/arm_spe/packet.h"
#include "auxtrace/arm_spe/record.h"
#include "auxtrace/aux.h"
#include "auxtrace/backend.h"
#include "auxtrace/queue.h"
#include "auxtrace/synth.h"
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

static const struct { const char *name; uint64_t events; } sample_kinds[NR_SAMPLES] = {
	[L1D_MISS] = { "l1d-miss", 1 << SPE_L1D_REFILL }, [L1D_ACCESS] = { "l1d-access", 1 << SPE_L1D_ACCESS },
	[LLC_MISS] = { "llc-miss", 1 << SPE_LLC_REFILL }, [LLC_ACCESS] = { "llc-access", 1 << SPE_LLC_ACCESS },
	[TLB_MISS] = { "tlb-miss", 1 << SPE_TLB_REFILL }, [TLB_ACCESS] = { "tlb-access", 1 << SPE_TLB_ACCESS },
	[BRANCH] = { "branch-miss", 1 << SPE_MISPREDICTED }, [REMOTE_ACCESS] = { "remote-access", 1 << SPE_REMOTE_ACCESS },
	[MEMORY] = { "memory", 0 }, [INSTRUCTIONS] = { "instructions", 0 },
};

struct spe_piece {
	const struct aux_queue *queue;
	uint64_t from, to;		/* positions */
	uint64_t broken, records;	/* known once it was decoded */
};

struct spe_stage {
	struct item_source source;	/* first: what the session sees */
	struct session *session;
	struct itrace_opts opts;
	struct aux_queues queues;
	struct who_list who;
	VEC(struct spe_piece) pieces;	/* as source.pieces */
	const struct event *events[NR_SAMPLES];		/* NULL: not wanted */
	uint64_t period;
	bool timeless, has_time_conv;
	struct record_time_conv time_conv;
};

struct sampler {
	struct where_cache *where_cache;
	struct buf bytes;
	struct record record;
	struct sample sample;
	struct item item;
};

/* ---- a record's samples ---- */

/* Source: linux/perf_event.h, union perf_mem_data_src. */
enum data_src_bits {
	OP_LOAD = 2, OP_STORE = 4, LVL_HIT = 2 << 5, LVL_MISS = 4 << 5, LVL_L1 = 8 << 5, LVL_L3 = 0x40 << 5,
	LVL_REMOTE_CACHE = 0x400 << 5,
};
#define TLB_HIT		(2ull << 26)
#define TLB_MISSED	(4ull << 26)
#define TLB_WALK	(0x20ull << 26)

static bool had(const struct spe_record *r, enum spe_event event)
{
	return r->events >> event & 1;
}

/* Of loads and stores; 0: it is neither. */
static uint64_t data_src(const struct spe_record *r)
{
	uint64_t src;

	if (!(r->has & SPE_HAS_OPERATION) || r->class != SPE_LOAD_STORE)
		return 0;
	src = r->subclass & 1 ? OP_STORE : OP_LOAD;
	if (had(r, SPE_LLC_ACCESS) || had(r, SPE_LLC_REFILL))
		src |= LVL_L3 | (had(r, SPE_LLC_REFILL) ? LVL_MISS : LVL_HIT);
	else if (had(r, SPE_L1D_ACCESS) || had(r, SPE_L1D_REFILL))
		src |= LVL_L1 | (had(r, SPE_L1D_REFILL) ? LVL_MISS : LVL_HIT);
	if (had(r, SPE_REMOTE_ACCESS))
		src |= LVL_REMOTE_CACHE;
	if (had(r, SPE_TLB_ACCESS) || had(r, SPE_TLB_REFILL))
		src |= TLB_WALK | (had(r, SPE_TLB_REFILL) ? TLB_MISSED : TLB_HIT);
	return src;
}

/* Source: linux/perf_event.h, struct perf_event_mmap_page, "cap_usr_time_zero". */
static uint64_t to_ns(const struct record_time_conv *t, uint64_t ticks)
{
	uint64_t quot = ticks >> t->shift, rem = ticks & ((1ull << t->shift) - 1);

	return t->zero + quot * t->mult + (rem * t->mult >> t->shift);
}

static uint64_t time_of(const struct spe_stage *s, const struct spe_record *r, uint64_t at_least)
{
	if (s->timeless || !s->has_time_conv || !(r->has & SPE_HAS_TIME))
		return at_least;
	return MAX(to_ns(&s->time_conv, r->time), at_least);
}

static uint64_t machine_time(const struct spe_stage *s, const struct spe_piece *p, uint64_t time)
{
	const struct aux_span *span;

	if (!s->timeless && time)
		return time;
	span = aux_queue_span(p->queue, p->from);
	return span ? span->time : UINT64_MAX - 1;
}

static void fill(struct sampler *w, const struct spe_stage *s, const struct spe_piece *p, const struct spe_record *r,
		 uint64_t time)
{
	uint64_t at = machine_time(s, p, time);
	struct who who = who_at(&s->who, p->queue, at, p->from + r->at);
	uint16_t mode = r->pc >= arch_arm64.kernel_start ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	if (r->has & (SPE_HAS_CONTEXT_1 | SPE_HAS_CONTEXT_2))
		who.tid = r->has & SPE_HAS_CONTEXT_2 ? r->context_el2 : r->context_el1;
	w->sample = (struct sample){
		.ip = r->pc, .pid = who.pid, .tid = who.tid, .cpu = p->queue->cpu, .period = 1, .time = s->timeless ? 0 : time,
		.addr = r->va, .phys_addr = r->pa, .data_src = data_src(r), .weight = r->total,
	};
	w->item = (struct item){
		.record = &w->record, .sample = &w->sample, .time = w->sample.time, .at = at, .cpumode = mode,
		.where = machine_where(w->where_cache, who.pid, who.tid, at),
	};
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .misc = mode, .size = 8 };
}

static bool tells_of(const struct spe_record *r, const struct sample *sample, enum spe_sample kind)
{
	if (kind == INSTRUCTIONS)
		return true;
	return kind == MEMORY ? sample->data_src != 0 : (r->events & sample_kinds[kind].events) != 0;
}

static void give_all(struct sampler *w, const struct spe_stage *s, const struct spe_record *r, uint64_t number,
		     const struct item_sink *sink)
{
	for (unsigned kind = 0; kind < NR_SAMPLES; kind++) {
		if (!s->events[kind] || !tells_of(r, &w->sample, kind))
			continue;
		if (kind == INSTRUCTIONS && number % s->period)
			continue;
		w->item.event = s->events[kind];
		w->sample.addr = kind == BRANCH ? r->target : r->va;
		w->sample.period = kind == INSTRUCTIONS ? s->period : 1;
		sink->item(sink, &w->item);
	}
}

static void spe_piece_decode(struct item_source *source, void *worker, size_t number, const struct item_sink *sink)
{
	struct spe_stage *s = (struct spe_stage *)source;
	struct spe_piece *p = &s->pieces.v[number];
	struct sampler *w = worker;
	const uint8_t *data = aux_queue_bytes(p->queue, p->from, p->to, &w->bytes);
	size_t size = p->to - p->from, at = 0;
	uint64_t time = source->pieces.v[number].time, broken = 0, records = 0;
	struct spe_record r;

	while ((at = spe_record_next(&r, data, at, size))) {
		records++;
		broken += r.broken;
		time = time_of(s, &r, time);
		fill(w, s, p, &r, time);
		give_all(w, s, &r, records, sink);
	}
	p->broken = broken;
	p->records = records;
}

static void *spe_worker_new(struct item_source *source)
{
	struct sampler *w = xcalloc(1, sizeof(*w));

	w->where_cache = where_cache_new(session_machine(((struct spe_stage *)source)->session));
	return w;
}

static void spe_worker_free(struct item_source *source, void *worker)
{
	struct sampler *w = worker;

	(void)source;
	where_cache_free(w->where_cache);
	buf_release(&w->bytes);
	free(w);
}

/* ---- opening ---- */

static uint64_t first_time(const struct spe_stage *s, const struct spe_piece *p, struct buf *scratch)
{
	const uint8_t *data = aux_queue_bytes(p->queue, p->from, p->to, scratch);
	size_t at = 0, size = p->to - p->from;
	struct spe_record r;

	while ((at = spe_record_next(&r, data, at, size)))
		if (r.has & SPE_HAS_TIME)
			return time_of(s, &r, 0);
	return 0;
}

/* Records do not cross from one AUXTRACE record to the next; but who counts them goes through all. */
static void cut_queue(struct spe_stage *s, const struct aux_queue *q, struct buf *scratch)
{
	bool counts = s->events[INSTRUCTIONS] && s->period > 1;
	uint64_t time = 0;

	vec_for(b, &q->buffers) {
		struct spe_piece p = { .queue = q, .from = b->at, .to = b->at + b->size };

		if (counts) {
			const struct aux_buffer *last = &q->buffers.v[q->buffers.nr - 1];

			p.to = last->at + last->size;
		}
		time = MAX(time, first_time(s, &p, scratch));
		vec_push(&s->pieces, p);
		vec_push(&s->source.pieces, (struct source_piece){ .stream = q->number, .time = time });
		if (counts)
			return;
	}
}

static void cut_queues(struct spe_stage *s)
{
	struct buf scratch = {0};

	vec_for(q, &s->queues.list)
		cut_queue(s, q, &scratch);
	s->source.nr_streams = (uint32_t)s->queues.list.nr;
	buf_release(&scratch);
}

static void take_clock(struct spe_stage *s)
{
	struct record rec;

	vec_for(note, &session_notes(s->session)->list) {
		if (note->type != RECORD_TIME_CONV || session_read_note(s->session, note, &rec) || rec.time_conv.shift >= 64)
			continue;
		s->time_conv = rec.time_conv;
		s->has_time_conv = true;
	}
}

static void add_events(struct spe_stage *s, const struct event *origin)
{
	const struct itrace_opts *o = &s->opts;
	const bool wanted[NR_SAMPLES] = {
		[L1D_MISS] = o->first_level, [L1D_ACCESS] = o->first_level, [LLC_MISS] = o->last_level,
		[LLC_ACCESS] = o->last_level, [TLB_MISS] = o->tlb, [TLB_ACCESS] = o->tlb, [BRANCH] = o->branches,
		[REMOTE_ACCESS] = o->remote, [MEMORY] = o->memory,
		[INSTRUCTIONS] = o->instructions && o->unit == ITRACE_INSTRUCTIONS,
	};
	struct synth_base base = {
		.origin = origin, .timeless = s->timeless, .per_cpu = origin->attr.sample_type & PERF_SAMPLE_CPU,
	};
	uint64_t more = PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_PHYS_ADDR;

	for (unsigned kind = 0; kind < NR_SAMPLES; kind++) {
		uint64_t config = kind == INSTRUCTIONS ? PERF_COUNT_HW_INSTRUCTIONS : origin->attr.config;

		if (wanted[kind])
			s->events[kind] = synth_named(s->session, &base, PERF_TYPE_HARDWARE, config, more,
						      sample_kinds[kind].name);
	}
	if (o->given && o->instructions && !wanted[INSTRUCTIONS])
		warning("--itrace: the period of SPE's instructions is a number of them, as i1i; none are made");
}

/* perf up to 6.13 wrote two words; later ones have a version and a size before the rest. */
static uint32_t pmu_type(const struct words *info)
{
	return info->nr > 3 ? (uint32_t)words_at(info, 2) : info->nr ? (uint32_t)words_at(info, 0) : UINT32_MAX;
}

static int spe_open(struct item_source **out, const struct aux_input *in)
{
	const struct event *origin = synth_origin(in->session, pmu_type(in->info));
	struct spe_stage *s;

	if (!origin)
		return error("'%s' has no event that its SPE trace belongs to", session_file(in->session)->path);
	if (in->opts->given && (in->opts->chain || in->opts->last_branch))
		return error("--itrace: SPE's samples have no call chains (g) and branch stacks (l)");
	s = xcalloc(1, sizeof(*s));
	s->source.worker_new = spe_worker_new;
	s->source.worker_free = spe_worker_free;
	s->source.decode = spe_piece_decode;
	s->session = in->session;
	s->opts = *in->opts;
	s->period = MAX(s->opts.period, 1);
	s->timeless = s->opts.timeless || session_is_timeless(s->session) || !(origin->attr.sample_type & PERF_SAMPLE_TIME);
	add_events(s, origin);
	take_clock(s);
	aux_queues_gather(&s->queues, s->session, false);
	who_gather(&s->who, s->session);
	cut_queues(s);
	*out = &s->source;
	return 0;
}

static void spe_close(struct item_source *source)
{
	struct spe_stage *s = (struct spe_stage *)source;

	aux_queues_release(&s->queues);
	who_release(&s->who);
	vec_free(&s->pieces);
	vec_free(&s->source.pieces);
	free(s);
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
	if (s->queues.truncated)
		warning("the trace was interrupted %" PRIu64 " times because its buffer was full (record with a larger -m ,SIZE)",
			s->queues.truncated);
	if (s->queues.damaged)
		warning("%" PRIu64 " damaged records of the trace were left out", s->queues.damaged);
}

/* ---- -D ---- */

static void spe_dump_record(struct buf *out, const struct session *s, const struct note *note, const struct words *info)
{
	struct record trace;
	uint64_t size;

	(void)info;
	if (session_read_note(s, note, &trace))
		return;
	size = MIN(trace.auxtrace.size, note->payload_size);
	buf_printf(out, ".\n. ... ARM SPE data: size %#llx bytes\n", (unsigned long long)size);
	spe_text(out, note->payload, size);
}

static void spe_dump_info(struct buf *out, const struct words *info)
{
	buf_printf(out, "  PMU Type           %u\n", pmu_type(info));
}

const struct aux_decode_ops arm_spe_decode = {
	.open = spe_open, .close = spe_close, .tell = spe_tell, .dump_record = spe_dump_record, .dump_info = spe_dump_info,
};
