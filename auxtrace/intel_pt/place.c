/* The place in the code, and its reports: gaps, times, spaces, changes of the interrupt flag. Layer: auxtrace */
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

/* The place is lost, or at the end of what is known of it. */
static void lose(struct pt_flow *f, uint8_t reason)
{
	f->trial.gap = reason + 1;
	if (f->lost.open)
		return;
	f->lost.open = true;
	f->lost.reason = reason;
	f->lost.since = f->state.time.tsc;
}

static void tell_gap(struct pt_flow *f, const struct pt_gap *gap)
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

/* The instructions since the last PROOFS packets with addresses agreed with the code. */
static uint64_t unproven(const struct pt_flow *f)
{
	return f->state.insns - f->proofs[f->proof % PROOFS];
}

/* As gap_here(), and if the place is suspect or @unsure says how much may be wrong; then nothing is suspect any more. */
static struct pt_gap gap_that_ends(struct pt_flow *f, enum pt_gap_reason reason, bool unsure)
{
	struct pt_gap gap = gap_here(f, reason);

	if (unsure || f->suspect.left)
		gap.unsure = unproven(f);
	f->suspect.left = 0;
	return gap;
}

void place_report_gap(struct pt_flow *f, enum pt_gap_reason reason)
{
	struct pt_gap gap = gap_that_ends(f, reason, false);

	lose(f, reason);
	tell_gap(f, &gap);
}

void place_suspect(struct pt_flow *f, enum pt_gap_reason reason)
{
	uint64_t oldest = f->proofs[f->proof % PROOFS];

	for (unsigned i = 0; i < PROOFS; i++)
		f->proofs[i] = oldest;
	if (!f->suspect.left)
		f->suspect.since = f->state.insns;
	f->suspect.left = PROOFS;
	f->suspect.reason = reason;
}

void place_mistrust(struct pt_flow *f, enum pt_gap_reason reason)
{
	struct pt_gap gap = gap_here(f, reason);

	gap.unsure = unproven(f);
	f->trial.gap = reason + 1;
	tell_gap(f, &gap);
	place_suspect(f, reason);
}

void place_trust(struct pt_flow *f)
{
	struct pt_gap gap = gap_here(f, f->suspect.reason);

	gap.unsure = f->state.insns - f->suspect.since;
	gap.told = true;
	f->suspect.left = 0;
	if (gap.unsure)
		tell_gap(f, &gap);
}

void place_found(struct pt_flow *f)
{
	uint64_t now = f->state.time.tsc;

	if (f->lost.open) {
		f->lost.last = f->lost.since && now > f->lost.since ? now - f->lost.since : 0;
		f->lost.ticks[f->lost.reason] += f->lost.last;
	}
	f->lost.open = f->lost.by_cycles = false;
}

void place_found_by_cycles(struct pt_flow *f)
{
	f->lost.by_cycles = !f->lost.open && f->state.enabled && f->state.time.cyc_ref_tsc;
	f->lost.cycles = f->state.time.cycles;
}

void place_correct_lost(struct pt_flow *f, uint64_t before)
{
	const struct pt_time *t = &f->state.time;
	uint64_t now = t->cyc_ref_tsc;	/* though the time never goes back, it may stand still until then */

	if (!f->lost.by_cycles || !now || t->cyc_ref_cycles != t->cycles)
		return;
	f->lost.by_cycles = false;
	if (f->lost.open || t->cycles == f->lost.cycles)
		return;
	if (now < before && before - now > f->lost.last)
		now = before - f->lost.last;
	f->lost.ticks[f->lost.reason] += now - before;
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

void place_gap(struct pt_flow *f, enum pt_gap_reason reason, bool unsure)
{
	struct pt_gap gap = gap_that_ends(f, reason, unsure);

	lose(f, reason);
	tell_gap(f, &gap);
	place_set(f, 0);
	place_forget(f);
	f->calls_lost = true;
}

void place_doubt(struct pt_flow *f, enum pt_gap_reason reason)
{
	f->gap = gap_that_ends(f, reason, true);
	if (!f->ahead)
		lose(f, reason);
	place_set(f, 0);
	place_forget(f);
	f->doubt = f->calls_lost = true;
	f->doubt_psb = f->in_psb && f->psb_has_ip;
	f->in_psb = f->overflow = f->have_fup = f->fup_abort = false;
	f->nr_pending = 0;
	f->next_mode = 0;
	f->item_size = 0;
}

void place_settle(struct pt_flow *f)
{
	f->doubt = f->contradiction = false;
	if (!f->ahead && !f->trial.on)
		tell_gap(f, &f->gap);
}

void place_dispute(struct pt_flow *f)
{
	if (!f->trial.on) {
		if (!f->other)
			f->other = xcalloc(1, sizeof(*f));
		*f->other = *f;
	}
	place_doubt(f, PT_GAP_DESYNC);
	f->contradiction = true;
}

void place_anchor(struct pt_flow *f, uint64_t offset)
{
	if (f->trial.on)
		return;
	f->anchor.known = true;
	f->anchor.offset = offset;
	f->anchor.use_flow = false;
	f->spaces.nr = 0;
}

void place_anchor_here(struct pt_flow *f, uint64_t offset)
{
	place_anchor(f, offset);
	if (!f->anchor.flow)
		f->anchor.flow = xcalloc(1, sizeof(*f));
	f->anchor.use_flow = true;
	*f->anchor.flow = *f;
}

void place_take(struct pt_flow *f, const struct pt_flow *from)
{
	struct pt_flow now = *f;

	*f = *from;
	f->state.insns = now.state.insns;
	f->state.timed_insns = now.state.timed_insns;
	f->state.offset = now.state.offset;
	f->config = now.config;
	f->sbs = now.sbs;
	f->path = now.path;
	f->detailed = now.detailed;
	f->sb = NULL;
	f->stop = now.stop;
	f->next_sample = now.next_sample;
	f->lost = now.lost;
	f->trial = now.trial;
	f->silent = now.silent;
	f->anchor = now.anchor;
	f->spaces = now.spaces;
	f->repairs_left = now.repairs_left;
	f->trials_left = now.trials_left;
	f->search_data = now.search_data;
	f->search_to = now.search_to;
	f->shown_ip = f->sure_ip = 0;
	f->suspect.left = 0;
	f->other = now.other;
	f->doubt = f->contradiction = false;
}

void place_restart(struct pt_flow *f)
{
	uint64_t insns = f->state.insns;
	uint32_t space = f->trial.on ? f->state.space : f->config.sink->space ? PT_NO_SPACE : 0;

	f->state = (struct pt_state){ .insns = insns, .timed_insns = insns, .mode = 64, .interrupts = true, .space = space };
	pt_time_init(&f->state.time, &f->config.time);
	f->sb = NULL;
	place_forget(f);
	f->last_ip = (struct pt_ip){ 0 };
	f->nr_pending = 0;
	f->shown_ip = f->sure_ip = 0;
	f->odd = 0;
	f->no_branches = f->config.no_branches;
	f->fup_abort = f->overflow = f->synced = f->doubt = f->contradiction = false;
	f->suspect.left = 0;
	place_proven(f, true);
}

void place_ask_space(struct pt_flow *f)
{
	if (f->trial.on && f->trial.space < f->spaces.nr)
		f->state.space = f->spaces.v[f->trial.space++];
	if (!f->config.sink->space)
		return;
	f->state.space = f->config.sink->space(f->config.ctx, &f->state);
	vec_push(&f->spaces, f->state.space);
	if (f->path.on)
		path_add_event(&f->path, PATH_SPACE, &f->state, NULL, false);
}

void place_toggle(struct pt_flow *f, uint64_t from, uint64_t to)
{
	f->state.toggles = f->next_mode && f->next_interrupts != f->state.interrupts;
	if (f->state.toggles && f->config.sink->interrupts && !f->ahead)
		f->config.sink->interrupts(f->config.ctx, &f->state, from, to);
}
