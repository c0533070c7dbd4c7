/*
 * Finds the place again after damage. From the point of the contradiction the bytes are read packet by packet; one that has
 * an address is a candidate. It is tried: the flow goes on from there silently, and is restored afterwards. Agreement with
 * the code on the way is evidence, by its improbability; with enough of it the packet is right, and the flow goes on from it.
 * A PSB is right without a trial.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/flow_impl.h"

#define SEARCH_BITS		12	/* evidence, in bits: one in 4096 by chance */
#define WHOLE_ADDRESS	3	/* pt_packet.count; a shorter one has the rest from the address before it, which may be damaged */

/* A point at which the flow could go on. */
struct candidate {
	size_t at;			/* the packet after it, */
	uint64_t offset;		/* in the trace */
	const struct pt_packet *packet;	/* the packet with the address; NULL: it is that of a PSB+ */
	uint64_t last_ip;		/* the address before the packet, or that of the PSB+ */
};

static void accept(struct pt_flow *f, const struct candidate *c)
{
	place_set(f, 0);	/* the packet that did not fit may have had an address */
	f->last_ip = (struct pt_ip){ .last = c->last_ip, .known = true };
	place_ask_space(f);
	f->state.enabled = !c->packet || c->packet->type != PT_TIP_PGE;
	if (c->packet)
		flow_take(f, c->packet);
	else
		place_set(f, c->last_ip);
}

/* True if the trace after the candidate fits the code. */
static bool fits(struct pt_flow *f, const uint8_t *data, size_t size, const struct candidate *c)
{
	struct pt_flow before;
	bool fit;

	trial_begin(f, &before);
	accept(f, c);
	fit = !f->trial.gap && f->state.ip && trial_follow(f, data, size, c->at, SEARCH_BITS) >= (int)SEARCH_BITS;
	trial_undo(f, &before);
	return fit;
}

/* After a deferred TIP the order of the bits before it is unknown. */
static bool is_candidate(const struct pt_flow *f, const struct pt_packet *p)
{
	return p->count && (p->type == PT_TIP_PGE || p->type == PT_FUP || (p->type == PT_TIP && !f->deferred));
}

/* The time at a place. */
struct place_time {
	struct pt_time all;	/* from all packets on the way, */
	struct pt_time coarse;	/* and as all but CYC did */
};

/*
 * Bytes that are no packets may have changed the time, as CYC most easily: so it must not be after that of the next PSB+.
 * They may also have been parts of timing packets: the next TSC or MTC corrects the length of the gap.
 */
static void take_time(struct pt_flow *f, const uint8_t *data, size_t size, const struct place_time *t)
{
	uint64_t next = pt_psb_tsc(data + f->search_to, size - f->search_to);

	if (!pt_time_is_after(&t->all, next))
		f->state.time = t->all;
	else if (!pt_time_is_after(&t->coarse, next))
		f->state.time = t->coarse;
}

/* Go on there, if it fits, at the time @t; NULL: at the present one. */
static bool accept_if_right(struct pt_flow *f, const uint8_t *data, size_t size, const struct candidate *c,
			    const struct place_time *t)
{
	if (!f->trials_left)
		return false;
	f->trials_left--;
	if (!fits(f, data, size, c))
		return false;
	if (t)
		take_time(f, data, size, t);
	accept(f, c);
	place_found_by_cycles(f);
	place_proven(f, true);
	place_anchor_here(f, c->offset);
	if (c->packet && c->packet->count < WHOLE_ADDRESS)
		place_suspect(f, f->gap.reason);
	return true;
}

/* The end of what is searched. */
static size_t next_psb(struct pt_flow *f, const uint8_t *data, size_t size, size_t at)
{
	if (f->search_data != data || f->search_to < at) {
		f->search_data = data;
		f->search_to = pt_find_psb(data, size, at);
	}
	return f->search_to;
}

/*
 * The PSB+ with the contradiction had given the address. The bytes at @at may be its end, PSBEND_SIZE bytes, damaged; or that
 * is missing, in part or whole. Another of these may fit, too.
 */
static bool goes_on_behind_psb(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, size_t *next)
{
	for (size_t skip = PSBEND_SIZE + 1; skip-- > 0; ) {
		struct candidate c = { at + skip, f->gap.offset + skip, NULL, f->psb_ip };

		if (c.at > size)
			continue;
		*next = c.at;
		if (!accept_if_right(f, data, size, &c, NULL))
			continue;
		place_suspect(f, f->gap.reason);
		return true;
	}
	return false;
}

/* The search from packet to packet. */
struct search {
	size_t at;
	uint64_t last_ip;	/* as the packets on the way have it */
	uint64_t psb_ip;	/* of the last FUP, if there were no branches since; 0: not known */
	struct place_time time;
};

/* Takes packet @p if the flow can go on there; true if so. */
static bool try_packet(struct pt_flow *f, const uint8_t *data, size_t size, struct search *s, const struct pt_packet *p)
{
	struct candidate c = { s->at + p->size, f->state.offset + p->size, p, s->last_ip };

	if (p->type == PT_PSBEND && s->psb_ip)
		return accept_if_right(f, data, size, &(struct candidate){ c.at, c.offset, NULL, s->psb_ip }, &s->time);
	if (!is_candidate(f, p))
		return false;
	if (accept_if_right(f, data, size, &c, &s->time))
		return true;
	c.last_ip = f->last_ip.last;
	return c.last_ip != s->last_ip && accept_if_right(f, data, size, &c, &s->time);
}

/* Takes the data of a passed packet that later packets need. */
static void learn(struct search *s, const struct pt_packet *p)
{
	struct pt_ip ip = { .last = s->last_ip, .known = true };
	uint64_t to;

	pt_time_packet(&s->time.all, p);
	if (p->type != PT_CYC)
		pt_time_packet(&s->time.coarse, p);
	if (p->type == PT_TNT || p->type == PT_TIP || p->type == PT_TIP_PGD || p->type == PT_TIP_PGE)
		s->psb_ip = 0;
	if ((p->type != PT_FUP && p->type != PT_TIP && p->type != PT_TIP_PGE) || pt_ip_update(&ip, p, &to) <= 0)
		return;
	s->last_ip = to;
	if (p->type == PT_FUP)
		s->psb_ip = to;
}

size_t flow_search(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, uint64_t base)
{
	struct search s = { .at = at, .last_ip = f->last_ip.last, .time = { f->state.time, f->state.time } };
	size_t end = next_psb(f, data, size, at), next;
	struct pt_packet p;

	trial_look_back(f, at);
	place_ask_space(f);	/* trials do not: they read the code of the space that it is now */
	if (flow_repair(f, data, size, at, end, base, &next))
		return next;
	place_settle(f);
	if (f->doubt_psb && goes_on_behind_psb(f, data, size, at, &next))
		return next;
	for (; s.at < end && f->trials_left && !f->no_branches; s.at += p.size) {
		f->state.offset = base + s.at;
		if (pt_packet_read(&p, data + s.at, end - s.at, 0) < 0) {
			p.size = 1;
			s.time = (struct place_time){ f->state.time, f->state.time };
			s.psb_ip = 0;
		} else if (try_packet(f, data, size, &s, &p)) {
			return s.at + p.size;
		} else {
			learn(&s, &p);
		}
	}
	f->synced = end < size;
	return end;
}
