/* Finds the ranges of time that the events of --switch-on and --switch-off select. */
#include "core/read/switches.h"

#include <stdlib.h>

#include "core/base/log.h"
#include "core/base/util.h"
#include "core/read/order.h"
#include "core/read/session.h"

struct marker {			/* a sample that switches */
	uint64_t time, position;
	bool on, off;
};

struct marker_scan {		/* the markers that one worker found, or all workers together */
	const struct switches *s;
	VEC(struct marker) found;
};

static bool named(const struct event *event, const char *name)
{
	return name && str_eq(event->name, name);
}

static void note_marker(void *worker, void *ctx, const struct item *item)
{
	const struct marker_scan *all = ctx;
	struct marker_scan *w = worker;
	struct marker m = { item->time, item->position, named(item->event, all->s->on), named(item->event, all->s->off) };

	if (m.on || m.off)
		vec_push(&w->found, m);
}

static void merge_markers(void *worker, void *ctx)
{
	struct marker_scan *w = worker, *all = ctx;

	vec_append(&all->found, &w->found);
	vec_free(&w->found);
}

/* An off event only counts in a span, and an on event only outside of spans. An event that is both switches on and off in turn. */
static void make_spans(struct switches *s, const struct marker_scan *scan)
{
	struct switch_span span = { 0, UINT64_MAX };
	bool is_on = !s->on;

	vec_for(m, &scan->found) {
		if (is_on && m->off) {
			span.to = m->time;
			vec_push(&s->spans, span);
			is_on = false;
		} else if (!is_on && m->on) {
			span = (struct switch_span){ m->time, UINT64_MAX };
			is_on = true;
		}
	}
	if (is_on)
		vec_push(&s->spans, span);
}

static int check_name(const char *name, const char *option, const struct session *session)
{
	if (!name)
		return 0;
	vec_for(event, &session_events(session)->events)
		if (named(*event, name))
			return 0;
	return error("--%s: the recording has no event '%s' (its events: prec script --header-only)", option, name);
}

int switches_find(struct switches *s, const struct switch_opts *o, struct session *session)
{
	struct marker_scan scan = { .s = s };
	struct sample_pass pass = {
		.worker_size = sizeof(scan), .sample = note_marker, .merge = merge_markers,
	};

	*s = (struct switches){ .on = o->on, .off = o->off, .show = o->show };
	if (switches_none(s))
		return 0;
	if (check_name(s->on, "switch-on", session) || check_name(s->off, "switch-off", session))
		return -1;
	if (session_is_timeless(session))
		return error("--switch-on and --switch-off need times, and this recording has none");
	session_samples(session, &pass, &scan);
	order_sort(scan.found.v, scan.found.nr, sizeof(*scan.found.v), 1);
	make_spans(s, &scan);
	vec_free(&scan.found);
	return 0;
}

void switches_release(struct switches *s)
{
	vec_free(&s->spans);
}

/* The last span that begins at or before a time; NULL: none does. */
static const struct switch_span *span_at(const struct switches *s, uint64_t time)
{
	size_t nr = bisect(i, 0, s->spans.nr, s->spans.v[i].from <= time);

	return nr ? &s->spans.v[nr - 1] : NULL;
}

bool switches_show(const struct switches *s, const struct item *item)
{
	const struct switch_span *span = span_at(s, item->time);

	if (!span || item->time > span->to)
		return false;
	if (s->on && item->time == span->from && named(item->event, s->on))
		return s->show;
	return item->time < span->to || (s->show && named(item->event, s->off));
}

bool switches_may_show(const struct switches *s, uint64_t from, uint64_t to)
{
	const struct switch_span *span = span_at(s, to);

	return span && span->to >= from;
}
