/*
 * Finds pairs of a begin event and an end event (event_pairs.h), by reading the recording once in order of time. It stores a
 * begin event under a key, such as its thread, until an end event has this key.
 */
#include "core/show/report/event_pairs.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/tracepoint/tracing_data.h"

struct pair_event { const struct event *event; const struct trace_field *field; };

struct open_pair { uint64_t key, time; uint32_t tid; bool open; };

struct pairs {
	struct event_pairs *out;
	const struct session *session;
	const char *option;
	const struct filter *filter;
	struct pair_event begin, end;
	enum { PAIR_BY_TID, PAIR_BY_PID, PAIR_BY_CPU, PAIR_BY_FIELD } by;
	VEC(struct open_pair) open;
	struct index by_key;
};

static struct open_pair *find_pair(struct pairs *p, uint64_t key)
{
	uint64_t hash = hash_u64(key);

	index_for(pos, &p->by_key, hash)
		if (p->open.v[pos].key == key)
			return &p->open.v[pos];
	index_add(&p->by_key, hash, (uint32_t)p->open.nr);
	vec_push(&p->open, (struct open_pair){ .key = key });
	return &p->open.v[p->open.nr - 1];
}

static uint64_t pair_key(const struct pairs *p, const struct pair_event *e, const struct item *item)
{
	const struct trace_data d = session_trace_data(p->session, item->sample);

	switch (p->by) {
	case PAIR_BY_TID: return sample_owner(item->sample);
	case PAIR_BY_PID: return item->sample->pid;
	case PAIR_BY_CPU: return item->sample->cpu;
	case PAIR_BY_FIELD: break;
	}
	return trace_field_number(&d, e->field);
}

static void on_item_in_order(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	struct pairs *p = ctx;
	bool begins = item->sample && item->event == p->begin.event, ends = item->sample && item->event == p->end.event;
	struct open_pair *pair;

	(void)worker, (void)out;
	if ((!begins && !ends) || !filter_item(p->filter, item))
		return;
	pair = find_pair(p, pair_key(p, begins ? &p->begin : &p->end, item));
	if (ends && pair->open)
		vec_push(&p->out->list, (struct event_pair){ pair->time, item->at, pair->tid, sample_owner(item->sample) });
	else if (ends && !begins)
		p->out->nr_alone++;
	p->out->nr_alone += begins && !ends && pair->open;
	pair->open = begins;
	pair->time = item->at;
	pair->tid = sample_owner(item->sample);
}

static bool wants_samples(void *ctx, const struct record_header *header)
{
	return header->type == PERF_RECORD_SAMPLE;
}

/* The last part of a name: "sched_switch" for "sched:sched_switch". */
static bool ends_as(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && name[n - k - 1] == ':' && str_eq(name + n - k, end);
}

/* Finds an event by its name, or by the last part of its name if only one event has it. */
static int find_event(struct pair_event *out, const struct pairs *p, const char *name)
{
	struct buf names = {0};
	unsigned nr = 0;

	vec_for(ev, &session_events(p->session)->events) {
		bool whole = str_eq((*ev)->name, name);

		if (whole || ends_as((*ev)->name, name)) {
			out->event = whole || !nr ? *ev : out->event;
			nr = whole ? 1 : nr + 1;
		}
		buf_printf(&names, "%s%s", names.len ? ", " : "", (*ev)->name);
		if (whole)
			break;
	}
	if (nr != 1)
		error("%s: there %s '%s': the recording has %s", p->option, nr ? "are several events" : "is no event", name,
		      buf_str(&names));
	buf_release(&names);
	return nr == 1 ? 0 : -1;
}

static int find_field(struct pair_event *e, const struct pairs *p, const char *name)
{
	const struct event_attr *a = &e->event->attr;
	const struct trace_event *t = a->type == PERF_TYPE_TRACEPOINT ? tracing_data_event(session_tracing(p->session), a->config) :
				      NULL;

	e->field = t ? trace_event_field(t, name) : NULL;
	return e->field ? 0 : error("%s: event '%s' has no field '%s' (nor is it tid, pid or cpu)", p->option,
				    e->event->name, name);
}

/* @words are cut where the commas are. */
static int parse_pair(struct pairs *p, char *words)
{
	char *rest, *begin = strtok_r(words, ",", &rest), *end = strtok_r(NULL, ",", &rest), *key = strtok_r(NULL, ",", &rest);

	if (!begin || !end || strtok_r(NULL, ",", &rest))
		return error("%s needs two events and, if not tid, what they have in common: begin,end,key", p->option);
	if (find_event(&p->begin, p, begin) || find_event(&p->end, p, end))
		return -1;
	p->by = !key || str_eq(key, "tid") ? PAIR_BY_TID : str_eq(key, "pid") ? PAIR_BY_PID :
		str_eq(key, "cpu") ? PAIR_BY_CPU : PAIR_BY_FIELD;
	return p->by == PAIR_BY_FIELD && (find_field(&p->begin, p, key) || find_field(&p->end, p, key)) ? -1 : 0;
}

int event_pairs_find(struct event_pairs *out, struct session *s, const char *option, const char *words,
		     const struct filter *filter)
{
	static const struct ordered_pass pass = {
		.worker_size = 1, .wants = wants_samples, .item = on_item_in_order, .one_worker = true,
	};
	struct pairs p = { .out = out, .session = s, .option = option, .filter = filter };
	char *copy = xstrdup(words);
	int err = parse_pair(&p, copy);

	if (!err) {
		session_ordered(s, &pass, &p, -1);
		vec_for(pair, &p.open)
			out->nr_alone += pair->open;
		out->begin = p.begin.event->name;
		out->end = p.end.event->name;
	}
	vec_free(&p.open);
	index_release(&p.by_key);
	free(copy);
	return err;
}
