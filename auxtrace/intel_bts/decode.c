/*
 * Decodes Intel BTS (Branch Trace Store) trace: each record (record.h) becomes a branch sample, with flags for the kind of
 * instruction that branched (x86_flags.h).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "auxtrace/aux.h"
#include "auxtrace/intel_bts/record.h"
#include "auxtrace/synth.h"
#include "auxtrace/worker.h"
#include "auxtrace/x86_flags.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/read/session.h"

#define INSN_MAX 15
#define KNOWN	 4096	/* instructions that a worker remembers; a power of two */

/* The words of AUXTRACE_INFO (perf 6.1). */
enum word { PMU_TYPE, TIME_SHIFT, TIME_MULT, TIME_ZERO, CAP_TIME_ZERO, SNAPSHOT, NR_WORDS };

struct bts_stage {
	struct aux_stage aux;		/* first; each of its queues is a piece */
	const struct event *branches;	/* NULL: not wanted */
	uint32_t shown;			/* SYNTH_* flags of which a branch must have one; 0: all are shown */
	uint64_t *skip;			/* by queue: number of branches to leave out */
	uint64_t *parts;		/* by queue, after decoding: number of records that were cut off */
};

struct known_insn {
	uint64_t ip;
	uint32_t space, flags;		/* .flags is 0 if it is no branch, or its code cannot be read */
	uint8_t size;
};

struct bts_worker {
	struct aux_worker aux;		/* first */
	struct bts_stage *stage;
	struct known_insn known[KNOWN];
};

/* ---- a record's sample ---- */

static bool is_kernel(uint64_t ip)
{
	return ip >= arch_x86_64.kernel_start;
}

static const struct known_insn *insn_at(struct bts_worker *w, uint64_t ip)
{
	uint32_t space = w->aux.space;
	struct known_insn *k = &w->known[(ip ^ ip >> 12) % KNOWN];
	uint8_t code[INSN_MAX];
	struct insn insn;
	size_t n;

	if (k->ip == ip && k->space == space)
		return k;
	*k = (struct known_insn){ .ip = ip, .space = space };
	n = aux_read_code(&w->aux, space, ip, code, sizeof(code));
	if (!n || arch_x86_64.insn(&insn, code, n, 64))
		return k;
	k->flags = SYNTH_BRANCH | x86_branch_flags(insn.kind, insn.detail);
	k->size = insn.size;
	return k;
}

/* A branch into the kernel is a system call if its instruction is one; otherwise it is an interrupt. */
static uint32_t flags_of(const struct bts_record *r, const struct known_insn *insn)
{
	if (!r->from)
		return SYNTH_BRANCH | SYNTH_BEGIN;
	if (!r->to)
		return SYNTH_BRANCH | SYNTH_END;
	if (!is_kernel(r->from) && is_kernel(r->to) && insn->flags != (SYNTH_BRANCH | SYNTH_CALL | SYNTH_SYSCALL))
		return SYNTH_BRANCH | SYNTH_CALL | SYNTH_ASYNC | SYNTH_INTERRUPT;
	return insn->flags;
}

static void give(struct bts_worker *w, const struct bts_record *r, uint64_t *skip)
{
	const struct known_insn *insn = insn_at(w, r->from);
	uint32_t flags = flags_of(r, insn);

	aux_follow(&w->aux,
		   &(struct thread_stack_branch){ r->from, r->to, flags, insn->size });
	if (w->stage->shown && !(flags & w->stage->shown))
		return;
	if (*skip) {
		--*skip;
		return;
	}
	aux_start_sample(&w->aux, w->stage->branches, r->from, aux_cpumode(&w->aux, r->from));
	w->aux.sample.addr = r->to;
	w->aux.sample.flags = flags;
	w->aux.sample.insn_size = insn->size;
	w->aux.sample.depth = thread_stack_depth(w->aux.stack);
	aux_give(&w->aux);
}

/* BTS records have no time, so a trace queue (queue.h) is not cut into pieces: one worker decodes all of it. */
static void bts_piece_decode(struct item_source *source, void *worker, size_t number, const struct item_sink *sink)
{
	struct bts_stage *s = (struct bts_stage *)source;
	const struct aux_queue *q = &s->aux.queues.list.v[number];
	uint64_t skip = s->skip[number], parts = 0;
	struct bts_worker *w = worker;
	struct bts_record r;

	if (!aux_turn_begin(&s->aux, number, &w->aux.stacks))
		return;
	vec_for(b, &q->buffers) {
		aux_worker_begin(&w->aux, q, b->at, 0, sink);
		aux_update_task(&w->aux, 0, AUX_NONE, b->at);
		for (size_t at = 0; at + BTS_RECORD_BYTES <= b->size; at += BTS_RECORD_BYTES) {
			r = bts_record_at(b->data + at);
			if (r.from || r.to)
				give(w, &r, &skip);
		}
		parts += b->size % BTS_RECORD_BYTES != 0;
	}
	aux_turn_end(&s->aux, number, w->aux.stacks);
	s->parts[number] = parts;
}

static void *bts_worker_new(struct item_source *source)
{
	struct bts_stage *s = (struct bts_stage *)source;
	struct bts_worker *w = xcalloc(1, sizeof(*w));

	aux_worker_init(&w->aux, &s->aux);
	w->stage = s;
	return w;
}

static void bts_worker_free(struct item_source *source, void *worker)
{
	struct bts_worker *w = worker;

	aux_worker_release(&w->aux);
	free(w);
}

/* ---- opening ---- */

/* The trace has only branches, so they are shown without --itrace, too. */
static int set_options(struct bts_stage *s)
{
	struct itrace_opts *o = &s->aux.opts;

	if (o->given && (o->chain || o->add_chain || o->last_branch || o->add_last_branch))
		return error("--itrace: samples of branch trace have neither call chains (g) nor last branches (l)");
	if (!o->given)
		o->branches = true;
	if (o->calls)
		s->shown |= SYNTH_CALL | SYNTH_ASYNC | SYNTH_END;
	if (o->returns)
		s->shown |= SYNTH_RETURN | SYNTH_BEGIN;
	s->aux.stack.calls = s->aux.follow = o->depth;
	return 0;
}

static void list_pieces(struct bts_stage *s)
{
	size_t nr = s->aux.queues.list.nr;

	s->skip = xcalloc(nr + 1, sizeof(*s->skip));
	s->parts = xcalloc(nr + 1, sizeof(*s->parts));
	if (nr)
		s->skip[0] = s->aux.opts.skip;
	for (size_t i = 0; i < nr; i++)
		vec_push(&s->aux.source.pieces, (struct source_piece){ .stream = (uint32_t)i });
	s->aux.source.nr_streams = (uint32_t)nr;
	aux_stage_order(&s->aux, NULL, false, false);
}

static int bts_open(struct aux_stage *stage, const struct words *info, const struct aux_window *window)
{
	struct bts_stage *s = (struct bts_stage *)stage;
	const char *path = session_file(stage->session)->path;
	const struct event *origin;

	stage->timeless = true;
	if (info->nr < NR_WORDS)
		return error("'%s': AUXTRACE_INFO does not describe branch trace", path);
	origin = synth_origin(s->aux.session, (uint32_t)words_at(info, PMU_TYPE));
	if (!origin)
		return error("'%s' has no event that its branch trace belongs to", path);
	if (set_options(s))
		return -1;
	if (s->aux.opts.branches)
		s->branches = synth_branches(s->aux.session, &(struct synth_base){ .origin = origin, .timeless = true });
	aux_queues_gather(&s->aux.queues, s->aux.session, words_at(info, SNAPSHOT));
	cpu_tasks_gather(&s->aux.tasks, s->aux.session);
	if (s->branches)
		list_pieces(s);
	return 0;
}

static void bts_close(struct item_source *source)
{
	struct bts_stage *s = (struct bts_stage *)source;

	free(s->skip);
	free(s->parts);
	aux_stage_free(&s->aux);
}

static void bts_findings(const struct item_source *source, struct findings *out)
{
	const struct bts_stage *s = (const struct bts_stage *)source;
	uint64_t parts = 0;

	for (size_t i = 0; i < s->aux.source.pieces.nr; i++)
		parts += s->parts[i];
	findings_add(out, FINDING_CUT_BRANCH_TRACE, parts, 0, NULL);
	aux_queues_findings(&s->aux.queues, s->aux.queues.truncated, out);
}

/* ---- -D ---- */

/* Prints the bytes and the meaning of each record, as perf script -D does. */
static size_t bts_dump(struct buf *out, const uint8_t *data, size_t size, size_t at)
{
	size_t n = MIN(size - at, BTS_RECORD_BYTES), last = at + (64 << 10);

	for (; at < size && at < last; at += n) {
		n = MIN(size - at, BTS_RECORD_BYTES);
		buf_printf(out, ".  %08zx: ", at);
		for (size_t i = 0; i < BTS_RECORD_BYTES; i++)
			buf_printf(out, i < n ? " %02x" : "   ", i < n ? data[at + i] : 0);
		if (n == BTS_RECORD_BYTES) {
			struct bts_record r = bts_record_at(data + at);

			buf_printf(out, " %" PRIx64 " -> %" PRIx64 " %s\n", r.from, r.to, r.predicted ? "pred" : "miss");
		} else {
			buf_printf(out, " Bad record!\n");
		}
	}
	return at;
}

static void bts_dump_info(struct buf *out, const struct words *info)
{
	static const char *const names[NR_WORDS] = {
		[PMU_TYPE] = "PMU Type", [TIME_SHIFT] = "Time Shift",
		[TIME_MULT] = "Time Multiplier", [TIME_ZERO] = "Time Zero", [CAP_TIME_ZERO] = "Cap Time Zero",
		[SNAPSHOT] = "Snapshot mode",
	};

	for (unsigned i = 0; i < NR_WORDS && i < info->nr; i++)
		buf_printf(out, "  %-18s %" PRIu64 "\n", names[i], words_at(info, i));
}

const struct aux_decode_ops intel_bts_decode = {
	.stage_size = sizeof(struct bts_stage), .arch = &arch_x86_64, .open = bts_open,
	.source = { .worker_new = bts_worker_new, .worker_free = bts_worker_free, .decode = bts_piece_decode,
		    .findings = bts_findings, .close = bts_close },
	.dump = bts_dump, .dump_info = bts_dump_info,
};
