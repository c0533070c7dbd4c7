/*
 * Queues the fired triggers of --on, and decides whether and when the oldest one gets a dump, a file with the records before the
 * trigger. Counts dumps and missed triggers for the summary and the feature section TRIGGERS.
 */
#include "core/record/trigger/dumps.h"

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/perfdata/feature.h"

void dumps_see(struct dumps *d, struct trigger_hits *hits)
{
	d->seen += hits->list.nr + hits->lost;
	d->missed[MISSED_LOST] += hits->lost;
	vec_append(&d->queue, &hits->list);
	hits->list.nr = 0;
	hits->lost = 0;
}

static void drop_first(struct dumps *d)
{
	d->first++;
	if (d->first == d->queue.nr)
		d->first = d->queue.nr = 0;
}

void dumps_miss(struct dumps *d, enum dump_missed why)
{
	d->missed[why]++;
	drop_first(d);
}

static bool is_last_done(const struct dumps *d)
{
	return d->o->at_most && d->dumped >= d->o->at_most;
}

/* Returns the reason for which @hit gets no dump, or NR_MISSED if it gets one. Times are compared on the clock that both have. */
static enum dump_missed reason_to_miss(const struct dumps *d, const struct trigger_hit *hit)
{
	bool exact = hit->time && d->end;
	uint64_t at = exact ? hit->time : hit->mono_ns, end = exact ? d->end : d->end_mono_ns;

	if (is_last_done(d))
		return MISSED_MOST;
	if (end && at <= end)
		return MISSED_SHARED;
	return end && at - end < d->o->pause_ns ? MISSED_PAUSE : NR_MISSED;
}

const struct trigger_hit *dumps_next(struct dumps *d, uint64_t *due_ns)
{
	while (d->first < d->queue.nr) {
		const struct trigger_hit *hit = &d->queue.v[d->first];
		enum dump_missed why = reason_to_miss(d, hit);

		*due_ns = hit->mono_ns + d->o->after_ns;
		if (why == NR_MISSED)
			return hit;
		dumps_miss(d, why);
	}
	return NULL;
}

uint64_t dumps_until(const struct dumps *d, const struct trigger_hit *hit)
{
	return hit->time ? hit->time + d->o->after_ns : UINT64_MAX;
}

bool dumps_is_last(const struct dumps *d)
{
	return d->o->at_most && d->dumped + 1 >= d->o->at_most;
}

void dumps_done(struct dumps *d, bool exact)
{
	struct trigger_hit hit = d->queue.v[d->first];

	exact = exact && hit.time;
	d->dumped++;
	d->end = exact ? hit.time + d->o->after_ns : 0;
	d->end_mono_ns = exact ? hit.mono_ns + d->o->after_ns : now_ns();
	if (d->here.nr < DUMPS_TOLD)
		vec_push(&d->here, hit);
	drop_first(d);
	if (!exact)
		dumps_miss_all(d, is_last_done(d) ? MISSED_MOST : MISSED_SHARED);
}

void dumps_miss_all(struct dumps *d, enum dump_missed why)
{
	while (d->first < d->queue.nr)
		dumps_miss(d, why);
}

static uint64_t dumps_missed(const struct dumps *d)
{
	uint64_t nr = 0;

	for (int i = 0; i < NR_MISSED; i++)
		nr += d->missed[i];
	return nr;
}

/* ---- reports ---- */

void dumps_put(const struct dumps *d, struct buf *out)
{
	static const char *const reasons[] = {
		[MISSED_SHARED] = "in the dump of another", [MISSED_PAUSE] = "in the pause",
		[MISSED_SAVING] = "while trace was saved",
		[MISSED_LATE] = "overwritten before the recorder came to it", [MISSED_MOST] = "after the last dump",
		[MISSED_LOST] = "lost",
	};
	const char *separator = " (";

	buf_printf(out, "%llu trigger%s seen, %llu dumped, %llu missed", (unsigned long long)d->seen, d->seen == 1 ? "" : "s",
		   (unsigned long long)d->dumped, (unsigned long long)dumps_missed(d));
	for (int i = 0; i < NR_MISSED; i++) {
		if (!d->missed[i])
			continue;
		buf_printf(out, "%s%llu %s", separator, (unsigned long long)d->missed[i], reasons[i]);
		separator = ", ";
	}
	buf_puts(out, dumps_missed(d) ? ")" : "");
}

void dumps_feature(struct dumps *d, struct features *f)
{
	struct feature_triggers *t = &f->triggers;

	t->seen = d->seen;
	t->dumped = d->dumped;
	t->missed = dumps_missed(d);
	t->after_ns = d->o->after_ns;
	vec_for(hit, &d->here)
		vec_push(&t->dumps, (struct feature_trigger){ .time = hit->time, .pid = (int32_t)hit->pid, .tid = (int32_t)hit->tid,
							      .text = xstrdup(d->o->specs.v[hit->spec].text) });
	f->has[FEATURE_TRIGGERS] = true;
	d->here.nr = 0;
}

void dumps_release(struct dumps *d)
{
	vec_free(&d->queue);
	vec_free(&d->here);
}
