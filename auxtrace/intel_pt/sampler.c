/*
 * One worker's decoding of pieces: flow -> samples. Who runs is asked where the flow says that it may have changed.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/x86/insn.h"
#include "auxtrace/block.h"
#include "auxtrace/code.h"
#include "auxtrace/synth.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/pool.h"
#include "core/flow/item.h"
#include "core/flow/session.h"

#define MAX_BLOCKS	(1u << 20)	/* then the code is forgotten: memory is to follow the file, not its promises */
#define PSB_PLUS	1024		/* bytes behind a piece that hold the next one's PSB+ */
#define CHECK_TIME	64		/* instructions between two looks at the clock */

struct spaces { uint32_t user, kernel; };

struct sampler {
	struct pt_stage *stage;
	struct pt_sink calls;
	struct block_cache *cache;
	struct pt_flow *flow;
	struct where_cache *where_cache;
	struct buf bytes;
	VEC(struct spaces) spaces;	/* what the numbers mean that the flow has for spaces */
	uint32_t space;
	/* Of the piece at work. */
	size_t number;
	struct pt_piece *piece;
	const uint8_t *data;
	const struct item_sink *sink;	/* NULL: only count */
	uint32_t cbr_told;		/* UINT32_MAX: none yet */
	uint64_t first_insn;		/* the flow's count when it began */
	uint64_t last_sample;		/* the flow's count at the last sample */
	uint64_t next_tick;		/* TSC at which the next sample is due */
	uint32_t gaps[PT_NR_GAPS];
	struct who who;
	const struct where *where;
	struct trails *trails;		/* the piece's; owned but for one worker, who uses the stage's */
	struct trail *trail;		/* of the thread that runs; NULL: not known, or none is wanted */
	bool chain_known;		/* chain and jumps below are still the trail's */
	uint64_t *chain;		/* owned; nr_chain words */
	struct trail_jump *jumps;	/* owned; nr_jumps */
	size_t nr_chain, nr_jumps;
	uint64_t tsc, tsc_ns;		/* the last time that was asked for */
	const struct event *prepared;	/* what is in sample, item and record is one of these, but for place and time; or NULL */
	struct record record;
	struct sample sample;
	struct item item;
};

/* ---- who and where ---- */

static uint64_t now(struct sampler *w, const struct pt_state *s)
{
	const struct source_piece *p = &w->stage->source.pieces.v[w->number];

	if (!s->tsc || w->stage->timeless)
		return p->time;
	if (s->tsc != w->tsc) {
		w->tsc = s->tsc;
		w->tsc_ns = pt_info_ns(&w->stage->info, s->tsc);
	}
	return MAX(w->tsc_ns, p->time);
}

/* The time as the machine knows it. */
static uint64_t machine_time(struct sampler *w, const struct pt_state *s)
{
	const struct aux_span *span;

	if (!w->stage->timeless)
		return now(w, s);
	span = aux_queue_span(w->piece->queue, w->piece->from);
	return span ? span->time : UINT64_MAX - 1;
}

static uint32_t number_of_spaces(struct sampler *w, uint32_t user, uint32_t kernel)
{
	vec_for(s, &w->spaces)
		if (s->user == user && s->kernel == kernel)
			return (uint32_t)(s - w->spaces.v);
	vec_push(&w->spaces, (struct spaces){ .user = user, .kernel = kernel });
	return (uint32_t)w->spaces.nr - 1;
}

static void look_around(struct sampler *w, const struct pt_state *s)
{
	uint64_t time = machine_time(w, s);

	if (!w->where || time < w->who.from || time >= w->who.to) {
		w->trail = NULL;
		w->who = who_at(&w->stage->who, w->piece->queue, time, w->piece->from + s->offset);
	} else if (time >= w->where->from && time < w->where->to) {
		return;
	}
	if (w->stage->follow && w->who.tid != AUX_NONE)
		w->trail = trails_of(w->trails, w->who.tid, w->who.era);
	w->chain_known = false;
	w->prepared = NULL;
	w->where = machine_where(w->where_cache, w->who.pid, w->who.tid, time);
	w->space = number_of_spaces(w, w->where->user_space, w->where->kernel_space);
}

static uint32_t on_space(void *ctx, const struct pt_state *s)
{
	struct sampler *w = ctx;

	look_around(w, s);
	return w->space;
}

static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *out, size_t n)
{
	struct sampler *w = ctx;
	const struct spaces *s = &w->spaces.v[space];

	if (space >= w->spaces.nr)
		return 0;
	return code_at(w->stage->code, ip >= w->stage->kernel_start ? s->kernel : s->user, ip, out, n);
}

static uint16_t cpumode(const struct sampler *w, const struct pt_state *s, uint64_t ip)
{
	bool kernel = ip >= w->stage->kernel_start;

	if (s->non_root)
		return kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER;
	return kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

/* ---- samples ---- */

static void renew_chain(struct sampler *w, uint64_t ip)
{
	const struct itrace_opts *o = &w->stage->opts;

	if (o->chain)
		w->nr_chain = trail_chain(w->trail, w->chain, o->chain_depth + 1, ip, w->stage->kernel_start);
	if (o->last_branch)
		w->nr_jumps = trail_jumps(w->trail, w->jumps, o->last_branch_depth);
	w->chain_known = true;
}

/* The sample's place, with the way there. The next one of the same thread, if nothing happened, differs in the address. */
static void set_place(struct sampler *w, uint64_t ip)
{
	w->sample.ip = ip;
	if (!w->stage->follow || w->item.event == w->stage->branches)
		return;
	if (!w->chain_known || (w->nr_chain && (w->chain[1] ^ ip) >> 63))
		renew_chain(w, ip);
	if (w->nr_chain)
		w->chain[1] = ip;
	w->sample.chain = words_of(w->chain, w->nr_chain);
	w->sample.branches = words_of(w->jumps, 3 * w->nr_jumps);
	w->sample.branch_nr = w->nr_jumps;
}

/* Where and when it is. */
static void place_sample(struct sampler *w, const struct pt_state *s, uint64_t ip)
{
	w->sample.time = w->item.time = w->stage->timeless ? 0 : now(w, s);
	w->item.at = w->stage->timeless ? machine_time(w, s) : w->item.time;
	w->item.cpumode = cpumode(w, s, ip);
	w->record.header.misc = w->item.cpumode;
	set_place(w, ip);
}

static void start_sample(struct sampler *w, const struct pt_state *s, const struct event *ev, uint64_t ip)
{
	uint32_t cpu = w->piece->queue->cpu;

	w->sample = (struct sample){ .pid = w->who.pid, .tid = w->who.tid, .cpu = cpu, .period = 1 };
	w->item = (struct item){ .record = &w->record, .event = ev, .sample = &w->sample, .where = w->where };
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .size = 8 };
	w->prepared = NULL;
	place_sample(w, s, ip);
}

/* The same for events whose samples always have the same members: most often only place and time are new. */
static void again_sample(struct sampler *w, const struct pt_state *s, const struct event *ev, uint64_t ip)
{
	if (w->prepared == ev)
		place_sample(w, s, ip);
	else
		start_sample(w, s, ev, ip);
	w->prepared = ev;
}

static void give(struct sampler *w)
{
	w->sink->item(w->sink, &w->item);
}

static void give_insn(struct sampler *w, const struct pt_state *s, uint64_t ip, unsigned size, uint64_t period)
{
	again_sample(w, s, w->stage->instructions, ip);
	w->sample.period = period;
	w->sample.insn_size = size;
	give(w);
}

/* Each instruction. */
static void on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct sampler *w = ctx;
	uint64_t ip = block_insn_ip(b, from);

	if (from < to)
		give_insn(w, s, ip, b->sizes[from], 1);
	for (ip += b->sizes[from++]; from < to; ip += b->sizes[from++]) {
		set_place(w, ip);
		w->sample.insn_size = b->sizes[from];
		give(w);
	}
}

/* Each so many instructions. */
static void on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct sampler *w = ctx;

	give_insn(w, s, block_insn_ip(b, nr), b->sizes[nr], w->stage->period);
}

/*
 * Each so much time, by a clock that goes on a tick an instruction between two packets of time. The flow asks every
 * few instructions, or when the clock will be due if no packet comes.
 */
static void on_tick(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct sampler *w = ctx;
	uint64_t ticks = w->stage->ticks, clock = s->tsc + (s->insns - s->timed_insns);

	if (s->tsc && !w->next_tick)
		w->next_tick = clock - clock % ticks + ticks;
	if (s->tsc && clock >= w->next_tick) {
		give_insn(w, s, block_insn_ip(b, nr), b->sizes[nr], MAX(s->insns - w->last_sample, 1));
		w->last_sample = s->insns;
		w->next_tick = clock - clock % ticks + ticks;
	}
	/* The flow adds its period, 1. */
	pt_flow_sample_at(w->flow, s->insns + MIN(CHECK_TIME, s->tsc ? MAX(w->next_tick - clock, 1) : 1) - 1);
}

static uint32_t insn_flags(const struct pt_branch *b)
{
	switch (b->kind) {
	case INSN_COND: return SYNTH_CONDITIONAL;
	case INSN_CALL:
	case INSN_CALL_INDIRECT: return SYNTH_CALL;
	case INSN_RET: return SYNTH_RETURN;
	case INSN_FAR_CALL:
		return SYNTH_CALL | (b->detail == X86_SYSCALL ? SYNTH_SYSCALL : b->detail == X86_VMCALL ? SYNTH_VMEXIT :
				     SYNTH_INTERRUPT);
	case INSN_FAR_RET:
		return b->detail == X86_VMENTRY ? SYNTH_CALL | SYNTH_VMENTRY :
		       SYNTH_RETURN | (b->detail == X86_SYSRET ? SYNTH_SYSCALL : SYNTH_INTERRUPT);
	default: return 0;
	}
}

/* As perf tells them: an interrupt counts as a call, an abort stands alone. */
static uint32_t branch_flags(const struct pt_branch *b)
{
	uint32_t flags = SYNTH_BRANCH;

	if (b->abort)
		flags |= SYNTH_ABORT;
	else if (b->async)
		flags |= b->to ? SYNTH_CALL | SYNTH_ASYNC | SYNTH_INTERRUPT : SYNTH_ASYNC;
	else if (b->from)
		flags |= insn_flags(b);
	if (b->in_tx && !b->async)
		flags |= SYNTH_IN_TX;
	return flags | (b->begin ? SYNTH_BEGIN : 0) | (b->end ? SYNTH_END : 0);
}

static void on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b)
{
	struct sampler *w = ctx;
	uint32_t flags = branch_flags(b);

	if (w->trail) {
		trail_take(w->trail, &(struct trail_branch){ b->from, b->to, flags, b->async ? 0 : b->size });
		w->chain_known = false;
	}
	if (!w->stage->branches || !w->sink)
		return;
	if (w->stage->branches_shown && !(flags & w->stage->branches_shown))
		return;
	again_sample(w, s, w->stage->branches, b->from);
	if (!b->from)
		w->record.header.misc = w->item.cpumode = cpumode(w, s, b->to);
	w->sample.addr = b->to;
	w->sample.flags = flags;
	w->sample.insn_size = b->async ? 0 : b->size;
	give(w);
}

/* ---- packets that tell something ---- */

static void give_notice(struct sampler *w, const struct pt_state *s, enum synth_config what, uint64_t ip, uint64_t value,
			uint64_t more)
{
	if (!w->stage->notices[what])
		return;
	start_sample(w, s, w->stage->notices[what], ip);
	w->sample.synth[0] = value;
	w->sample.synth[1] = more;
	give(w);
}

/* The offset in the piece of the PSB whose PSBEND is at @offset. */
static uint64_t psb_before(const struct sampler *w, uint64_t offset)
{
	for (uint64_t at = offset; at-- > 0 && offset - at < PSB_PLUS;)
		if (pt_find_psb(w->data + at, PT_PSB_SIZE, 0) == 0)
			return at;
	return 0;
}

static void tell_ratio(struct sampler *w, const struct pt_state *s, uint64_t ip)
{
	uint32_t cbr = s->time.cbr;

	if (cbr == w->cbr_told)
		return;
	w->cbr_told = cbr;
	give_notice(w, s, SYNTH_CBR, ip, cbr,
		    (uint64_t)w->stage->info.max_nonturbo_ratio << 32 | (uint32_t)(w->stage->khz_a_ratio * cbr));
}

/* A ratio in a PSB+ repeats what is known, but in the first one; it is told behind the PSB. */
static void on_psb_end(struct sampler *w, const struct pt_state *s, uint64_t ip)
{
	uint64_t psb = psb_before(w, s->offset);

	give_notice(w, s, SYNTH_PSB, ip, w->piece->from + psb, 0);
	if (!psb && w->piece->from)
		w->cbr_told = s->time.cbr;
	tell_ratio(w, s, ip);
}

static void on_event(void *ctx, const struct pt_state *s, const struct pt_event *e)
{
	struct sampler *w = ctx;
	const struct pt_packet *p = &e->packet;

	switch (p->type) {
	case PT_PSBEND: on_psb_end(w, s, e->ip); break;
	case PT_CBR:
		/* That of a PSB+ comes when the packet at work is the PSBEND. */
		if (w->data[s->offset] == 0x02 && w->data[s->offset + 1] == 0x03)
			tell_ratio(w, s, e->ip);
		break;
	case PT_PTW: give_notice(w, s, SYNTH_PTWRITE, e->ip, p->value, p->flag); break;
	case PT_MWAIT: give_notice(w, s, SYNTH_MWAIT, e->ip, p->value, 0); break;
	case PT_PWRE: give_notice(w, s, SYNTH_PWRE, e->ip, p->value, 0); break;
	case PT_EXSTOP: give_notice(w, s, SYNTH_EXSTOP, e->ip, 0, p->flag); break;
	case PT_PWRX: give_notice(w, s, SYNTH_PWRX, e->ip, p->value, 0); break;
	}
}

/* ---- what went wrong ---- */

/* perf's numbers and words for it (its codes are part of what scripts grep for). */
static const struct { uint32_t code; const char *text; } errors[PT_NR_GAPS] = {
	[PT_GAP_OVERFLOW] = { 7, "Overflow packet" },
	[PT_GAP_PACKET] = { 3, "Bad packet" },
	[PT_GAP_CUT] = { 3, "Bad packet" },
	[PT_GAP_NO_CODE] = { 5, "Failed to get instruction" },
	[PT_GAP_BAD_INSN] = { 5, "Failed to get instruction" },
	[PT_GAP_NO_IP] = { 6, "Trace doesn't match instruction" },
	[PT_GAP_DESYNC] = { 6, "Trace doesn't match instruction" },
	[PT_GAP_LOOP] = { 10, "Never-ending loop (refer perf config intel-pt.max-loops)" },
	[PT_GAP_RETURN] = { 6, "Trace doesn't match instruction" },
};

static void on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct sampler *w = ctx;
	struct record_auxtrace_error *e = &w->record.auxtrace_error;

	w->gaps[g->reason]++;
	if (!w->sink || !w->stage->opts.errors || (g->reason == PT_GAP_OVERFLOW && w->stage->opts.no_overflow_errors))
		return;
	look_around(w, s);
	start_sample(w, s, NULL, g->ip);
	w->item.sample = NULL;
	w->record.header = (struct record_header){ .type = RECORD_AUXTRACE_ERROR, .size = 8 };
	*e = (struct record_auxtrace_error){
		.type = 1, .code = errors[g->reason].code, .fmt = 1, .cpu = w->sample.cpu, .pid = w->who.pid, .tid = w->who.tid,
		.ip = g->ip, .time = w->item.time,
	};
	snprintf(e->msg, sizeof(e->msg), "%s", errors[g->reason].text);
	give(w);
}

/* ---- pieces ---- */

static void choose_calls(struct sampler *w, bool count)
{
	const struct pt_stage *stage = w->stage;

	w->calls = (struct pt_sink){ .taken_only = true, .space = on_space, .gap = on_gap };
	if (stage->branches || stage->follow)
		w->calls.branch = on_branch;
	if (count && !stage->follow)
		w->calls.branch = NULL;
	if (count)
		return;
	if (stage->instructions && stage->period == 1)
		w->calls.block = on_block;
	else if (stage->instructions)
		w->calls.sample = stage->period ? on_sample : on_tick;
	if (stage->opts.ptwrites || stage->opts.power)
		w->calls.event = on_event;
}

static void make_flow(struct sampler *w, bool count)
{
	struct pt_flow_config config = w->stage->flow;

	choose_calls(w, count);
	w->cache = block_cache_new(&arch_x86_64, read_code, w);
	config.cache = w->cache;
	config.sink = &w->calls;
	config.ctx = w;
	if (w->calls.sample)
		config.period = w->stage->period ? w->stage->period : 1;
	w->flow = pt_flow_new(&config);
}

static void drop_flow(struct sampler *w)
{
	pt_flow_free(w->flow);
	block_cache_free(w->cache);
}

static struct sampler *sampler_new(struct pt_stage *stage, bool count)
{
	struct sampler *w = xcalloc(1, sizeof(*w));

	w->stage = stage;
	w->where_cache = where_cache_new(session_machine(stage->session));
	w->chain = xcalloc(stage->opts.chain_depth + 1, sizeof(*w->chain));
	w->jumps = xcalloc(stage->opts.last_branch_depth + 1, sizeof(*w->jumps));
	make_flow(w, count);
	return w;
}

static void sampler_free(struct sampler *w)
{
	drop_flow(w);
	where_cache_free(w->where_cache);
	buf_release(&w->bytes);
	vec_free(&w->spaces);
	free(w->chain);
	free(w->jumps);
	free(w);
}

/* Where the queue's instructions are counted, samples go on from piece to piece as if there were no pieces. */
static uint64_t first_sample_at(const struct sampler *w, const struct pt_piece *p)
{
	uint64_t period = w->stage->period;

	return w->first_insn + (period ? period - p->insns_before % period : 1);
}

/* What the pieces before @p had. Returns whether that is known; @wait: at last. */
static bool know_insns_before(struct pt_stage *stage, const struct pt_piece *p, bool wait)
{
	bool known;

	pthread_mutex_lock(&stage->lock);
	while (wait && !p->insns_before_known)
		pthread_cond_wait(&stage->counted, &stage->lock);
	known = p->insns_before_known;
	pthread_mutex_unlock(&stage->lock);
	return known;
}

/* Tell the queue's next piece what was before it. */
static void pass_on_insns(struct pt_stage *stage, const struct pt_piece *p)
{
	size_t next = (size_t)(p - stage->pieces.v) + 1;
	struct pt_piece *to = next < stage->pieces.nr ? &stage->pieces.v[next] : NULL;

	if (!to || to->queue != p->queue)
		return;
	pthread_mutex_lock(&stage->lock);
	if (!to->insns_before_known)
		to->insns_before = p->insns_before + p->insns;
	to->insns_before_known = true;
	pthread_cond_broadcast(&stage->counted);
	pthread_mutex_unlock(&stage->lock);
}

static void begin_piece(struct sampler *w, size_t number, const struct item_sink *sink)
{
	w->number = number;
	w->piece = &w->stage->pieces.v[number];
	w->sink = sink;
	w->cbr_told = UINT32_MAX;
	w->where = NULL;
	w->trail = NULL;
	w->prepared = NULL;
	w->first_insn = w->last_sample = pt_flow_state(w->flow)->insns;
	w->next_tick = 0;
	memset(w->gaps, 0, sizeof(w->gaps));
	pt_flow_reset(w->flow);
}

/* @known: it is known where the first sample is due, or does not matter. */
static void follow(struct sampler *w, bool known)
{
	struct pt_piece *p = w->piece;
	uint64_t size = MIN(p->end, p->to + PSB_PLUS) - p->from;

	w->data = aux_queue_bytes(p->queue, p->from, p->from + size, &w->bytes);
	if (known)
		pt_flow_sample_at(w->flow, first_sample_at(w, p));
	else
		pt_flow_sample_later(w->flow);
	pt_flow_decode(w->flow, w->data, size, 0, p->to - p->from, 0);
	p->insns = pt_flow_state(w->flow)->insns - w->first_insn;
}

static void decode_piece(struct sampler *w, size_t number, const struct item_sink *sink)
{
	struct pt_piece *p = &w->stage->pieces.v[number];
	bool known = !sink || !w->stage->sums || know_insns_before(w->stage, p, false);

	if (block_cache_nr(w->cache) > MAX_BLOCKS) {
		drop_flow(w);
		make_flow(w, !sink);
	}
	begin_piece(w, number, sink);
	follow(w, known);
	if (!known)
		know_insns_before(w->stage, p, true);
	if (sink && w->stage->sums)
		pass_on_insns(w->stage, p);
	if (!known) {
		w->where = NULL;	/* what is told now begins again */
		w->prepared = NULL;
		if (!pt_flow_sample_now(w->flow, first_sample_at(w, p))) {
			begin_piece(w, number, sink);
			follow(w, true);
		}
	}
	memcpy(p->gaps, w->gaps, sizeof(p->gaps));
}

/* What the piece's threads left behind when it begins. */
static struct trails *first_trails(const struct sampler *w, size_t number)
{
	struct pt_stage *stage = w->stage;
	const struct pt_piece *p = &stage->pieces.v[number];
	struct trails *trails = stage->trails.v[p->queue->number];

	if (stage->surveyed)
		return trails_copy(p->start);
	if (!number || p[-1].queue != p->queue)
		trails_clear(trails);
	return trails;
}

/* ---- struct item_source ---- */

void *pt_sampler_new(struct item_source *s)
{
	return sampler_new((struct pt_stage *)s, false);
}

void *pt_sampler_new_survey(struct pt_stage *stage)
{
	return sampler_new(stage, true);
}

struct trails *pt_sampler_survey(void *worker, size_t piece)
{
	struct sampler *w = worker;

	w->trails = w->stage->follow ? trails_new(&w->stage->trail, true) : NULL;
	decode_piece(w, piece, NULL);
	return w->trails;
}

void pt_sampler_free(struct item_source *s, void *worker)
{
	(void)s;
	sampler_free(worker);
}

void pt_sampler_decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink)
{
	struct sampler *w = worker;

	(void)s;
	if (w->stage->follow)
		w->trails = first_trails(w, piece);
	decode_piece(w, piece, sink);
	if (w->stage->surveyed)
		trails_free(w->trails);
	w->trails = NULL;
}

void pt_sampler_skip(struct item_source *s, size_t piece)
{
	struct pt_stage *stage = (struct pt_stage *)s;

	if (stage->sums)
		pass_on_insns(stage, &stage->pieces.v[piece]);
}
