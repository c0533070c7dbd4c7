/*
 * --itrace=q: samples of the addresses that packets have, and nothing in between: no code is read, no path followed. With
 * qq only those of PSBs.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/sampler.h"

#include "core/arch.h"

struct no_flow {
	struct sampler *w;
	struct pt_state state;
	struct pt_ip last_ip;
	unsigned item_size;	/* of BIP packets; 0: not in a block */
	bool in_psb, has_fup, waits;	/* waits: a packet before the FUP belongs to it, so no TIP will follow */
	bool ends_block;		/* and it is a BEP */
	bool new_mode;			/* the packet before it is a MODE.Exec: neither, if a FUP is next */
	bool lost;			/* by an overflow */
	uint64_t fup;
};

static void emit_place(struct no_flow *q, uint64_t ip, uint32_t flags)
{
	struct sampler *w = q->w;

	if (!w->stage->instructions || !w->aux.sink || !ip)
		return;
	pt_start_sample(w, &q->state, w->stage->instructions, ip);
	w->aux.sample.flags = flags;
	pt_give(w);
}

static void emit_branch(struct no_flow *q, struct pt_branch b)
{
	pt_on_branch(q->w, &q->state, &b);
}

/* The TIP or TIP.PGD after a FUP: something happened at the FUP's address. */
static void end_fup(struct no_flow *q, uint64_t ip)
{
	struct pt_branch b = { .from = q->fup, .to = ip, .kind = INSN_OTHER, .taken = true, .async = true, .end = !ip };

	q->has_fup = false;
	emit_place(q, q->fup, SYNTH_BRANCH | SYNTH_ASYNC | (ip ? SYNTH_CALL | SYNTH_INTERRUPT : SYNTH_END));
	emit_branch(q, b);
	emit_place(q, ip, 0);
}

static void begin_at(struct no_flow *q, uint64_t ip)
{
	pt_update_task(q->w, &q->state);
	q->lost = false;
	q->state.enabled = true;
	emit_branch(q, (struct pt_branch){ .to = ip, .kind = INSN_OTHER, .taken = true, .begin = true });
}

static void on_fup(struct no_flow *q, uint64_t ip)
{
	q->fup = ip;
	if (q->in_psb)
		return;
	q->has_fup = !q->waits && !q->new_mode && q->state.enabled;
	if (q->lost)
		begin_at(q, ip);
	if (q->ends_block)
		pt_on_pebs(q->w, &q->state, &(struct pt_packet){ .type = PT_BEP }, ip);
	if (!q->has_fup)
		emit_place(q, ip, 0);
	q->waits = q->ends_block = q->new_mode = false;
}

static void on_address(struct no_flow *q, const struct pt_packet *p)
{
	uint64_t ip = 0;

	if (pt_ip_update(&q->last_ip, p, &ip) <= 0)
		ip = 0;
	q->state.tsc = q->state.time.tsc;
	if (p->type == PT_FUP) {
		on_fup(q, ip);
	} else if (q->has_fup) {
		end_fup(q, p->type == PT_TIP_PGD ? 0 : ip);
	} else if (p->type == PT_TIP) {
		emit_place(q, ip, 0);
	} else if (p->type == PT_TIP_PGE) {
		begin_at(q, ip);
		emit_place(q, ip, 0);
	} else if (ip) {
		emit_branch(q, (struct pt_branch){ .to = ip, .kind = INSN_OTHER, .taken = true, .end = true });
	}
	if (p->type != PT_FUP)
		q->new_mode = false;
	if (p->type == PT_TIP_PGE || p->type == PT_TIP_PGD)
		q->state.enabled = p->type == PT_TIP_PGE;
}

static void on_psb(struct no_flow *q)
{
	q->in_psb = true;
	q->lost = q->new_mode = false;
	q->fup = 0;
	q->has_fup = q->waits = q->ends_block = false;
	q->item_size = 0;
	q->last_ip = (struct pt_ip){ .known = true };
	pt_time_resync(&q->state.time);
}

static void on_psb_end(struct no_flow *q)
{
	if (!q->in_psb)
		return;
	q->in_psb = false;
	q->state.enabled = q->fup;
	q->state.tsc = q->state.time.tsc;
	pt_update_task(q->w, &q->state);
	emit_place(q, q->fup, 0);
}

static void on_overflow(struct no_flow *q)
{
	q->has_fup = q->waits = q->ends_block = q->in_psb = false;
	q->state.enabled = q->new_mode = false;
	q->lost = true;
	q->item_size = 0;
}

static void on_block(struct no_flow *q, const struct pt_packet *p)
{
	struct pt_packet packet = *p;

	if (p->type == PT_BBP) {
		packet.flag = !q->item_size;
		q->item_size = p->count;
	} else if (p->type == PT_BEP) {
		q->item_size = 0;
		q->waits = q->ends_block = p->flag;
	}
	q->state.tsc = q->state.time.tsc;
	if (!q->ends_block)
		pt_on_pebs(q->w, &q->state, &packet, 0);
}

static void on_packet(struct no_flow *q, const struct pt_packet *p)
{
	switch (p->type) {
	case PT_TSC: case PT_TMA: case PT_MTC: case PT_CYC: case PT_CBR: pt_time_packet(&q->state.time, p); break;
	case PT_TIP: case PT_TIP_PGE: case PT_TIP_PGD: case PT_FUP: on_address(q, p); break;
	case PT_PSB: on_psb(q); break;
	case PT_PSBEND: on_psb_end(q); break;
	case PT_BBP: case PT_BIP: case PT_BEP: on_block(q, p); break;
	case PT_MODE_TSX: q->waits |= !q->in_psb && !(p->value & 2); break;
	case PT_MODE_EXEC: q->new_mode = !q->in_psb; break;
	case PT_MWAIT: q->waits = true; break;
	case PT_PTW: case PT_EXSTOP: case PT_CFE: case PT_TRIG: q->waits |= p->flag; break;
	case PT_OVF: on_overflow(q); break;
	}
}

void pt_decode_no_flow(struct sampler *w, size_t size, size_t to)
{
	struct no_flow q = { .w = w, .state = { .mode = 64 } };
	struct pt_packet p;
	size_t at = pt_find_psb(w->data, size, 0);
	bool leap = w->stage->aux.opts.quick > 1;

	pt_time_init(&q.state.time, &w->stage->flow.time);
	while (at < to || (q.in_psb && at < size)) {
		int n = pt_packet_read(&p, w->data + at, size - at, q.item_size);

		q.state.offset = at;
		if (n < 0 || (leap && !q.in_psb && p.type != PT_PSB)) {
			at = pt_find_psb(w->data, size, at + 1);
			continue;
		}
		on_packet(&q, &p);
		at += (size_t)n;
	}
}
