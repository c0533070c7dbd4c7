/*
 * Synthesizes samples from packets of Intel PT that report an event, such as PTWRITE, power and TSX packets. Also makes an error
 * record of each decode error. events.c finds the address at which an event happened.
 */
#include "auxtrace/intel_pt/sampler.h"

static void emit_notice(struct pt_worker *w, const struct pt_state *s, enum synth_config what, uint64_t ip, uint64_t value,
			uint64_t more)
{
	if (!w->stage->packet_events[what])
		return;
	pt_start_sample(w, s, w->stage->packet_events[what], ip);
	w->aux.sample.synth[0] = value;
	w->aux.sample.synth[1] = more;
	w->aux.sample.flags = pt_state_flags(w, s);
	pt_give(w);
}

/* Returns the offset in the piece of the PSB whose PSBEND is at @offset. */
static uint64_t psb_before(const struct pt_worker *w, uint64_t offset)
{
	if (offset < PT_PSB_SIZE)
		return 0;
	for (uint64_t at = offset - PT_PSB_SIZE + 1; at-- > 0 && offset - at < PSB_PLUS;)
		if (pt_find_psb(w->data + at, PT_PSB_SIZE, 0) == 0)
			return at;
	return 0;
}

static void report_ratio(struct pt_worker *w, const struct pt_state *s, uint64_t ip)
{
	uint32_t cbr = s->time.cbr;

	if (cbr == w->cbr_reported)
		return;
	w->cbr_reported = cbr;
	emit_notice(w, s, SYNTH_CBR, ip, cbr,
		    (uint64_t)w->stage->info.max_nonturbo_ratio << 32 | (uint32_t)(w->stage->khz_a_ratio * cbr));
}

/* Makes the samples of a PSB+. At the start of a piece other than the first, its ratio was reported with an earlier piece. */
static void on_psb_end(struct pt_worker *w, const struct pt_state *s, uint64_t ip)
{
	uint64_t psb = psb_before(w, s->offset);

	emit_notice(w, s, SYNTH_PSB, ip, w->piece->from + psb, 0);
	if (!psb && w->piece->from)
		w->cbr_reported = s->time.cbr;
	report_ratio(w, s, ip);
}

void pt_report_transaction(struct pt_worker *w, const struct pt_state *s, uint64_t ip, uint64_t to, uint32_t flags)
{
	if (!w->stage->transactions || !w->aux.sink)
		return;
	pt_start_sample(w, s, w->stage->transactions, ip);
	w->aux.sample.addr = to;
	w->aux.sample.flags = flags;
	pt_give(w);
}

/* Keeps the data of an event: the EVD packets come before the event's CFE packet. */
static void remember_data(struct pt_worker *w, const struct pt_packet *p)
{
	if (w->nr_data + 2 > ARRAY_SIZE(w->data_words))
		return;
	w->data_words[w->nr_data++] = p->count;
	w->data_words[w->nr_data++] = p->value;
}

static void report_control_flow(struct pt_worker *w, const struct pt_state *s, const struct pt_event *e)
{
	const struct pt_packet *p = &e->packet;

	if (w->stage->packet_events[SYNTH_EVT]) {
		pt_start_sample(w, s, w->stage->packet_events[SYNTH_EVT], e->ip);
		w->aux.sample.synth[0] = p->value;
		w->aux.sample.synth[1] = p->count | (uint64_t)p->flag << 32;
		w->aux.sample.synth_data = words_of(w->data_words, w->nr_data);
		w->aux.sample.flags = pt_state_flags(w, s);
		pt_give(w);
	}
	w->nr_data = 0;
}

void pt_on_event(void *ctx, const struct pt_state *s, const struct pt_event *e)
{
	struct pt_worker *w = ctx;
	const struct pt_packet *p = &e->packet;

	switch (p->type) {
	case PT_PSBEND: on_psb_end(w, s, e->ip); break;
	case PT_CBR:
		/* The ratio of a PSB+ is reported at its PSBEND. */
		if (w->data[s->offset] == 0x02 && w->data[s->offset + 1] == 0x03)
			report_ratio(w, s, e->ip);
		break;
	case PT_EVD: remember_data(w, p); break;
	case PT_CFE: report_control_flow(w, s, e); break;
	case PT_MODE_TSX:
		if (!(p->value & 2))	/* an abort is reported with its branch */
			pt_report_transaction(w, s, e->ip, 0, pt_state_flags(w, s));
		break;
	case PT_PTW: emit_notice(w, s, SYNTH_PTWRITE, e->ip, p->value, p->flag); break;
	case PT_MWAIT: emit_notice(w, s, SYNTH_MWAIT, e->ip, p->value, 0); break;
	case PT_PWRE: emit_notice(w, s, SYNTH_PWRE, e->ip, p->value, 0); break;
	case PT_EXSTOP: emit_notice(w, s, SYNTH_EXSTOP, e->ip, 0, p->flag); break;
	case PT_PWRX: emit_notice(w, s, SYNTH_PWRX, e->ip, p->value, 0); break;
	case PT_BBP: case PT_BIP: case PT_BEP: pt_on_pebs(w, s, p, e->ip); break;
	}
}

void pt_on_interrupts(void *ctx, const struct pt_state *s, uint64_t from, uint64_t to)
{
	emit_notice(ctx, s, SYNTH_IFLAG, from, !s->interrupts, to);
}

/* ---- what went wrong ---- */

/* perf's numbers and texts for error records, because scripts search for them. */
static const struct { uint32_t code; const char *text; } errors[PT_NR_GAPS] = {
	[PT_GAP_OVERFLOW] = { 7, "Overflow packet" },
	[PT_GAP_PACKET] = { 3, "Bad packet" },
	[PT_GAP_TRUNCATED] = { 3, "Bad packet" },
	[PT_GAP_NO_CODE] = { 5, "Failed to get instruction" },
	[PT_GAP_BAD_INSN] = { 5, "Failed to get instruction" },
	[PT_GAP_NO_IP] = { 6, "Trace doesn't match instruction" },
	[PT_GAP_DESYNC] = { 6, "Trace doesn't match instruction" },
	[PT_GAP_LOOP] = { 10, "Never-ending loop (refer perf config intel-pt.max-loops)" },
	[PT_GAP_RETURN] = { 6, "Trace doesn't match instruction" },
	[PT_GAP_ORDER] = { 3, "Bad packet" },
	[PT_GAP_TIME] = { 3, "Bad packet" },
};

void pt_on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct pt_worker *w = ctx;

	w->gaps[g->reason] += !g->only_unsure;
	if (!w->aux.sink || !w->stage->aux.opts.errors || (g->reason == PT_GAP_OVERFLOW && w->stage->aux.opts.no_overflow_errors))
		return;
	pt_update_task(w, s);
	pt_start_sample(w, s, NULL, g->ip);
	aux_give_error(&w->aux, errors[g->reason].code, errors[g->reason].text, g->ip, g->unsure);
}
