/*
 * Reports the losses in a decoded Intel PT trace: the number of gaps of each kind, and the share of the traced time that was
 * lost. The time in which a trace buffer was full counts as lost. place.c finds the gaps.
 */
#include "auxtrace/intel_pt/stage.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/ui/finding.h"

#define NR_REASONS	(PT_NR_GAPS + 1)
#define BUFFER_FULL	PT_NR_GAPS

struct lost_time { uint64_t all, by[NR_REASONS]; };	/* ns */

static const char *reason_text(unsigned reason)
{
	return reason == BUFFER_FULL ? "buffer full" : pt_gap_text(reason);
}

static void add_gaps(const struct pt_stage *s, double share, struct findings *out)
{
	uint64_t nr[PT_NR_GAPS] = {0}, all = 0, insns = 0;
	struct buf text = {0};

	vec_for(p, &s->pieces) {
		insns += p->insns;
		for (unsigned i = 0; i < PT_NR_GAPS; i++) {
			nr[i] += p->gaps[i];
			all += p->gaps[i];
		}
	}
	for (unsigned i = 0; i < PT_NR_GAPS; i++)
		if (nr[i])
			buf_printf(&text, "%s%" PRIu64 " %s", text.len ? ", " : "", nr[i], pt_gap_text(i));
	findings_add_share(out, FINDING_TRACE_GAPS, all, insns, buf_str(&text), share);
	buf_release(&text);
}

/* True if trace is missing before the segment that has position @at. */
static bool interrupted_at(const struct aux_queue *q, uint64_t at)
{
	vec_for(segment, &q->segments)
		if (segment->lost && segment->from <= at && at < segment->to)
			return true;
	return false;
}

static uint64_t ns_between(const struct pt_stage *s, uint64_t from, uint64_t to)
{
	return to > from ? pt_info_ns(&s->info, to) - pt_info_ns(&s->info, from) : 0;
}

/*
 * Adds the time of a piece (stage.h), from its PSB packet to the PSB packet of the next piece. If trace is missing between two
 * pieces because the buffer was full, the time between them counts as lost, too.
 */
static void add_piece(const struct pt_stage *s, size_t i, struct lost_time *t)
{
	const struct pt_piece *p = &s->pieces.v[i], *next = i + 1 < s->pieces.nr && p[1].queue == p->queue ? p + 1 : NULL;
	uint64_t from = s->aux.source.pieces.v[i].time, last = p->last_tsc ? pt_info_ns(&s->info, p->last_tsc) : 0, to = last;
	bool follows = next && next->from == p->to, full = next && p->to == p->end && interrupted_at(p->queue, next->from);

	if (!from)
		return;
	if (follows || full)
		to = s->aux.source.pieces.v[i + 1].time;
	t->all += to > from ? to - from : 0;
	for (unsigned r = 0; r < PT_NR_GAPS; r++)
		t->by[r] += ns_between(s, 1, 1 + p->lost.ticks[r]);
	if (full && last)
		t->by[BUFFER_FULL] += to > last ? to - last : 0;
	if (p->lost.open && p->lost.since) {
		uint64_t since = pt_info_ns(&s->info, p->lost.since), end = follows ? to : last;

		t->by[p->lost.reason] += end > since ? end - since : 0;
	}
}

/* Adds the finding about lost time. Returns the share of the time that is lost. */
static double add_lost_time(const struct pt_stage *s, struct findings *out)
{
	struct lost_time t = {0};
	struct buf text = {0};
	uint64_t lost = 0;
	unsigned nr = 0;
	double share;

	for (size_t i = 0; i < s->pieces.nr; i++)
		add_piece(s, i, &t);
	for (unsigned r = 0; r < NR_REASONS; r++)
		lost += t.by[r];
	share = t.all ? (double)lost / (double)t.all : 0;
	buf_printf(&text, "%.2f %% is lost, %" PRIu64 " of %" PRIu64 " ns", 100 * share, lost, t.all);
	for (unsigned r = 0; r < NR_REASONS; r++)
		if (t.by[r])
			buf_printf(&text, "%s%" PRIu64 " ns %s", nr++ ? ", " : ": ", t.by[r], reason_text(r));
	findings_add(out, FINDING_TRACE_TIME_LOST, lost, t.all, buf_str(&text));
	buf_release(&text);
	return share;
}

/* The finding about lost time has the share of all gaps, so the findings about gaps have none. */
void pt_losses_findings(const struct pt_stage *s, struct findings *out)
{
	double share = s->aux.timeless ? 0 : add_lost_time(s, out);

	add_gaps(s, share > 0 ? 0 : -1, out);
	findings_add(out, FINDING_TRACE_WITHOUT_START, s->unplaced, 0, NULL);
	pt_pebs_findings(s, out);
}
