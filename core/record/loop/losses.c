/*
 * Writes a PERF_RECORD_LOST_SAMPLES record for each event with samples that were lost or that its filter dropped. Also fills
 * prec's feature section LOSSES with the losses of each event and the times of losses.
 */
#include "core/record/loop/losses.h"

#include "core/base/buf.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/record/open/event_set.h"
#include "core/record/live/stats.h"

/* Appends the samples that event filters dropped. */
static void append_dropped(struct buf *out, struct event_set *set, const struct stats *t)
{
	event_set_count_dropped(set);
	vec_for(e, &set->opened) {
		struct record rec = {
			.header = { .type = PERF_RECORD_LOST_SAMPLES, .misc = RECORD_MISC_LOST_SAMPLES_BPF },
			.lost.lost = e->dropped - e->dropped_written,
			.id = { .id = e->id, .cpu = (uint32_t)e->place.cpu, .time = t->last_time },
		};

		e->dropped_written = e->dropped;
		if (rec.lost.lost)
			record_append(out, &set->table.events.v[e->event]->layout, &rec);
	}
}

void losses_append(struct buf *out, struct event_set *set, const struct stats *t)
{
	append_dropped(out, set, t);
	event_set_count_lost(set);
	vec_for(e, &set->opened) {
		struct record rec = {
			.header.type = PERF_RECORD_LOST_SAMPLES, .lost.lost = e->lost - e->lost_written,
			.id = { .id = e->id, .cpu = (uint32_t)e->place.cpu, .time = t->last_time },
		};

		e->lost_here = e->lost - e->lost_written;
		e->lost_written = e->lost;
		if (!rec.lost.lost || event_set_is_side_band(set, e->event))
			continue;
		record_append(out, &set->table.events.v[e->event]->layout, &rec);
	}
}

static struct target_place place_of_ring(const struct event_set *set, uint32_t ring)
{
	vec_for(e, &set->opened)
		if (e->ring == ring)
			return e->place;
	return (struct target_place){ .pid = -1, .cpu = -1 };
}

void losses_section(struct features *f, const struct event_set *set, struct stats *t)
{
	struct feature_losses *l = &f->losses;

	vec_for(e, &set->opened)
		if (e->lost_here)
			vec_push(&l->by_event, (struct feature_loss){ .event = e->event, .cpu = e->place.cpu,
								      .tid = e->place.pid, .lost = e->lost_here });
	for (size_t i = t->gaps_written; i < t->gaps.nr; i++) {
		const struct stats_gap *g = &t->gaps.v[i];
		struct target_place p = place_of_ring(set, g->ring);

		vec_push(&l->gaps, (struct feature_gap){ .cpu = p.cpu, .tid = p.pid, .from = g->from, .to = g->to,
							 .lost = g->lost });
	}
	l->nr_gaps = t->nr_gaps - t->nr_gaps_written;
	l->gap_ns = t->gap_ns - t->gap_ns_written;
	t->gaps_written = t->gaps.nr;
	t->nr_gaps_written = t->nr_gaps;
	t->gap_ns_written = t->gap_ns;
	f->has[FEATURE_LOSSES] = l->by_event.nr || l->nr_gaps;
}
