/*
 * Synthesizes samples for --itrace=q from the addresses in Intel PT packets alone. It does not read the program's code, and so
 * does not find the path between these addresses. --itrace=qq uses only the addresses in PSB+.
 */
#include "auxtrace/intel_pt/sampler.h"

#include "core/arch.h"

struct no_flow {
	struct pt_worker *w;
	struct pt_state state;
	struct pt_ip last_ip;
	unsigned item_size;	/* bytes of a value in BIP packets; 0: not in a block */
	bool in_psb, has_fup, waits;	/* .waits: a packet waits for the next FUP, which has no TIP then */
	bool ends_block;		/* a BEP packet waits for the next FUP */
	bool new_mode;			/* after a MODE.Exec packet: if a FUP is next, it has no TIP either */
	bool lost;			/* after an overflow: the next FUP has the address where tracing goes on */
	uint64_t fup;
};

static void emit_place(struct no_flow *f, uint64_t ip, uint32_t flags)
{
	struct pt_worker *w = f->w;

	if (!w->stage->instructions || !w->aux.sink || !ip)
		return;
	pt_start_sample(w, &f->state, w->stage->instructions, ip);
	w->aux.sample.flags = flags;
	pt_give(w);
}

static void emit_branch(struct no_flow *f, struct pt_branch b)
{
	pt_on_branch(f->w, &f->state, &b);
}

/* Handles the TIP or TIP.PGD after a FUP: an asynchronous branch from the FUP's address to @ip. */
static void end_fup(struct no_flow *f, uint64_t ip)
{
	struct pt_branch b = { .from = f->fup, .to = ip, .kind = INSN_OTHER, .taken = true, .async = true, .end = !ip };

	f->has_fup = false;
	emit_place(f, f->fup, SYNTH_BRANCH | SYNTH_ASYNC | (ip ? SYNTH_CALL | SYNTH_INTERRUPT : SYNTH_END));
	emit_branch(f, b);
	emit_place(f, ip, 0);
}

static void begin_at(struct no_flow *f, uint64_t ip)
{
	pt_update_task(f->w, &f->state);
	f->lost = false;
	f->state.enabled = true;
	emit_branch(f, (struct pt_branch){ .to = ip, .kind = INSN_OTHER, .taken = true, .begin = true });
}

static void on_fup(struct no_flow *f, uint64_t ip)
{
	f->fup = ip;
	if (f->in_psb)
		return;
	f->has_fup = !f->waits && !f->new_mode && f->state.enabled;
	if (f->lost)
		begin_at(f, ip);
	if (f->ends_block)
		pt_on_pebs(f->w, &f->state, &(struct pt_packet){ .type = PT_BEP }, ip);
	if (!f->has_fup)
		emit_place(f, ip, 0);
	f->waits = f->ends_block = f->new_mode = false;
}

static void on_address(struct no_flow *f, const struct pt_packet *p)
{
	uint64_t ip = 0;

	if (pt_ip_update(&f->last_ip, p, &ip) <= 0)
		ip = 0;
	f->state.tsc = f->state.time.tsc;
	if (p->type == PT_FUP) {
		on_fup(f, ip);
	} else if (f->has_fup) {
		end_fup(f, p->type == PT_TIP_PGD ? 0 : ip);
	} else if (p->type == PT_TIP) {
		emit_place(f, ip, 0);
	} else if (p->type == PT_TIP_PGE) {
		begin_at(f, ip);
		emit_place(f, ip, 0);
	} else if (ip) {
		emit_branch(f, (struct pt_branch){ .to = ip, .kind = INSN_OTHER, .taken = true, .end = true });
	}
	if (p->type != PT_FUP)
		f->new_mode = false;
	if (p->type == PT_TIP_PGE || p->type == PT_TIP_PGD)
		f->state.enabled = p->type == PT_TIP_PGE;
}

static void on_psb(struct no_flow *f)
{
	f->in_psb = true;
	f->lost = f->new_mode = false;
	f->fup = 0;
	f->has_fup = f->waits = f->ends_block = false;
	f->item_size = 0;
	f->last_ip = (struct pt_ip){ .known = true };
	pt_time_resync(&f->state.time);
}

static void on_psb_end(struct no_flow *f)
{
	if (!f->in_psb)
		return;
	f->in_psb = false;
	f->state.enabled = f->fup;
	f->state.tsc = f->state.time.tsc;
	pt_update_task(f->w, &f->state);
	emit_place(f, f->fup, 0);
}

static void on_overflow(struct no_flow *f)
{
	f->has_fup = f->waits = f->ends_block = f->in_psb = false;
	f->state.enabled = f->new_mode = false;
	f->lost = true;
	f->item_size = 0;
}

static void on_block(struct no_flow *f, const struct pt_packet *p)
{
	struct pt_packet packet = *p;

	if (p->type == PT_BBP) {
		packet.flag = !f->item_size;
		f->item_size = p->count;
	} else if (p->type == PT_BEP) {
		f->item_size = 0;
		f->waits = f->ends_block = p->flag;
	}
	f->state.tsc = f->state.time.tsc;
	if (!f->ends_block)
		pt_on_pebs(f->w, &f->state, &packet, 0);
}

static void on_packet(struct no_flow *f, const struct pt_packet *p)
{
	switch (p->type) {
	case PT_TSC: case PT_TMA: case PT_MTC: case PT_CYC: case PT_CBR: pt_time_packet(&f->state.time, p); break;
	case PT_TIP: case PT_TIP_PGE: case PT_TIP_PGD: case PT_FUP: on_address(f, p); break;
	case PT_PSB: on_psb(f); break;
	case PT_PSBEND: on_psb_end(f); break;
	case PT_BBP: case PT_BIP: case PT_BEP: on_block(f, p); break;
	case PT_MODE_TSX: f->waits |= !f->in_psb && !(p->value & 2); break;
	case PT_MODE_EXEC: f->new_mode = !f->in_psb; break;
	case PT_MWAIT: f->waits = true; break;
	case PT_PTW: case PT_EXSTOP: case PT_CFE: case PT_TRIG: f->waits |= p->flag; break;
	case PT_OVF: on_overflow(f); break;
	}
}

void pt_decode_no_flow(struct pt_worker *w, size_t size, size_t to)
{
	struct no_flow f = { .w = w, .state = { .mode = 64 } };
	struct pt_packet p;
	size_t at = pt_find_psb(w->data, size, 0);
	bool leap = w->stage->aux.opts.quick > 1;

	pt_time_init(&f.state.time, &w->stage->flow.time);
	while (at < to || (f.in_psb && at < size)) {
		int n = pt_packet_read(&p, w->data + at, size - at, f.item_size);

		f.state.offset = at;
		if (n < 0 || (leap && !f.in_psb && p.type != PT_PSB)) {
			at = pt_find_psb(w->data, size, at + 1);
			continue;
		}
		on_packet(&f, &p);
		at += (size_t)n;
	}
}
