/*
 * Keeps the position of the Intel PT decoder in the program's code, which walk.c moves. Also calls the callbacks of sink.h at
 * gaps in the trace, and when the processor's interrupt flag changes.
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
	[PT_GAP_TIME] = "time runs backwards",
};

const char *pt_gap_text(enum pt_gap_reason reason)
{
	return gap_texts[reason];
}

/* Notes when and why the position was lost, for place_found(). */
static void lose(struct pt_flow *f, uint8_t reason)
{
	if (f->lost.open)
		return;
	f->lost.open = true;
	f->lost.reason = reason;
	f->lost.since = f->state.time.tsc;
}

static void report_gap(struct pt_flow *f, const struct pt_gap *gap)
{
	if (f->path.on)
		path_add_event(&f->path, PATH_GAP, &f->state, gap, false);
	else if (f->config.sink->gap && !f->path.given_up)
		f->config.sink->gap(f->config.ctx, &f->state, gap);
}

static struct pt_gap gap_here(const struct pt_flow *f, enum pt_gap_reason reason)
{
	return (struct pt_gap){ .reason = reason, .ip = f->state.ip, .offset = f->state.offset };
}

/* As gap_here(). If the position is unverified, or with @unsure, .unsure counts the instructions that may be wrong. */
static struct pt_gap gap_that_ends(struct pt_flow *f, enum pt_gap_reason reason, bool unsure)
{
	struct pt_gap gap = gap_here(f, reason);

	if (unsure)
		gap.unsure = f->state.insns - f->psb_at;
	else if (f->unverified.left)
		gap.unsure = f->state.insns - f->unverified.since;
	f->unverified.left = 0;
	return gap;
}

void place_report_gap(struct pt_flow *f, enum pt_gap_reason reason)
{
	struct pt_gap gap = gap_that_ends(f, reason, false);

	lose(f, reason);
	report_gap(f, &gap);
}

void place_report_unverified(struct pt_flow *f, enum pt_gap_reason reason)
{
	struct pt_gap gap = gap_here(f, reason);

	gap.unsure = f->state.insns - f->psb_at;
	report_gap(f, &gap);
	place_mark_unverified(f, reason);
}

void place_mark_unverified(struct pt_flow *f, enum pt_gap_reason reason)
{
	if (!f->unverified.left)
		f->unverified.since = f->state.insns;
	f->unverified.left = AGREEING;
	f->unverified.reason = reason;
}

void place_end_unverified(struct pt_flow *f)
{
	struct pt_gap gap = gap_here(f, f->unverified.reason);

	gap.unsure = f->state.insns - f->unverified.since;
	gap.only_unsure = true;
	f->unverified.left = 0;
	if (gap.unsure)
		report_gap(f, &gap);
}

void place_found(struct pt_flow *f)
{
	uint64_t now = f->state.time.tsc;

	if (f->lost.open && f->lost.since && now > f->lost.since)
		f->lost.ticks[f->lost.reason] += now - f->lost.since;
	f->lost.open = false;
}

void place_new_time(struct pt_flow *f, bool by_branch)
{
	f->state.tsc = f->state.time.tsc;
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

void place_gap(struct pt_flow *f, enum pt_gap_reason reason, bool unsure)
{
	struct pt_gap gap = gap_that_ends(f, reason, unsure);

	lose(f, reason);
	report_gap(f, &gap);
	place_set(f, 0);
	place_forget(f);
	f->calls_lost = true;
}

void place_lose_sync(struct pt_flow *f, enum pt_gap_reason reason)
{
	if (!f->in_psb_lookahead)
		place_gap(f, reason, true);
	place_set(f, 0);
	place_forget(f);
	f->sync_lost = f->calls_lost = true;
	f->in_psb = f->overflow = f->have_fup = f->fup_abort = false;
	f->nr_pending = 0;
	f->next_mode = 0;
	f->item_size = 0;
}

void place_restart(struct pt_flow *f)
{
	uint64_t insns = f->state.insns;
	uint32_t space = f->config.sink->space ? PT_NO_SPACE : 0;

	f->state = (struct pt_state){ .insns = insns, .mode = 64, .interrupts = true, .space = space };
	pt_time_init(&f->state.time, &f->config.time);
	f->sb = NULL;
	place_forget(f);
	f->last_ip = (struct pt_ip){ 0 };
	f->nr_pending = 0;
	f->shown_ip = 0;
	f->inconsistent = 0;
	f->no_branches = f->config.no_branches;
	f->fup_abort = f->overflow = f->synced = f->sync_lost = false;
	f->unverified.left = 0;
	place_verified_by_psb(f);
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
	if (f->state.toggles && f->config.sink->interrupts && !f->in_psb_lookahead)
		f->config.sink->interrupts(f->config.ctx, &f->state, from, to);
}
