/* Prints the lines of prec script by calling the print function of each column that the event has (line_plan.h). */
#include "core/show/script/line_plan.h"

#include <string.h>

#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/model/machine_archive.h"
#include "core/model/chain.h"
#include "core/show/script/column.h"

#define B(kind)		(1u << KIND_##kind)
#define ALL		((1u << KIND_MAX) - 1)
#define ADDRESSED	(ALL & ~B(TRACEPOINT))

const struct field fields[FIELD_MAX] = {
#define ROW(id, ...) [FIELD_##id] = { __VA_ARGS__ },
	SCRIPT_FIELDS(ROW)
#undef ROW
};

void line_init(struct line *l, const struct line_plan *p)
{
	*l = (struct line){ .plan = p, .addresses.opts = &p->address, .first_time = UINT64_MAX, .last_time = UINT64_MAX,
			     .sources.archive = machine_archive(p->address.machine) };
}

void line_forget(struct line *l)
{
	address_texts_release(&l->addresses);
	l->addresses = (struct address_texts){ .opts = &l->plan->address };
	trace_texts_release(&l->trace_texts);
	context_cache_free(l->context_cache);
	l->context_cache = NULL;
}

void line_release(struct line *l)
{
	line_forget(l);
	broken_chains_release(&l->chains);
	counters_release(&l->counters);
	vec_free(&l->called);
	index_release(&l->by_tid);
	source_texts_release(&l->sources);
}

/* ---- the calls that --graph-function shows: of a named function, and all within, until it returns ---- */

static struct called_thread *thread_of(struct line *l, uint32_t tid)
{
	uint64_t hash = hash_pair(tid, 0);

	index_for(pos, &l->by_tid, hash)
		if (l->called.v[pos].tid == tid)
			return &l->called.v[pos];
	index_add(&l->by_tid, hash, (uint32_t)l->called.nr);
	vec_push(&l->called, (struct called_thread){ .tid = tid });
	return &l->called.v[l->called.nr - 1];
}

static bool is_named(const char *names, const char *name, size_t len)
{
	for (const char *at = names; *at;) {
		size_t n = strcspn(at, ",");

		if (n == len && len && !memcmp(at, name, n))
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

/* True if the sample is shown. Must be called for all samples that pass the other filters, because it follows the calls. */
static bool shows_call(struct line *l, const struct item *item)
{
	const struct sample *s = item->sample;
	struct called_thread *t = thread_of(l, s->tid);
	bool into = s->flags & (SYNTH_CALL | SYNTH_BEGIN), leaves = s->flags & SYNTH_RETURN;
	uint64_t ip = into ? s->addr : s->ip;
	uint64_t depth = s->depth + leaves;	/* of the function that is called, returns or jumps */
	const struct address_text *text;

	l->item = item;
	text = address_text(&l->addresses, column_space(l, ip), ip, ADDRESS_NAME);
	if (!s->flags)
		return t->inside;
	if (t->inside && (into ? depth > t->depth : depth >= t->depth)) {
		t->inside = !leaves || depth > t->depth;
		return true;
	}
	t->inside = !leaves && is_named(l->plan->opts.graph_function, l->addresses.arena.data + text->text, text->len);
	t->depth = depth;
	return t->inside;
}

/* ---- samples ---- */

static bool passes_filter(struct line *l, const struct item *item)
{
	const struct filter *f = l->plan->filter;

	if (!f)
		return true;
	if (!filter_item(f, item))
		return false;
	if (!filter_has_names(f))
		return true;
	return address_text(&l->addresses, chain_space(item->context, item->cpumode), item->sample->ip, l->event->how)->shown;
}

static void print_one(struct line *l, const struct event_plan *event, uint64_t period)
{
	l->event = event;
	l->fields = event->fields;
	l->period = period;
	if (!l->fields)
		return;
	for (void (*const *print)(struct line *) = event->columns; *print; print++)
		(*print)(l);
	buf_putc(l->out, '\n');
}

/* Prints the line of one counter of the sample. */
static void print_counter(void *ctx, const struct event *ev, uint64_t period)
{
	struct line *l = ctx;

	if (l->shown)
		print_one(l, &l->plan->events[ev->number], period);
}

/* True if the sample's address is worth looking up early: it is printed, and no filter can drop the sample. */
static bool shows_ip(const struct line *l, const struct item *item)
{
	return item && item->sample && !l->plan->filter &&
	       l->plan->events[item->event->number].fields & FIELD_BIT(IP);
}

void line_expect(struct line *l, const struct item *const *items, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (shows_ip(l, items[i]))
			column_want_ip(l, items[i]);
	address_texts_fetch(&l->addresses);
}

void line_print_sample(struct line *l, const struct item *item, struct buf *out)
{
	const struct event_plan *event = &l->plan->events[item->event->number];

	l->event = event;
	l->shown = passes_filter(l, item) && (!l->plan->opts.graph_function || shows_call(l, item));
	l->nr_shown += l->shown;
	/* Hidden counters still advance. */
	if (!l->shown && !event->counts)
		return;
	l->item = item;
	l->sample = item->sample;
	l->out = out;
	if (event->counts)
		counters_read(&l->counters, session_events(l->plan->session), event->event, l->sample, print_counter, l);
	else
		print_one(l, event, item_period(item));
}

/* ---- other records ---- */

struct subject_task { uint32_t pid, tid; };

/* Returns the thread that the record is about, or if it names no thread, the one that was running. */
static struct subject_task subject(const struct record *r)
{
	const struct record_type *t = record_type_of(r->header.type);
	struct subject_task task = { r->id.pid, r->id.tid };

	if (t->pid_at) {
		memcpy(&task.pid, (const char *)r + t->pid_at, sizeof(task.pid));
		memcpy(&task.tid, (const char *)r + t->tid_at, sizeof(task.tid));
	}
	return task;
}

static const char *comm_of(struct line *l, const struct item *item, struct subject_task task)
{
	uint64_t time = item->at;

	if (task.pid == (uint32_t)-1)
		task.pid = task.tid = 0;
	if (item->record->header.type == PERF_RECORD_EXIT && time)
		time--;
	if (!l->context_cache)
		l->context_cache = context_cache_new(session_machine(l->plan->session));
	return machine_context(l->context_cache, task.pid, task.tid, time)->comm;
}

static void print_start(struct line *l, const struct item *item, const struct event_plan *event)
{
	uint64_t shown = event->fields;
	const struct record *r = item->record;
	struct subject_task named = subject(r);
	struct line_owner task = { .comm = comm_of(l, item, named), .pid = named.pid, .tid = named.tid,
			   .cpu = r->id.has_cpu ? r->id.cpu : 0 };

	if (r->id.has_tid) {
		task.pid = r->id.pid;
		task.tid = r->id.tid;
	}
	put_task(l->out, shown, &task, event->chain && shown & FIELD_BIT(IP));
	if (shown & FIELD_BIT(MISC))
		column_misc(l);
	if (shown & FIELD_BIT(TOD))
		column_tod(l);
	if (shown & FIELD_BIT(TIME))
		column_time(l);
}

void line_print_record(struct line *l, const struct item *item, struct buf *out)
{
	l->item = item;
	l->out = out;
	if (item->record->header.type < RECORD_HEADER_ATTR && l->plan->nr_events)
		print_start(l, item, &l->plan->events[item->event ? item->event->number : 0]);
	record_print(item->record, out);
	buf_putc(out, '\n');
}
