/* The CoreSight stage: from AUXTRACE_INFO and the queues to pieces, and what is said of them at the end. Layer: auxtrace */
#include "auxtrace/cs_etm/stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "auxtrace/cs_etm/flow.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/packet_text.h"
#include "auxtrace/survey.h"
#include "auxtrace/synth.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/finding.h"
#include "core/base/log.h"
#include "core/flow/session.h"
#include "core/model/code.h"

#define PIECE_SIZE	(64u << 10)	/* at least; the next synchronisation ends it */

/* ---- units ---- */

static void add_unit(struct cs_stage *s, const struct aux_queue *q, uint64_t from, uint64_t to, bool raw)
{
	if (from < to)
		vec_push(&s->units, (struct cs_unit){ .queue = q, .from = from, .to = to, .raw = raw });
}

/* What no AUX record covers is a unit, too. */
static void list_units(struct cs_stage *s, const struct aux_queue *q)
{
	size_t n = 0;

	vec_for(segment, &q->segments) {
		uint64_t at = segment->from;
		bool raw = q->spans.nr && q->spans.v[MIN(n, q->spans.nr - 1)].flags & CS_FLAG_RAW;

		for (; n < q->spans.nr && q->spans.v[n].from < segment->to; n++) {
			const struct aux_span *span = &q->spans.v[n];
			uint64_t from = MAX(span->from, at), to = MIN(span->to, segment->to);

			if (from >= to)
				continue;
			raw = span->flags & CS_FLAG_RAW;
			add_unit(s, q, at, from, raw);
			add_unit(s, q, from, to, raw);
			at = to;
		}
		add_unit(s, q, at, segment->to, raw);
	}
}

void cs_unit_unpack(struct cs_streams *out, const struct cs_stage *s, const struct cs_unit *unit, struct buf *scratch)
{
	const uint8_t *data = aux_queue_bytes(unit->queue, unit->from, unit->to, scratch);
	const struct cs_cpu *cpu = unit->raw ? cs_info_cpu(&s->info, unit->queue->cpu) : NULL;

	*out = (struct cs_streams){0};
	if (!unit->raw)
		cs_streams_unpack(out, data, unit->to - unit->from, unit->from);
	else if (cpu)
		cs_streams_raw(out, cpu->config.id, data, unit->to - unit->from, unit->from);
}

static void unit_release(struct cs_unit *unit)
{
	cs_streams_release(&unit->streams);
	buf_release(&unit->bytes);
}

/* ---- cutting ---- */

struct cut { struct source_piece place; struct cs_span piece; };
struct cut_state { uint32_t queue, cpu; uint64_t time; };	/* a stream: whose it is, how far its pieces came */

struct cutter {
	struct cs_stage *s;
	VEC(struct cut_state) streams;
	VEC(struct cut) pieces;
};

static uint32_t stream_number(struct cutter *c, const struct aux_queue *q, const struct cs_cpu *cpu)
{
	vec_for(stream, &c->streams)
		if (stream->queue == q->number && stream->cpu == cpu->cpu)
			return (uint32_t)(stream - c->streams.v);
	vec_push(&c->streams, (struct cut_state){ .queue = q->number, .cpu = cpu->cpu });
	return (uint32_t)c->streams.nr - 1;
}

/* ns of the first timestamp in a piece; 0: it has none. */
static uint64_t first_time(const struct cs_stage *s, const struct cs_stream *stream, const struct cs_span *p)
{
	struct cs_history h = {0};
	struct cs_packet pkt;
	size_t at = cs_packet_sync(stream->data, p->from, p->to);

	while (at < p->to) {
		int size = cs_packet_read(&pkt, stream->data + at, p->to - at, &p->cpu->config);

		if (size <= 0)
			break;
		cs_history_add(&h, &pkt);
		if (pkt.type == CS_TIMESTAMP && pkt.time)
			return aux_clock_ns(&s->clock, pkt.time);
		at += (size_t)size;
	}
	return 0;
}

static void add_piece(struct cutter *c, uint32_t number, const struct cs_stream *stream, const struct cs_span *p)
{
	const struct cs_unit *unit = &c->s->units.v[p->unit];
	const struct aux_span *span = c->s->timeless ? NULL : aux_queue_span(unit->queue, unit->from);
	uint64_t time = span ? span->time : 0;

	/* The AUX record was written later than what is in its trace. */
	if (c->s->clock.known && !c->s->timeless)
		time = first_time(c->s, stream, p);
	if (time < c->streams.v[number].time)
		time = c->streams.v[number].time;
	c->streams.v[number].time = time;
	vec_push(&c->pieces, (struct cut){ .place = { .stream = number, .time = time }, .piece = *p });
}

static void cut_stream(struct cutter *c, size_t unit, const struct cs_stream *stream)
{
	const struct aux_queue *q = c->s->units.v[unit].queue;
	const struct cs_cpu *cpu = cs_info_find(&c->s->info, stream->id, q->cpu);
	struct cs_pieces cuts = {0};
	uint32_t number;

	if (!cpu || cpu->unsupported) {
		*(cpu ? &c->s->unsupported_bytes : &c->s->unknown_bytes) += stream->len;
		c->s->unsupported = cpu ? cpu->unsupported : c->s->unsupported;
		return;
	}
	number = stream_number(c, q, cpu);
	cs_stream_pieces(&cuts, stream, &cpu->config, PIECE_SIZE);
	vec_for(cut, &cuts.list)
		add_piece(c, number, stream, &(struct cs_span){ .unit = unit, .cpu = cpu, .from = cut->from, .to = cut->to,
								.last = cut->to == stream->len });
	vec_free(&cuts.list);
}

static int by_stream(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	if (x->place.stream != y->place.stream)
		return x->place.stream < y->place.stream ? -1 : 1;
	if (x->piece.unit != y->piece.unit)
		return x->piece.unit < y->piece.unit ? -1 : 1;
	return x->piece.from < y->piece.from ? -1 : x->piece.from > y->piece.from;
}

static void cut_units(struct cs_stage *s)
{
	struct cutter c = { .s = s };
	uint64_t kept = 0;

	vec_for(unit, &s->units) {
		cs_unit_unpack(&unit->streams, s, unit, &unit->bytes);
		s->bad_frames += unit->streams.nr_bad;
		vec_for(stream, &unit->streams.list)
			cut_stream(&c, (size_t)(unit - s->units.v), stream);
		kept += unit->to - unit->from;
		unit->kept = kept <= CS_KEPT_BYTES;
		if (!unit->kept)
			unit_release(unit);
	}
	if (c.pieces.nr)
		qsort(c.pieces.v, c.pieces.nr, sizeof(*c.pieces.v), by_stream);
	vec_for(cut, &c.pieces) {
		vec_push(&s->pieces, cut->piece);
		vec_push(&s->source.pieces, cut->place);
	}
	s->source.nr_streams = (uint32_t)c.streams.nr;
	vec_free(&c.pieces);
	vec_free(&c.streams);
}

/* ---- what the records say ---- */

static void take_clock(struct cs_stage *s)
{
	bool is_virtual = s->info.cpus.nr;

	/* With T they are, though the recording does not say so. */
	vec_for(cpu, &s->info.cpus)
		is_virtual = is_virtual && (cpu->virtual_time || s->opts.vm_time);
	if (is_virtual)
		s->clock = aux_clock_read(s->session);
}

/* ---- options ---- */

/* Letters that are for other devices change nothing, as in perf; of these somebody may expect something. */
static void tell_ignored(const struct itrace_opts *o)
{
	const struct { bool wanted; const char *letter, *what; } rows[] = {
		{ o->add_chain, "G", "other events get no call chains" },
		{ o->add_last_branch, "L", "other events get no branches" },
		{ o->skip, "s", "no samples are left out" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (o->given && rows[i].wanted)
			warning("--itrace: %s of CoreSight changes nothing: %s", rows[i].letter, rows[i].what);
}

/* As perf has it, without c or r in --itrace all branches are shown. */
static void choose_branches(struct cs_stage *s)
{
	if (!s->opts.given)
		return;
	if (s->opts.calls)
		s->branches_shown |= SYNTH_CALL | SYNTH_ASYNC | SYNTH_BEGIN | SYNTH_END;
	if (s->opts.returns)
		s->branches_shown |= SYNTH_RETURN | SYNTH_BEGIN | SYNTH_END;
}

static void add_events(struct cs_stage *s, const struct event *origin)
{
	struct synth_base base = {
		.origin = origin, .timeless = s->timeless, .per_cpu = origin->attr.sample_type & PERF_SAMPLE_CPU,
		.chains = s->opts.chain, .last_branches = s->opts.last_branch,
	};

	if (s->opts.branches)
		s->branches = synth_branches(s->session, &base);
	if (s->opts.instructions)
		s->instructions = synth_instructions(s->session, &base, s->period);
}

/* ---- opening ---- */

static void cs_close(struct item_source *source)
{
	struct cs_stage *s = (struct cs_stage *)source;

	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->decoded);
	cs_info_release(&s->info);
	aux_queues_release(&s->queues);
	who_release(&s->who);
	vec_for(trails, &s->trails)
		trails_free(*trails);
	vec_free(&s->trails);
	vec_for(p, &s->pieces)
		trails_free(p->start);
	vec_for(unit, &s->units)
		unit_release(unit);
	vec_free(&s->units);
	tids_release(&s->tids);
	vec_free(&s->pieces);
	vec_free(&s->source.pieces);
	free(s);
}

static struct cs_stage *stage_new(const struct aux_input *in)
{
	struct cs_stage *s = xcalloc(1, sizeof(*s));

	s->source.worker_new = cs_sampler_new;
	s->source.worker_free = cs_sampler_free;
	s->source.decode = cs_sampler_decode;
	s->source.skip = cs_sampler_skip;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->decoded, NULL);
	s->session = in->session;
	s->opts = *in->opts;
	/* Unasked a report, too, is one of branches, without call chains. */
	if (!s->opts.given) {
		s->opts.branches = true;
		s->opts.chain = false;
	}
	s->kernel_start = arch_arm64.kernel_start;
	/* perf, too, takes any period for one in instructions. */
	s->period = MAX(s->opts.period, 1);
	return s;
}

static void follow_threads(struct cs_stage *s)
{
	s->trail.calls = s->opts.chain;
	s->trail.branches = s->opts.last_branch ? s->opts.last_branch_depth : 0;
	s->trail.unbroken = true;
	s->follow = s->trail.calls || s->trail.branches;
	s->gives_rest = s->trail.branches && s->instructions && s->period > 1;
	for (uint32_t i = 0; s->follow && i < s->source.nr_streams; i++)
		vec_push(&s->trails, trails_new(&s->trail, false));
}

/* ---- surveying ---- */

static void *new_surveyor(void *stage)
{
	return cs_sampler_new_survey(stage);
}

static void free_surveyor(void *stage, void *worker)
{
	struct cs_stage *s = stage;

	cs_sampler_free(&s->source, worker);
}

static struct trails *survey_piece(void *stage, void *worker, size_t number)
{
	(void)stage;
	return cs_sampler_survey(worker, number);
}

/* All that is before piece @number is known. */
static void settle_piece(void *stage, size_t number, struct trails *log)
{
	struct cs_stage *s = stage;
	const struct source_piece *at = &s->source.pieces.v[number];
	struct cs_span *p = &s->pieces.v[number];

	if (number && at[-1].stream == at->stream)
		cs_span_follow(p);
	if (!log)
		return;
	p->start = trails_follow(s->trails.v[at->stream], log);
	trails_free(log);
}

/*
 * What pieces begin with: how many instructions there were before, since a period that does not divide them goes on across
 * pieces; the calls that have not returned, and the last branches.
 */
static void survey_pieces(struct cs_stage *s)
{
	static const struct survey_ops ops = { new_surveyor, free_surveyor, survey_piece, settle_piece };

	s->surveyed = true;
	survey(&ops, s, s->pieces.nr, session_jobs(s->session));
}

/*
 * With a survey all threads decode at once, but all of it twice: worth it for more than two threads a stream. Others
 * decode a stream's pieces one after the other, and several streams at once.
 */
static void settle_order(struct cs_stage *s)
{
	unsigned jobs = session_jobs(s->session);

	s->in_order = jobs < 2;
	if (s->in_order || (!s->follow && !(s->instructions && s->period > 1)))
		return;
	if (jobs > 2 * s->source.nr_streams)
		survey_pieces(s);
	else
		s->in_order = s->in_turns = true;
}

static void prepare(struct cs_stage *s, const struct event *origin, const struct aux_window *window)
{
	s->timeless = s->opts.timeless || session_is_timeless(s->session) || !(origin->attr.sample_type & PERF_SAMPLE_TIME);
	choose_branches(s);
	add_events(s, origin);
	cs_take_ids(&s->info, s->session);
	take_clock(s);
	tids_gather(&s->tids, session_machine(s->session));
	aux_queues_gather(&s->queues, s->session, s->info.snapshot);
	who_gather(&s->who, s->session);
	vec_for(q, &s->queues.list)
		list_units(s, q);
	cut_units(s);
	follow_threads(s);
	cs_choose_pieces(s, window);
	settle_order(s);
}

static int read_info(struct cs_stage *s, const struct aux_input *in)
{
	const char *path = session_file(in->session)->path;

	switch (cs_info_read(&s->info, in->info)) {
	case 0:
		return 0;
	case -ENOTSUP:
		return error("'%s': its description of the CoreSight trace has version %llu, known are 0 and 1", path,
			     (unsigned long long)words_at(in->info, 0));
	default:
		return error("'%s': its description of the CoreSight trace is damaged", path);
	}
}

static int cs_open(struct item_source **out, const struct aux_input *in)
{
	struct cs_stage *s;
	const struct event *origin;

	tell_ignored(in->opts);
	s = stage_new(in);
	if (read_info(s, in)) {
		free(s);
		return -1;
	}
	origin = synth_origin(in->session, s->info.pmu_type);
	if (!origin) {
		cs_info_release(&s->info);
		free(s);
		return error("'%s' has no event that its CoreSight trace belongs to", session_file(in->session)->path);
	}
	prepare(s, origin, in->window);
	*out = &s->source;
	return 0;
}

/* ---- at the end ---- */

/* That a buffer begins and ends in the middle of something is in the nature of these traces. */
static bool is_worth_telling(enum cs_gap gap)
{
	return gap != CS_GAP_NO_SYNC && gap != CS_GAP_CUT_PACKET;
}

static void find_gaps(const struct cs_stage *s, struct findings *out)
{
	uint64_t nr[CS_NR_GAPS] = {0}, all = 0, insns = 0;
	struct buf text = {0};

	vec_for(p, &s->pieces) {
		insns += p->insns;
		for (unsigned i = 0; i < CS_NR_GAPS; i++) {
			nr[i] += p->gaps[i];
			all += is_worth_telling(i) ? p->gaps[i] : 0;
		}
	}
	for (unsigned i = 0; i < CS_NR_GAPS; i++)
		if (nr[i] && is_worth_telling(i))
			buf_printf(&text, "%s%" PRIu64 " %s", text.len ? ", " : "", nr[i], cs_gap_text(i));
	findings_add_share(out, FINDING_TRACE_GAPS, all, insns, buf_str(&text), -1);
	buf_release(&text);
}

static void cs_findings(const struct item_source *source, struct findings *out)
{
	const struct cs_stage *s = (const struct cs_stage *)source;

	find_gaps(s, out);
	findings_add(out, FINDING_UNSUPPORTED_TRACE, s->unsupported_bytes, 0, s->unsupported);
	findings_add(out, FINDING_TRACE_OF_NO_CPU, s->unknown_bytes, 0, NULL);
	aux_queues_findings(&s->queues, s->queues.truncated, out);
}

const struct aux_decode_ops cs_etm_decode = {
	.open = cs_open, .close = cs_close, .findings = cs_findings, .dumper_new = cs_dumper_new, .dumper_free = cs_dumper_free,
	.dump_record = cs_dump_record, .dump_info = cs_info_print,
};
