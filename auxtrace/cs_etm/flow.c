/*
 * Reconstructs the path of the traced program from the packets of an ETMv4 or ETE trace. For each packet it calls walk.h, which
 * moves the position in the program's code. v7_flow.c does the same for ARMv7 trace units.
 */
#include "auxtrace/cs_etm/flow.h"

#include <errno.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/spec_queue.h"
#include "auxtrace/cs_etm/v7_flow.h"
#include "auxtrace/cs_etm/walk.h"
#include "core/base/util.h"

#define MOST_CACHED	(1u << 18)	/* blocks in the cache, of some 200 bytes each, before it is cleared */
#define MOST_TRIALS	256	/* addresses after damage that are tried as the position */
#define MOST_TRIED	1024	/* bytes of trace that are decoded to try an address */
#define ENOUGH_ADDRESSES	6	/* so many addresses, each when the code needs one, are no chance: the trial succeeds */
#define RUN_OF_ATOMS	4096		/* bytes between two looks at the cache's size */

struct cs_flow {
	struct cs_walk walk;
	struct cs_config config;
	const struct cs_stream *stream;
	struct cs_history history;
	struct cs_spec_queue spec_queue;
	bool plain;			/* each packet is applied at once: no speculation, and not ARMv7 */
	uint64_t last_time;		/* the last timestamp since the last trace info; 0: not known */
	bool synced;
	bool exception;			/* .exception_pkt waits for its address */
	struct cs_packet exception_pkt;
};

struct cs_flow *cs_flow_new(const struct cs_config *c, struct block_cache *cache, const struct cs_sink *sink,
			    void *ctx)
{
	struct cs_flow *f = xcalloc(1, sizeof(*f));

	f->config = *c;
	f->plain = !c->max_spec && !c->v7;
	f->walk.config = &f->config;
	f->walk.cache = cache;
	f->walk.sink = sink;
	f->walk.ctx = ctx;
	f->walk.watched = sink->block || sink->branch;
	f->walk.point.stop = UINT64_MAX;
	return f;
}

void cs_flow_free(struct cs_flow *f)
{
	if (!f)
		return;
	cs_spec_queue_release(&f->spec_queue);
	free(f);
}

struct cs_point *cs_flow_point(struct cs_flow *f)
{
	return &f->walk.point;
}

/* Reports a gap. Nothing can be followed before the next synchronisation. */
static void lose_sync(struct cs_flow *f, enum cs_gap why)
{
	cs_walk_settle(&f->walk);
	f->walk.lost = false;
	cs_walk_gap(&f->walk, why);
	cs_walk_restart(&f->walk);
	cs_spec_queue_reset(&f->spec_queue, 0);
	f->exception = false;
	f->synced = false;
}

/* --- Elements -------------------------------------------------------------- */

/*
 * True if the exception level or security state changes in a way that only an exception or its return allows. AArch32 is the
 * exception: writing SCR.NS changes its security state (DDI 0487, "Security state").
 */
static bool other_level(const struct cs_point *p, const struct cs_packet *pkt)
{
	return p->el != pkt->el || p->sf != pkt->sf || (p->sf && (p->ns != pkt->ns || p->nse != pkt->nse));
}

static void on_context(struct cs_flow *f, const struct cs_packet *pkt)
{
	struct cs_point *p = &f->walk.point;
	bool level = other_level(p, pkt), changed;

	if (!pkt->context_updated)
		return;
	changed = level || p->ns != pkt->ns || p->nse != pkt->nse ||
		  (pkt->has_cid && p->cid != pkt->cid) || (pkt->has_vmid && p->vmid != pkt->vmid);
	p->el = pkt->el;
	p->sf = pkt->sf;
	p->ns = pkt->ns;
	p->nse = pkt->nse;
	if (pkt->has_cid)
		p->cid = pkt->cid;
	if (pkt->has_vmid)
		p->vmid = pkt->vmid;
	cs_walk_context(&f->walk, changed, level);
}

static void on_address(struct cs_flow *f, const struct cs_packet *pkt)
{
	const struct cs_packet *e = &f->exception_pkt;

	if (f->exception) {
		f->exception = false;
		cs_walk_exception(&f->walk, pkt->address, pkt->is, e->exception, e->returns == 2);
		return;
	}
	/* If no branch waits for the address, cs_walk_address() decides between a gap and another context. */
	cs_walk_address(&f->walk, pkt->address, pkt->is);
}

static void on_q(struct cs_flow *f, const struct cs_packet *pkt)
{
	if (pkt->has_count)
		cs_walk_count(&f->walk, pkt->count);
	else
		cs_walk_gap(&f->walk, CS_GAP_UNKNOWN_PATH);
	if (pkt->has_address)
		cs_walk_address(&f->walk, pkt->address, pkt->is);
}

/* A time of 0 means that it is not known. IHI 0064, "Timestamp element". */
static void on_time(struct cs_flow *f, const struct cs_packet *pkt)
{
	if (pkt->time && pkt->time < f->last_time)
		cs_walk_report_gap(&f->walk, CS_GAP_TIME);
	f->last_time = pkt->time;
	f->walk.point.time = pkt->time;
}

static void on_trace_on(struct cs_flow *f)
{
	cs_walk_restart(&f->walk);
	f->walk.lost = false;
	if (f->walk.sink->start)
		f->walk.sink->start(f->walk.ctx, &f->walk.point);
}

/* True if @pkt cannot come between an exception and its address. */
static bool ends_exception(const struct cs_flow *f, const struct cs_packet *pkt)
{
	return pkt->type == CS_TRACE_INFO || pkt->type == CS_TRACE_ON || cs_is_p0(pkt, &f->config);
}

/* Drops the waiting exception: its address is missing, so its source and target are unknown. */
static void drop_exception(struct cs_flow *f)
{
	f->exception = false;
	cs_walk_gap(&f->walk, CS_GAP_BAD_PACKET);
}

/* Applies the committed element @pkt. */
static void execute(struct cs_flow *f, const struct cs_packet *pkt)
{
	if (f->exception && ends_exception(f, pkt))
		drop_exception(f);
	if (pkt->has_context)
		on_context(f, pkt);
	switch (pkt->type) {
	case CS_ATOM:
		cs_walk_atoms(&f->walk, pkt->taken, pkt->atoms);
		break;
	case CS_ADDRESS:
	case CS_ADDRESS_MATCH:
		on_address(f, pkt);
		break;
	case CS_SOURCE:
	case CS_SOURCE_MATCH:
		cs_walk_source(&f->walk, pkt->address, pkt->is);
		break;
	case CS_EXCEPTION:
		f->exception = true;
		f->exception_pkt = *pkt;
		break;
	case CS_Q:
		on_q(f, pkt);
		break;
	case CS_TRACE_INFO:
		cs_walk_resync(&f->walk);
		f->last_time = 0;
		break;
	case CS_TRACE_ON:
		on_trace_on(f);
		break;
	case CS_TIMESTAMP:
		on_time(f, pkt);
		break;
	case CS_CYCLES_1:
	case CS_CYCLES_2:
	case CS_CYCLES_3:
		if (pkt->has_cycles)
			f->walk.point.cycles += pkt->cycles;
		break;
	case CS_PE_RESET:
		cs_walk_restart(&f->walk);
		break;
	case CS_TRANS_FAIL:
		cs_walk_unsure(&f->walk);
		break;
	}
}

/* --- Speculation ----------------------------------------------------------- */

/* Applies the oldest @nr P0 elements and the packets between them. The address of an exception is applied with it. */
static void commit(struct cs_flow *f, uint32_t nr)
{
	const struct cs_spec_packet *p;
	uint32_t unseen = MIN(nr, f->spec_queue.unseen);

	f->spec_queue.unseen -= unseen;
	f->spec_queue.nr_p0 -= unseen;
	nr -= unseen;
	while (nr || f->exception) {
		p = cs_spec_queue_next(&f->spec_queue);
		if (p && !nr && ends_exception(f, &p->pkt)) {
			drop_exception(f);
			return;
		}
		p = cs_spec_queue_pop(&f->spec_queue);
		if (!p) {
			if (nr)
				lose_sync(f, CS_GAP_SPECULATION);
			return;
		}
		f->walk.point.offset = p->at;
		if (p->p0 && nr)
			nr--;
		execute(f, &p->pkt);
	}
}

/* Applies the elements before the first uncommitted P0 element, because they cannot be cancelled. */
static void drain(struct cs_flow *f)
{
	while (f->spec_queue.first < f->spec_queue.list.nr && !f->spec_queue.list.v[f->spec_queue.first].p0)
		execute(f, &cs_spec_queue_pop(&f->spec_queue)->pkt);
}

/* After a Discard or Overflow packet: drops uncommitted elements, but applies times and events. */
static void discard(struct cs_flow *f, enum cs_gap why)
{
	drain(f);
	cs_spec_queue_cancel(&f->spec_queue, f->spec_queue.nr_p0);
	drain(f);
	lose_sync(f, why);
}

static void hold(struct cs_flow *f, const struct cs_packet *pkt, size_t at)
{
	if (cs_spec_queue_add(&f->spec_queue, pkt, at, &f->config))
		lose_sync(f, CS_GAP_SPECULATION);
}

/* Queues the atoms that a cancel or mispredict packet carries. */
static void hold_side_atoms(struct cs_flow *f, const struct cs_packet *pkt, size_t at)
{
	struct cs_packet atoms = { .type = CS_ATOM, .atoms = pkt->atoms, .taken = pkt->taken };

	if (pkt->atoms)
		hold(f, &atoms, at);
}

static void speculate(struct cs_flow *f, const struct cs_packet *pkt, size_t at)
{
	bool mispredict = pkt->type != CS_CANCEL_1 && pkt->type != CS_COMMIT;

	hold_side_atoms(f, pkt, at);
	if ((pkt->cancel && cs_spec_queue_cancel(&f->spec_queue, pkt->cancel)) ||
	    (mispredict && f->synced && cs_spec_queue_mispredict(&f->spec_queue)))
		lose_sync(f, CS_GAP_SPECULATION);
}

static bool resolves(const struct cs_packet *pkt)
{
	switch (pkt->type) {
	case CS_CANCEL_1:
	case CS_CANCEL_1_MISPREDICT:
	case CS_CANCEL_2:
	case CS_CANCEL_3:
	case CS_MISPREDICT:
		return true;
	default:
		return false;
	}
}

/* Handles a packet of a trace unit that speculates. */
static void queued_packet(struct cs_flow *f, const struct cs_packet *pkt, size_t at)
{
	struct cs_spec_queue *q = &f->spec_queue;
	size_t last;

	if (resolves(pkt)) {
		speculate(f, pkt, at);
	} else if (pkt->type != CS_COMMIT) {
		hold(f, pkt, at);
	}
	if (pkt->has_commit && f->synced)
		commit(f, pkt->commit);
	/* Elements beyond the maximum speculation depth are committed implicitly; an exception waits for its address. */
	last = q->list.nr;
	if (f->synced && q->nr_p0 > f->config.max_spec && !(last > q->first && q->list.v[last - 1].pkt.type == CS_EXCEPTION))
		commit(f, q->nr_p0 - f->config.max_spec);
}

/* --- Packets --------------------------------------------------------------- */

/* @nr P0 elements are uncommitted here. If the queue has more, they are committed after a gap; otherwise this is a new gap. */
static void set_depth(struct cs_flow *f, uint32_t nr)
{
	struct cs_spec_queue *q = &f->spec_queue;

	if (!f->config.max_spec)
		return;
	if (q->is_upper_bound && q->nr_p0 > nr)
		commit(f, q->nr_p0 - nr);
	q->is_upper_bound = false;
	if (f->synced && q->nr_p0 != nr)
		lose_sync(f, CS_GAP_SPECULATION);
}

static void on_trace_info(struct cs_flow *f, const struct cs_packet *pkt)
{
	if (f->synced)
		set_depth(f, pkt->count);
	if (f->synced)
		return;
	f->synced = true;
	cs_walk_restart_trusted(&f->walk);
	cs_spec_queue_reset(&f->spec_queue, pkt->count);
}

static void process(struct cs_flow *f, const struct cs_packet *pkt, size_t at)
{
	if (f->config.max_spec)
		queued_packet(f, pkt, at);
	else
		execute(f, pkt);
}

/*
 * Handles a packet: completes its address (history.h). Its elements move the position at once, or, if the trace unit speculates,
 * when the trace unit commits them (spec_queue.h).
 */
static void packet(struct cs_flow *f, struct cs_packet *pkt, size_t at)
{
	if (pkt->v7) {
		f->synced = true;
		cs_history_add(&f->history, pkt);
		v7_execute(&f->walk, pkt);
		return;
	}
	switch (pkt->type) {
	case CS_ASYNC:
	case CS_IGNORE:
	case CS_TIMESTAMP_MARKER:
		return;
	case CS_OVERFLOW:
		discard(f, CS_GAP_OVERFLOW);
		return;
	case CS_DISCARD:
		discard(f, CS_GAP_DISCARD);
		return;
	case CS_TRACE_INFO:
		on_trace_info(f, pkt);
		break;
	}
	cs_history_add(&f->history, pkt);
	process(f, pkt, at);
}

/* Ignores packets until a trace info packet follows an A-sync. If another one follows it, decodable trace is lost. */
static size_t unsynced(struct cs_flow *f, size_t at, size_t to)
{
	struct cs_packet pkt;
	int size;

	at = cs_packet_sync(f->stream->data, at, to, &f->config);
	while (at < to && !f->synced) {
		size = cs_packet_read(&pkt, f->stream->data + at, to - at, &f->config);
		f->walk.point.offset = at;
		if (size == -ENODATA)
			return to;
		if (pkt.v7 && size > 0 && pkt.type != V7_ISYNC)
			cs_history_add(&f->history, &pkt);
		if (size < 0 || cs_is_p0(&pkt, &f->config))
			cs_walk_gap(&f->walk, CS_GAP_BAD_PACKET);
		if (size < 0)
			return at + pkt.size;
		at += (size_t)size;
		if (pkt.type == CS_TRACE_INFO || pkt.type == V7_ISYNC)
			packet(f, &pkt, at - (size_t)size);
	}
	return at;
}

/* Handles a sequence of atom packets, which are most of a trace. */
static size_t atoms(struct cs_flow *f, size_t at, size_t to)
{
	const uint8_t *data = f->stream->data;

	to = MIN(to, at + RUN_OF_ATOMS);
	for (; at < to && cs_atoms[data[at]].atoms; at++) {
		f->walk.point.offset = at;
		cs_walk_atoms(&f->walk, cs_atoms[data[at]].taken, cs_atoms[data[at]].atoms);
	}
	return at;
}

/*
 * Handles exact matches and short addresses of A64 and A32, which are a fifth of all packets, faster than cs_packet_read() and
 * execute() would. No exception may wait for an address. Returns the packet's size; 0: it is another packet.
 */
static size_t no_flow_address(struct cs_flow *f, const uint8_t *p, size_t n)
{
	const struct cs_address *a;
	size_t size;

	if (n < 3)
		return 0;
	if (*p >= 0x90 && *p <= 0x92) {
		a = cs_history_match(&f->history, *p & 3);
		size = 1;
	} else if (*p == 0x95) {
		bool more = p[1] & 0x80;

		a = cs_history_short(&f->history, (p[1] & 0x7fu) << 2 | (more ? p[2] << 9 : 0), more ? 17 : 9, 0);
		size = more ? 3 : 2;
	} else {
		return 0;
	}
	cs_walk_address(&f->walk, a->value, a->is);
	return size;
}

/* True if all @n bytes are zeros, with which buffers without frames are filled up. */
static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/* ---- After damage --------------------------------------------------------- */

/* The result of a trial: .gap: the trace does not fit the code; .end: it cannot be tried any further. */
struct trial { bool gap, end; };

static void on_trial_gap(void *ctx, struct cs_point *at, enum cs_gap why)
{
	struct trial *t = ctx;

	if (why == CS_GAP_NO_ADDRESS)
		t->end = true;	/* a return to a call from before the damage */
	else
		t->gap = true;
}

/*
 * After a gap, the number of P0 elements that are not committed yet is unknown. It is taken to be the largest number that the trace
 * unit can keep. So only committed elements are applied, though some of them later than necessary.
 */
static void restart_speculation(struct cs_flow *f)
{
	cs_spec_queue_reset(&f->spec_queue, f->config.max_spec);
	f->spec_queue.is_upper_bound = true;
	f->exception = false;
}

/* Tries the packets from @at on. Returns how many addresses came where the code needs one; 0: the trace does not fit the code. */
static unsigned count_matches(struct cs_flow *f, size_t at, size_t to, const struct trial *t)
{
	unsigned first = f->walk.nr_verified, right = 0;
	struct cs_packet pkt;
	int size;

	to = MIN(to, at + MOST_TRIED);
	for (; at < to && right < ENOUGH_ADDRESSES && !t->end; at += (size_t)size) {
		bool waits = !f->walk.at &&
			     (f->walk.position == CS_AFTER_INDIRECT || f->walk.position == CS_AT_RETURN || f->exception);

		size = cs_packet_read(&pkt, f->stream->data + at, to - at, &f->config);
		if (size < 0)
			return size == -ENODATA ? right : 0;
		if (pkt.type == CS_ASYNC || pkt.type == CS_TRACE_ON || pkt.type == CS_OVERFLOW || pkt.type == CS_DISCARD ||
		    (pkt.has_context && pkt.context_updated))
			return right;
		if (pkt.type == CS_TRACE_INFO)
			return 0;
		cs_history_add(&f->history, &pkt);
		process(f, &pkt, at);
		if (t->gap || !f->synced)
			return 0;
		right += waits && (pkt.type == CS_ADDRESS || pkt.type == CS_ADDRESS_MATCH);
		if (f->config.max_spec)
			right = f->walk.nr_verified - first;
	}
	return right;
}

/* True if the trace from @at on fits the code at the address in @pkt, the packet before @at. */
static bool fits(struct cs_flow *f, const struct cs_packet *pkt, size_t at, size_t to)
{
	static const struct cs_sink silent = { .gap = on_trial_gap };
	struct cs_flow before = *f;
	struct cs_spec_queue queue;
	struct trial t = {0};
	bool fit;

	f->walk.sink = &silent;
	f->walk.ctx = &t;
	f->walk.watched = false;
	f->walk.lost = false;
	f->walk.suspect = 0;
	f->walk.point.stop = UINT64_MAX;
	f->synced = true;
	restart_speculation(f);
	process(f, pkt, at);
	fit = !t.gap && count_matches(f, at, to, &t) >= ENOUGH_ADDRESSES;
	queue = f->spec_queue;	/* empty before and after */
	*f = before;
	f->spec_queue = queue;
	cs_spec_queue_reset(&f->spec_queue, 0);
	return fit;
}

/* After damage at @at: goes on at the first address with which the trace fits the code, or else at the next A-sync. */
static size_t resync(struct cs_flow *f, size_t at, size_t to)
{
	size_t end = cs_packet_sync(f->stream->data, at, to, &f->config), from = at;
	struct cs_packet pkt;
	int size;

	if (f->config.v7 || !f->walk.has_context)
		return at;
	for (unsigned left = MOST_TRIALS; left && at < end; at += (size_t)size) {
		size = cs_packet_read(&pkt, f->stream->data + at, end - at, &f->config);
		if (size < 0) {
			size = 1;
			continue;
		}
		cs_history_add(&f->history, &pkt);
		if (pkt.type != CS_ADDRESS || pkt.has_context || !left--)
			continue;
		if (!fits(f, &pkt, at + (size_t)size, end))
			continue;
		f->walk.point.offset = at;
		f->synced = true;
		restart_speculation(f);
		process(f, &pkt, at);
		return at + (size_t)size;
	}
	return from;
}

static size_t synced(struct cs_flow *f, size_t at, size_t to)
{
	const uint8_t *data = f->stream->data;
	struct cs_packet pkt;
	size_t quick;
	int size;

	if (f->plain && !f->exception) {
		if (cs_atoms[data[at]].atoms)
			return atoms(f, at, to);
		f->walk.point.offset = at;
		quick = no_flow_address(f, data + at, to - at);
		if (quick)
			return at + quick;
	}
	f->walk.point.offset = at;
	size = cs_packet_read(&pkt, data + at, to - at, &f->config);
	if (size < 0 && all_zero(data + at, to - at))
		return to;
	if (size == -ENODATA) {
		lose_sync(f, CS_GAP_TRUNCATED_PACKET);
		return to;
	}
	if (size < 0 || (!f->config.max_spec && (resolves(&pkt) || pkt.type == CS_COMMIT))) {
		lose_sync(f, CS_GAP_BAD_PACKET);
		return resync(f, at + pkt.size, to);
	}
	packet(f, &pkt, at);
	at += (size_t)size;
	if (!f->synced && pkt.type != CS_OVERFLOW && pkt.type != CS_DISCARD)
		return resync(f, at, to);	/* more was committed or cancelled than there was */
	return at;
}

/* Clears the block cache before a hostile trace fills the memory with blocks. */
static void bound_cache(struct cs_flow *f)
{
	if (block_cache_nr(f->walk.cache) <= MOST_CACHED)
		return;
	cs_walk_detach(&f->walk);
	block_cache_clear(f->walk.cache);
}

/* Resets the state, because another thread may have decoded the piece before this one. */
static void forget(struct cs_flow *f)
{
	struct cs_point *p = &f->walk.point;

	*p = (struct cs_point){ .insns = p->insns, .stop = p->stop, .cycles = p->cycles };
	f->walk.has_context = false;
	f->history = (struct cs_history){ 0 };
	f->exception = f->synced = false;
	f->last_time = 0;
	f->walk.lost = false;
	cs_spec_queue_reset(&f->spec_queue, 0);
	cs_walk_restart_trusted(&f->walk);
}

/* Returns the number of uncommitted P0 elements at byte @at, where a piece ends: from the trace info there, or from the queue. */
static uint32_t depth_at(const struct cs_flow *f, size_t at)
{
	const struct cs_stream *s = f->stream;
	struct cs_packet pkt;
	int size;

	if (at < s->len && (size = cs_packet_read(&pkt, s->data + at, s->len - at, &f->config)) > 0 && pkt.type == CS_ASYNC &&
	    (at += (size_t)size) < s->len && cs_packet_read(&pkt, s->data + at, s->len - at, &f->config) > 0 &&
	    pkt.type == CS_TRACE_INFO)
		return pkt.count;
	return f->spec_queue.nr_p0;
}

/* Decodes bytes [from, to) of the stream, in which the formatter was not reset. */
static void section(struct cs_flow *f, size_t from, size_t to)
{
	size_t at = from;

	forget(f);
	f->walk.point.offset = from;
	if (cs_packet_sync(f->stream->data, from, MIN(to, from + 32), &f->config) != from)
		cs_walk_report_gap(&f->walk, CS_GAP_NO_SYNC);
	while (at < to) {
		at = f->synced ? synced(f, at, to) : unsynced(f, at, to);
		bound_cache(f);
	}
	if (f->synced && f->spec_queue.is_upper_bound)
		set_depth(f, depth_at(f, to));
	cs_walk_settle(&f->walk);
	drain(f);
	cs_walk_trust(&f->walk);
}

/* Finds, after the end of the piece, the address that its last branch or exception needs. */
static bool next_address(struct cs_flow *f, size_t *at)
{
	struct cs_packet pkt;
	int size;

	while ((size = cs_packet_read(&pkt, f->stream->data + *at, f->stream->len - *at, &f->config)) > 0) {
		*at += (size_t)size;
		cs_history_add(&f->history, &pkt);
		if (pkt.type == CS_ADDRESS || pkt.type == CS_ADDRESS_MATCH) {
			execute(f, &pkt);
			return true;
		}
		if (pkt.type == CS_TRACE_ON || cs_is_p0(&pkt, &f->config))
			return false;
	}
	return false;
}

static void finish(struct cs_flow *f, size_t to)
{
	if (!f->synced || f->spec_queue.nr_p0)
		return;
	if (f->exception && !next_address(f, &to))
		return;
	if (f->walk.branch.waits && f->walk.watched)
		next_address(f, &to);
}

void cs_flow_run(struct cs_flow *f, const struct cs_stream *s, size_t from, size_t to)
{
	f->stream = s;
	vec_for(at, &s->breaks) {
		if (*at <= from || *at >= to)
			continue;
		section(f, from, *at);
		from = *at;
	}
	if (from < to) {
		section(f, from, to);
		finish(f, to);
	}
	cs_walk_detach(&f->walk);
}

/* --- Pieces ---------------------------------------------------------------- */

/* True if an address and a context follow @at before any instruction: decoding from @at on does not know earlier ones. */
static bool gives_position(const struct cs_stream *s, const struct cs_config *c, size_t at)
{
	bool address = false, context = false;
	struct cs_packet pkt;
	int size;

	while ((size = cs_packet_read(&pkt, s->data + at, s->len - at, c)) > 0) {
		if (cs_is_p0(&pkt, c) || pkt.type == CS_ASYNC)
			return false;
		address = address || pkt.type == CS_ADDRESS;
		context = context || pkt.context_updated;
		if (address && context)
			return true;
		at += (size_t)size;
	}
	return false;
}

/* True if decoding can begin at the A-sync at @at, without earlier trace and without uncommitted elements. */
static bool is_start(const struct cs_stream *s, const struct cs_config *c, size_t at)
{
	struct cs_packet pkt;
	int size = cs_packet_read(&pkt, s->data + at, s->len - at, c);

	if (size < 0 || c->v7)
		return false;	/* ARMv7 never repeats the whole timestamp */
	at += (size_t)size;
	size = cs_packet_read(&pkt, s->data + at, s->len - at, c);
	return size > 0 && pkt.type == CS_TRACE_INFO && !pkt.count && gives_position(s, c, at + (size_t)size);
}

void cs_stream_pieces(struct cs_pieces *out, const struct cs_stream *s, const struct cs_config *c, size_t size)
{
	size_t from = 0, at = 0;

	while (from < s->len) {
		at = cs_packet_sync(s->data, MAX(at + 1, from + MIN(size, s->len - from)), s->len, c);
		if (at < s->len && !is_start(s, c, at))
			continue;
		vec_push(&out->list, (struct cs_piece){ from, at });
		from = at;
	}
}
