/*
 * The place in the code, and what is told of it: that it is lost and found, when it is, in which space, whether the interrupt
 * flag changes there.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/flow_impl.h"

static const char *const gap_texts[] = {
	[PT_GAP_OVERFLOW] = "trace buffer overflow in hardware",
	[PT_GAP_PACKET] = "unknown packet",
	[PT_GAP_TRUNCATED] = "trace ends inside a packet",
	[PT_GAP_NO_CODE] = "no code at this address",
	[PT_GAP_BAD_INSN] = "no instruction at this address",
	[PT_GAP_NO_IP] = "packet without an address",
	[PT_GAP_DESYNC] = "trace does not fit the code",
	[PT_GAP_LOOP] = "endless loop in the code",
	[PT_GAP_RETURN] = "compressed return without a call",
	[PT_GAP_ORDER] = "packet out of place",
};

const char *pt_gap_text(enum pt_gap_reason reason)
{
	return gap_texts[reason];
}

void place_report_gap(struct pt_flow *f, enum pt_gap_reason reason)
{
	struct pt_gap gap = { .reason = reason, .ip = f->state.ip, .offset = f->state.offset };

	f->trial.gap = reason + 1;
	if (!f->lost.open) {
		f->lost.open = true;
		f->lost.reason = reason;
		f->lost.since = f->state.time.tsc;
	}
	if (f->path.on)
		path_add_event(&f->path, PATH_GAP, &f->state, &gap, false);
	else if (f->config.sink->gap && !f->path.given_up)
		f->config.sink->gap(f->config.ctx, &f->state, &gap);
}

void place_found(struct pt_flow *f)
{
	if (f->lost.open && f->lost.since)
		f->lost.ticks[f->lost.reason] += f->state.time.tsc - f->lost.since;
	f->lost.open = false;
}

void place_new_time(struct pt_flow *f, bool by_branch)
{
	f->state.tsc = f->state.time.tsc;
	f->state.timed_insns = f->state.insns;
	if (f->path.on)
		path_add_event(&f->path, PATH_STATE, &f->state, NULL, by_branch);
}

void place_set(struct pt_flow *f, uint64_t ip)
{
	f->state.ip = ip;
	f->sb = NULL;
	if (f->lost.open && ip)
		place_found(f);
}

void place_forget(struct pt_flow *f)
{
	f->nr_bits = 0;
	f->nr_calls = 0;
}

void place_gap(struct pt_flow *f, enum pt_gap_reason reason)
{
	place_report_gap(f, reason);
	place_set(f, 0);
	place_forget(f);
}

void place_doubt(struct pt_flow *f, enum pt_gap_reason reason)
{
	if (!f->ahead)
		place_report_gap(f, reason);
	place_set(f, 0);
	place_forget(f);
	f->doubt = true;
	f->doubt_psb = f->in_psb && f->psb_has_ip;
	f->in_psb = f->overflow = f->have_fup = f->fup_abort = false;
	f->nr_pending = 0;
	f->next_mode = 0;
	f->item_size = 0;
}

void place_ask_space(struct pt_flow *f)
{
	if (!f->config.sink->space)
		return;
	f->state.space = f->config.sink->space(f->config.ctx, &f->state);
	if (f->path.on)
		path_add_event(&f->path, PATH_SPACE, &f->state, NULL, false);
}

void place_toggle(struct pt_flow *f, uint64_t from, uint64_t to)
{
	f->state.toggles = f->next_mode && f->next_interrupts != f->state.interrupts;
	if (f->state.toggles && f->config.sink->interrupts && !f->ahead)
		f->config.sink->interrupts(f->config.ctx, &f->state, from, to);
}
