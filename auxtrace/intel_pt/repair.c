/*
 * Finds the damaged byte. A wrong byte of a trace shows some packets later, when no path of the code goes on. Hypotheses are
 * tried: each byte of the packets before replaced by any other, removed, or with one inserted before it. Each hypothesis is
 * decoded from there, until the code contradicts it. Several may fit for long: once all of them have come to the same place,
 * with the same calls to return from, the program was there, whichever is true, and the flow goes on from there. The way
 * there is not reported: that is the gap.
 * Layer: auxtrace
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/intel_pt/flow_impl.h"
#include "core/base/hash.h"
#include "core/base/util.h"

#define WINDOW		48	/* bytes before the packet that does not fit in which the damage may be */
#define HORIZON		2048	/* bytes from there on with which a hypothesis must fit, */
#define REPAIR_BITS		40	/* or with so much evidence, in bits: there are some 30,000 hypotheses */
#define MOST_CYCLES	(1u << 20)	/* between two CYC packets */
#define MOST_TICKS	(1ull << 34)	/* to the next TSC packet: some seconds */
#define PSB_AHEAD	128	/* bytes of the next PSB+, whose address must fit, too */
#define MARGIN		24	/* bytes more on either side that are not believed: the damage may be more than a byte */
#define NEAR		256	/* bytes: farther away the search may be before */
#define WORTH		64	/* bytes to the next PSB: less is not worth it */
#define REPAIR_IN_VAIN	8	/* a repair in vain counts as so many of MAX_REPAIRS */
#define ROOM		(WINDOW + 64 + HORIZON)

/* Callers that are compared: the innermost so many. */
enum { LEVELS = 4 };
static const unsigned depths[LEVELS] = { 2, 4, 8, RETURN_DEPTH };

struct place {
	uint64_t hash;			/* of all that counts for what comes, but for the calls; 0: nothing is noted */
	uint32_t calls[LEVELS];		/* hashes of the innermost */
	unsigned top, low;		/* calls here, and the fewest from here on as far as it was followed */
};

enum damage { CHANGED, MISSING, ADDED };

/* Byte @at of the trace should have been @value, or should have been there before it, or should not be there. */
struct hypothesis {
	enum damage what;
	size_t at;
	uint8_t value;
};

struct repair {
	struct pt_flow *f;
	const uint8_t *data;
	size_t size, at, psb;		/* the packet that did not fit, and the next PSB */
	size_t from;			/* the first byte that may be damaged: .places[0] */
	size_t packet;			/* the one that is damaged */
	uint64_t insns[2 * MARGIN];	/* before the last packets, by their offset: a ring; 0: there was none */
	uint64_t types;			/* enum pt_type of packets that the trace has, as bits */
	uint8_t type_before, last_type;	/* of the packet before it, and before the one at work */
	struct pt_flow before;		/* as the flow is there */
	uint8_t bytes[ROOM + 2];	/* from there on, with the damage undone */
	size_t nr_bytes;		/* without it */
	/* The hypotheses that fit. */
	unsigned nr;
	struct hypothesis first;
	struct pt_flow first_before;
	size_t first_packet;
	uint64_t first_insns;		/* of the earliest of them, at the point where it leaves the reported path */
	struct place places[ROOM];	/* of the first, at each packet after the damage */
	struct place own[ROOM];		/* of the one at work */
	bool some_calls;		/* only those above .bottom agree, of the first's */
	unsigned bottom;
	size_t together;		/* from here on they agree */
	size_t behind;			/* the first packet after the damage, of the one at work */
};

/* Compares two .top, which may wrap around. */
static bool is_lower(unsigned a, unsigned b)
{
	return (int)(a - b) < 0;
}

/* Stores the place of the flow; @out is not zero. */
static void note_place(struct place *out, const struct pt_flow *f)
{
	uint64_t h = hash_pair(f->state.ip, f->bits);

	h = hash_pair(h, f->last_ip.last);
	h = hash_pair(h, f->odd ^ (uint64_t)f->nr_bits << 40 ^ (uint64_t)f->nr_pending << 48 ^ (uint64_t)f->state.mode << 56);
	h = hash_pair(h, (f->have_fup ? f->fup_ip : 0) ^ (f->in_psb ? f->psb_ip : 0));
	h = hash_pair(h, f->state.enabled << 3 | f->overflow << 2 | f->deferred << 1 | f->fup_abort);
	out->hash = h ? h : 1;
	out->top = out->low = f->top;
	h = 0;
	for (unsigned i = 0, level = 0; level < LEVELS; level++) {
		for (; i < depths[level] && i < f->nr_calls; i++)
			h = hash_pair(h, (uintptr_t)f->calls[(f->top - 1 - i) % RETURN_DEPTH]);
		out->calls[level] = (uint32_t)h;
	}
}

/*
 * Undoes the damage in .bytes. Returns the offset of the packet in them; the bytes after the damage are at their offset from
 * .packet, plus 1.
 */
static size_t undo_damage(struct repair *r, const struct hypothesis *h)
{
	size_t head = h->at - r->packet, from = h->what == MISSING ? 0 : h->what == ADDED ? 2 : 1;

	memcpy(r->bytes + from, r->data + r->packet, head);
	if (h->what != ADDED)
		r->bytes[from + head] = h->value;
	return from;
}

/* The damage is back. */
static void restore_bytes(struct repair *r, const struct hypothesis *h)
{
	memcpy(r->bytes + 1, r->data + r->packet, MIN(h->at - r->packet + 1, r->nr_bytes));
}

static void forget_own(struct repair *r, size_t from, size_t to)
{
	if (to > from)
		memset(r->own + from, 0, (to - from) * sizeof(*r->own));
}

enum outcome { CONTRADICTED, JOINS, FITS };

/*
 * True if the flow, before the packet at @at, is at the place of the first hypothesis there. Else stores its place. If only
 * the innermost calls agree, the first must not have returned from them as far as it was followed.
 */
static bool joins(struct repair *r, size_t at)
{
	const struct place *first = &r->places[at - r->from];
	struct place *own = &r->own[at - r->from];
	unsigned level = LEVELS, bottom;

	note_place(own, r->f);
	if (!r->nr || first->hash != own->hash || first->calls[0] != own->calls[0])
		return false;
	while (first->calls[level - 1] != own->calls[level - 1])
		level--;
	if (level == LEVELS)
		return true;
	bottom = first->top - depths[level - 1];
	if (is_lower(first->low, bottom))
		return false;
	if (!r->some_calls || is_lower(r->bottom, bottom))
		r->bottom = bottom;
	r->some_calls = true;
	return true;
}

/* Keeps the places of the first hypothesis, with the fewest calls that it returned to from each packet on. */
static void keep_places(struct repair *r)
{
	unsigned low = r->f->top;

	memcpy(r->places, r->own, sizeof(r->places));
	for (size_t i = ROOM; i-- > 0; ) {
		struct place *p = &r->places[i];

		if (!p->hash)
			continue;
		if (is_lower(p->low, low))
			low = p->low;
		p->low = low;
	}
}

/*
 * True if the packet may be the damaged one. Some packets could hide many bytes that do not fit: those need values as
 * elsewhere in the trace, and a time that is near.
 */
static bool is_likely(const struct repair *r, const struct pt_packet *p)
{
	uint64_t now = r->f->state.time.tsc;

	if (!(r->types >> p->type & 1))
		return false;
	if (p->type == PT_CYC)
		return p->value < MOST_CYCLES && r->last_type != PT_CYC;
	return p->type != PT_TSC || !now || (p->value >= now && p->value - now < MOST_TICKS);
}

/* Takes the packet at @p, if it is possible here. Returns its size, 0: it is impossible. Adds its evidence to *evidence. */
static size_t take_packet(struct repair *r, const uint8_t *p, size_t n, bool damaged, unsigned *evidence)
{
	struct pt_flow *f = r->f;
	bool fup = f->have_fup, in_psb = f->in_psb;
	struct pt_packet packet;
	int size = pt_packet_read(&packet, p, n, f->item_size);

	if (size == -ERANGE || (size > 0 && packet.type == PT_OVF))
		return 0;	/* the end of what can be looked at */
	if (size > 0 && (!damaged || is_likely(r, &packet)))
		flow_take(f, &packet);
	else
		f->trial.gap = PT_GAP_PACKET + 1;
	if (f->trial.gap)
		return 0;
	r->last_type = packet.type;
	*evidence += trial_evidence(&packet, fup, in_psb);
	return (size_t)size;
}

/* Decode with hypothesis @h; *to: the packet where that ended. */
static enum outcome follow(struct repair *r, const struct hypothesis *h, size_t *to)
{
	size_t i = undo_damage(r, h), behind = h->at - r->packet + 1, end = r->nr_bytes + 1, size;
	size_t least = r->at - r->packet + 1;	/* so far it must come */
	unsigned evidence = 0;

	r->last_type = r->type_before;
	if (h->what != MISSING)
		behind++;
	r->behind = 0;
	for (; i < end; i += size) {
		if (i >= behind) {
			*to = r->packet + i - 1;
			r->behind = r->behind ? r->behind : *to;
			if (joins(r, *to))
				return JOINS;
		} else {
			evidence = 0;
		}
		r->f->low = r->f->top;
		size = take_packet(r, r->bytes + i, end - i, i < behind, &evidence);
		if (!size)
			break;
		if (i >= behind)
			r->own[*to - r->from].low = r->f->low;
	}
	return i > least && evidence >= REPAIR_BITS && !r->f->trial.gap ? FITS : CONTRADICTED;
}

/* Before the first packet that is no more than MARGIN bytes before @at; up to there all packets count. */
static uint64_t insns_before(const struct repair *r, size_t at)
{
	size_t i = at - MIN(at, MARGIN);

	while (i < at && !r->insns[i % (2 * MARGIN)])
		i++;
	return r->insns[i % (2 * MARGIN)];
}

/* Returns false: there is one too many that fits elsewhere. */
static bool try_one(struct repair *r, const struct hypothesis *h)
{
	size_t to = h->at + 1;
	enum outcome outcome = follow(r, h, &to);

	if (outcome == FITS && !r->nr) {
		keep_places(r);
		r->first = *h;
		r->first_before = r->before;
		r->first_packet = r->packet;
		r->first_insns = insns_before(r, r->packet);
	}
	if (outcome != CONTRADICTED) {
		r->together = MAX(r->together, outcome == JOINS ? to : r->behind);
		r->nr++;
	}
	forget_own(r, h->at - r->from, to + 1 - r->from);
	restore_bytes(r, h);
	trial_undo(r->f, &r->before);
	return outcome != FITS || r->nr == 1;
}

/* The byte at @at is damaged, or one is missing before it. */
static bool try_byte(struct repair *r, size_t at)
{
	struct hypothesis h = { .what = ADDED, .at = at };
	uint8_t is = r->data[at];

	if (!try_one(r, &h))
		return false;
	for (unsigned value = 0; value < 256; value++) {
		h.value = (uint8_t)value;
		h.what = CHANGED;
		if (value != is && !try_one(r, &h))
			return false;
		h.what = MISSING;
		if (value != is && !try_one(r, &h))
			return false;
	}
	return true;
}

/* The packet of @size bytes at @at, before which the flow is, is damaged. */
static bool try_packet(struct repair *r, size_t at, size_t size)
{
	r->packet = at;
	r->before = *r->f;
	r->nr_bytes = MIN(r->size - at, (size_t)ROOM - (at - r->from));
	memcpy(r->bytes + 1, r->data + at, r->nr_bytes);
	for (size_t i = 0; i < size; i++)
		if (!try_byte(r, at + i))
			return false;
	return true;
}

/* Which types of packets there are after the damage, as far as its wrong bytes let that be seen. */
static void learn_types(struct repair *r)
{
	struct pt_packet p;
	size_t at = r->at;
	int n;

	for (unsigned left = 64; left && at < r->size; left--, at += (size_t)n) {
		n = pt_packet_read(&p, r->data + at, r->size - at, r->f->item_size);
		if (n < 0)
			break;
		r->types |= 1ull << p.type;
	}
}

/* Decode up to where the damage was seen, and try all packets shortly before. Returns whether there is an answer. */
static bool try_all(struct repair *r, size_t at)
{
	struct pt_packet p = { .type = PT_PAD };
	int n;

	r->types = 1u << PT_TNT | 1u << PT_TIP;
	learn_types(r);
	for (; at <= r->at && !r->f->doubt; at += (size_t)n) {
		r->type_before = p.type;
		r->insns[at % (2 * MARGIN)] = r->f->state.insns + 1;
		n = pt_packet_read(&p, r->data + at, r->size - at, r->f->item_size);
		if (at >= r->from && !try_packet(r, at, n > 0 ? (size_t)n : 1))
			return false;
		if (n < 0)
			break;
		for (size_t i = 1; i < (size_t)n; i++)
			r->insns[(at + i) % (2 * MARGIN)] = 0;
		r->types |= 1ull << p.type;
		flow_take(r->f, &p);
	}
	return r->nr && r->together + MARGIN <= MIN(r->psb, r->at + NEAR);
}

/* Follow the first hypothesis that fits to where all agree. */
static void go_there(struct repair *r)
{
	size_t i, size;
	unsigned ignored = 0;

	trial_undo(r->f, &r->first_before);
	r->packet = r->first_packet;
	r->nr_bytes = MIN(r->size - r->packet, (size_t)ROOM - (r->packet - r->from));
	memcpy(r->bytes + 1, r->data + r->packet, r->nr_bytes);
	for (i = undo_damage(r, &r->first); r->packet + i - 1 < r->together + MARGIN; i += size) {
		size = take_packet(r, r->bytes + i, r->nr_bytes + 1 - i, false, &ignored);
		if (!size)
			break;
	}
	r->together = r->packet + i - 1;
	if (!r->some_calls)
		return;
	r->f->nr_calls = is_lower(r->f->top, r->bottom) ? 0 : MIN(r->f->nr_calls, r->f->top - r->bottom);
	r->f->calls_lost = true;
}

static bool repair(struct repair *r, uint64_t base)
{
	struct pt_flow *f = r->f, *found = &r->before, before;
	uint64_t insns = f->state.insns, unsure;
	bool done;

	trial_begin(f, &before);
	done = try_all(r, trial_go_back(f, base));
	unsure = f->state.insns + 1 - r->first_insns;
	if (done)
		go_there(r);
	*found = *f;
	trial_undo(f, &before);
	if (!done)
		return false;
	f->gap.unsure = MAX(f->gap.unsure, MIN(unsure, insns));
	place_settle(f);
	if (pt_time_is_after(&found->state.time, pt_psb_tsc(r->data + r->psb, r->size - r->psb)))
		found->state.time = f->state.time;	/* by a CYC packet that is none */
	place_take(f, found);
	place_found(f);
	place_ask_space(f);
	place_set(f, f->state.ip);
	place_found_by_cycles(f);
	place_proven(f, true);
	place_anchor_here(f, base + r->together);
	place_suspect(f, f->gap.reason);	/* more than a byte may be damaged */
	return true;
}

bool flow_repair(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, size_t psb, uint64_t base, size_t *next)
{
	struct repair *r;
	bool done;

	if (!f->anchor.known || f->anchor.offset < base || !f->repairs_left || f->no_branches ||
	    (psb < size && psb - at < WORTH))
		return false;
	r = xcalloc(1, sizeof(*r));
	r->f = f;
	r->data = data;
	r->size = MIN(size, psb + PSB_AHEAD);
	r->at = at;
	r->psb = psb;
	r->from = at - MIN(at, WINDOW);
	done = repair(r, base);
	*next = r->together;
	free(r);
	f->repairs_left -= MIN(done ? 1u : REPAIR_IN_VAIN, f->repairs_left);
	return done;
}
