/*
 * Finds the address at which an event packet of Intel PT, such as PTWRITE, applies: the current address, or that of the next FUP
 * packet. Then reports the event to the callback in sink.h.
 */
#include "auxtrace/intel_pt/flow_impl.h"

/* Types of CFE packets (SDM, "Event Trace"). */
enum { CFE_IRET = 2, CFE_RSM = 4, CFE_VMENTRY = 7, CFE_UIRET = 13, CFE_SWINTR = 14, CFE_SYSCALL = 15 };

void events_wait(struct pt_flow *f, const struct pt_packet *p)
{
	if (f->nr_pending < MAX_PENDING)
		f->pending[f->nr_pending++] = (struct pt_event){ .packet = *p };
}

void events_report(struct pt_flow *f, const struct pt_packet *p, uint64_t ip)
{
	struct pt_event e = { .packet = *p, .ip = ip };

	if (f->in_psb)
		events_wait(f, p);
	else if (f->config.sink->event && !f->in_psb_lookahead)
		f->config.sink->event(f->config.ctx, &f->state, &e);
}

/* True if the event of a CFE with a FUP is an instruction at the FUP's address, not an interrupt before it. */
static bool cfe_by_instruction(unsigned type)
{
	return type == CFE_IRET || type == CFE_RSM || type == CFE_VMENTRY || type == CFE_UIRET || type == CFE_SWINTR ||
	       type == CFE_SYSCALL;
}

bool events_happen(struct pt_flow *f, uint64_t ip)
{
	bool branches = false;

	for (unsigned i = 0; i < f->nr_pending; i++) {
		const struct pt_packet *p = &f->pending[i].packet;

		if (p->type == PT_MODE_TSX) {
			f->fup_abort = p->value & 2;
			branches |= f->fup_abort;
			f->state.in_tx = p->value & 1;
		} else if (p->type == PT_CFE) {
			branches |= !cfe_by_instruction(p->count);
		}
		events_report(f, p, ip);
	}
	if (f->nr_pending)
		place_keep_state(f);
	f->nr_pending = 0;
	return branches;
}

/* True if a packet of this type, with @bits set in its value, is pending. */
static bool waits(const struct pt_flow *f, uint8_t type, uint64_t bits)
{
	for (unsigned i = 0; i < f->nr_pending; i++)
		if (f->pending[i].packet.type == type && (f->pending[i].packet.value & bits) == bits)
			return true;
	return false;
}

bool events_abort(const struct pt_flow *f)
{
	return waits(f, PT_MODE_TSX, 2);
}

void events_lose(struct pt_flow *f)
{
	f->in_psb = false;
	for (unsigned i = 0; i < f->nr_pending; i++)
		if (f->pending[i].packet.type != PT_MODE_TSX)
			events_report(f, &f->pending[i].packet, 0);
	f->nr_pending = 0;
}

void events_ptwrite(struct pt_flow *f, const struct pt_packet *p)
{
	uint64_t ip = 0;

	if (p->flag) {
		events_wait(f, p);
		return;
	}
	if (f->state.enabled && f->state.ip && !f->nr_bits && !f->no_branches)
		ip = walk_ptwrite(f);
	events_report(f, p, ip ? ip : f->state.ip);
}

/* An MWAIT packet, and the power state that it led to, belong to the address of the next FUP (SDM, "MWAIT Packet"). */
void events_notice(struct pt_flow *f, const struct pt_packet *p)
{
	bool of_mwait = p->type == PT_MWAIT || ((p->type == PT_PWRE || p->type == PT_EXSTOP) && waits(f, PT_MWAIT, 0));

	if (p->flag || of_mwait)
		events_wait(f, p);
	else
		events_report(f, p, f->state.ip);
}

void events_block(struct pt_flow *f, const struct pt_packet *p)
{
	struct pt_packet begin = *p;

	begin.flag = !f->item_size;
	f->item_size = p->count;
	events_report(f, &begin, f->state.ip);
}
