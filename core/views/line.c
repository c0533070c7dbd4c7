/* Prints lines by walking each event's columns. Layer: views */
#include "core/views/line.h"

#include "core/flow/session.h"
#include "core/model/chain.h"
#include "core/views/column.h"
#include "core/views/filter.h"
#include "core/views/line_plan.h"

void line_init(struct line *l, const struct line_plan *p)
{
	*l = (struct line){ .plan = p, .places.opts = &p->place, .first_time = UINT64_MAX, .last_time = UINT64_MAX };
}

void line_release(struct line *l)
{
	place_texts_release(&l->places);
	where_cache_free(l->where_cache);
	l->where_cache = NULL;
}

static bool passes(struct line *l, const struct item *item)
{
	const struct filter *f = l->plan->filter;

	if (!f)
		return true;
	if (!filter_item(f, item))
		return false;
	if (!filter_has_place(f))
		return true;
	return place_text(&l->places, chain_space(item->where, item->cpumode), item->sample->ip, l->event->how)->shown;
}

void line_print_sample(struct line *l, const struct item *item, struct buf *out)
{
	l->event = &l->plan->events[item->event->number];
	if (!l->event->fields || !passes(l, item))
		return;
	l->item = item;
	l->sample = item->sample;
	l->fields = l->event->fields;
	l->period = l->event->event->layout.type & PERF_SAMPLE_PERIOD ? item->sample->period
								      : l->event->event->attr.sample_period;
	l->out = out;
	for (void (*const *print)(struct line *) = l->event->columns; *print; print++)
		(*print)(l);
	buf_putc(out, '\n');
}

struct whose { uint32_t pid, tid; };

/* The thread that a record tells of; without one, the thread that was running. */
static struct whose subject(const struct record *r)
{
	switch (r->header.type) {
	case PERF_RECORD_COMM:
		return (struct whose){ r->comm.pid, r->comm.tid };
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return (struct whose){ r->mmap.pid, r->mmap.tid };
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return (struct whose){ r->task.pid, r->task.tid };
	case PERF_RECORD_NAMESPACES:
		return (struct whose){ r->namespaces.pid, r->namespaces.tid };
	}
	return (struct whose){ r->id.pid, r->id.tid };
}

static const char *comm_of(struct line *l, const struct item *item, struct whose who)
{
	uint64_t time = item->time;

	if (who.pid == (uint32_t)-1)
		who.pid = who.tid = 0;
	if (item->record->header.type == PERF_RECORD_EXIT && time)
		time--;
	if (!l->where_cache)
		l->where_cache = where_cache_new(session_machine(l->plan->session));
	return machine_where(l->where_cache, who.pid, who.tid, time)->comm;
}

static void print_start(struct line *l, const struct item *item, uint64_t shown)
{
	const struct record *r = item->record;
	struct whose who = subject(r);

	if (shown & FIELD_BIT(COMM))
		put_comm(l->out, comm_of(l, item, who), false);
	if (r->id.has_tid)
		who = (struct whose){ r->id.pid, r->id.tid };
	if (shown & (FIELD_BIT(PID) | FIELD_BIT(TID)))
		put_ids(l->out, shown, who.pid, who.tid);
	if (shown & FIELD_BIT(CPU))
		put_cpu(l->out, r->id.has_cpu ? r->id.cpu : 0);
	if (shown & FIELD_BIT(MISC))
		put_misc(l->out, &r->header);
	if (shown & FIELD_BIT(TOD))
		put_tod(l, item->time);
	if (shown & FIELD_BIT(TIME))
		put_time(l, item->time);
}

void line_print_record(struct line *l, const struct item *item, struct buf *out)
{
	l->out = out;
	if (item->record->header.type < RECORD_HEADER_ATTR && l->plan->nr_events)
		print_start(l, item, l->plan->events[item->event ? item->event->number : 0].fields);
	record_print(item->record, out);
	buf_putc(out, '\n');
}
