/*
 * Keeps the events of a recording, and finds the event of a record by the id in the record. data_file.c fills the table from a
 * file, core/read/stream.c from a pipe.
 */
#include "core/perfdata/event_table.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/perfdata/record.h"

#define BODY_AT	sizeof(struct record_header)

struct event *event_table_add(struct event_table *t, const struct event_attr *attr)
{
	struct event *ev = xcalloc(1, sizeof(*ev));

	ev->attr = *attr;
	sample_layout_of(&ev->layout, attr);
	ev->scale = 1.0;
	ev->number = (uint32_t)t->events.nr;
	ev->leader = ev->number;
	ev->nr_members = 1;
	vec_push(&t->events, ev);
	return ev;
}

/* The kernel numbers events as they are opened, so usually the difference to the first id is the index. */
static inline struct event_id *guess_id(const struct event_table *t, uint64_t id)
{
	uint64_t guess = t->ids.nr ? id - t->ids.v[0].id : 0;

	return guess < t->ids.nr && t->ids.v[guess].id == id ? &t->ids.v[guess] : NULL;
}

struct event_id *event_id_info(const struct event_table *t, uint64_t id)
{
	struct event_id *guess = guess_id(t, id);
	uint64_t h = hash_u64(id);

	if (guess)
		return guess;
	index_for(pos, &t->by_id, h)
		if (t->ids.v[pos].id == id)
			return &t->ids.v[pos];
	return NULL;
}

void event_table_add_id(struct event_table *t, struct event *ev, uint64_t id)
{
	if (event_id_info(t, id))	/* the first owner keeps it */
		return;
	vec_push(&ev->ids, id);
	index_add(&t->by_id, hash_u64(id), (uint32_t)t->ids.nr);
	vec_push(&t->ids, (struct event_id){ .id = id, .event = ev->number, .idx = -1, .cpu = -1, .tid = -1 });
}

/* The distance of the id in the trailer from the record's end; 0: the trailer has no id. */
static unsigned id_from_end(const struct sample_layout *l)
{
	uint64_t after_id = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (!l->id_size)
		return 0;
	if (l->type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	return l->type & PERF_SAMPLE_ID ? 8 + 8 * (unsigned)__builtin_popcountll(l->type & after_id) : 0;
}

/* The offsets of the ids of @l in a record; the first is the one that identifies the event. Returns their number. */
static unsigned ids_at(const struct sample_layout *l, const struct record_header *h, size_t at[2])
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	const uint64_t after = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	unsigned nr = 0, from_end = id_from_end(l);

	if (h->type == PERF_RECORD_SAMPLE) {
		if (l->id_at >= 0)
			at[nr++] = BODY_AT + (size_t)l->id_at;
		if (l->type & PERF_SAMPLE_IDENTIFIER && l->type & PERF_SAMPLE_ID)
			at[nr++] = BODY_AT + 8 * (size_t)__builtin_popcountll(l->type & before);
	} else if (from_end && h->size >= BODY_AT + l->id_size) {
		at[nr++] = h->size - from_end;
		if (l->type & PERF_SAMPLE_IDENTIFIER && l->type & PERF_SAMPLE_ID)
			at[nr++] = h->size - 8 - 8 * (size_t)__builtin_popcountll(l->type & after);
	}
	while (nr && at[nr - 1] + 8 > h->size)
		nr--;
	return nr;
}

static void complete_name(struct event *ev)
{
	struct buf b = {0};

	if (ev->name)
		return;
	attr_name(&ev->attr, &b);
	ev->unnamed = true;
	ev->name = xstrdup(buf_str(&b));
	buf_release(&b);
}

void event_table_finish(struct event_table *t)
{
	const struct sample_layout *first = t->events.nr ? &t->events.v[0]->layout : NULL;

	t->same_layout = t->same_trailer = true;
	vec_for(ev, &t->events) {
		const struct sample_layout *l = &(*ev)->layout;

		complete_name(*ev);
		if (l->id_at != first->id_at || id_from_end(l) != id_from_end(first))
			t->same_layout = false;
		if (l->id_size != first->id_size || (l->type ^ first->type) & SAMPLE_ID_TYPES)
			t->same_trailer = false;
	}
}

void event_table_release(struct event_table *t)
{
	vec_for(ev, &t->events) {
		free((void *)(uintptr_t)(*ev)->name);
		free((void *)(uintptr_t)(*ev)->unit);
		free((void *)(uintptr_t)(*ev)->group_name);
		vec_free(&(*ev)->ids);
		free(*ev);
	}
	vec_free(&t->events);
	vec_free(&t->ids);
	index_release(&t->by_id);
	t->nr_predescribed = 0;
	t->same_layout = t->same_trailer = false;
}

uint32_t event_table_attr_size(const struct event_table *t)
{
	uint32_t size = ATTR_SIZE_VER7;	/* perf 6.1 refuses larger attrs */

	vec_for(ev, &t->events)
		if ((*ev)->attr.config4)
			size = ATTR_SIZE_VER9;
		else if ((*ev)->attr.config3)
			size = MAX(size, ATTR_SIZE_VER8);
	return size;
}

bool event_table_has_groups(const struct event_table *t)
{
	vec_for(ev, &t->events)
		if ((*ev)->nr_members > 1)
			return true;
	return false;
}

bool event_counts_time(const struct event *ev)
{
	return attr_counts_time(&ev->attr) || (ev->name && str_eq(ev->name, OFF_CPU_NAME)) ||
	       (ev->attr.type == SYNTH_TYPE && ev->attr.config == SYNTH_WALL);
}

bool event_table_has_chains(const struct event_table *t)
{
	vec_for(ev, &t->events)
		if (event_shows(*ev, PERF_SAMPLE_CALLCHAIN))
			return true;
	return false;
}

bool event_is_dummy(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

bool event_table_only_counts(const struct event_table *t)
{
	size_t nr = 0;

	vec_for(ev, &t->events) {
		if ((*ev)->attr.sample_period && !event_is_dummy(*ev))
			return false;
		nr += !event_is_dummy(*ev);
	}
	return nr > 0;
}

struct event *event_by_id(const struct event_table *t, uint64_t id)
{
	struct event_id *e = event_id_info(t, id);

	return e ? t->events.v[e->event] : NULL;
}

static inline bool read_id_at(size_t at, const struct record_header *h, const void *record, uint64_t *id)
{
	if (at + sizeof(*id) > h->size)
		return false;
	memcpy(id, (const char *)record + at, sizeof(*id));
	return true;
}

/* The id of @record as @l has it; false: it carries none, or is too short for it. */
static bool read_id(const struct sample_layout *l, const struct record_header *h, const void *record, uint64_t *id)
{
	unsigned from_end = id_from_end(l);

	if (h->type == PERF_RECORD_SAMPLE)
		return l->id_at >= 0 && read_id_at(BODY_AT + (size_t)l->id_at, h, record, id);
	return from_end && h->size >= BODY_AT + from_end && read_id_at(h->size - from_end, h, record, id);
}

static struct event *event_by_own_layout(const struct event_table *t, const struct record_header *h,
					 const void *record, bool *any_id)
{
	bool zero = false;
	uint64_t id;

	vec_for(ev, &t->events) {
		if (!read_id(&(*ev)->layout, h, record, &id))
			continue;
		*any_id = true;
		if (event_by_id(t, id) == *ev)
			return *ev;
		zero |= !id && h->type != PERF_RECORD_SAMPLE;
	}
	return zero ? t->events.v[0] : NULL;	/* synthesized: of no particular event */
}

/* The event of a record other than a sample. Synthesized ones have id 0. */
static struct event *event_of_other(const struct event_table *t, uint32_t type, uint64_t id)
{
	const uint16_t of_all_events = SHOW_MMAP | SHOW_TASK | SHOW_SWITCH | SHOW_NAMESPACES | SHOW_CGROUP | SHOW_BPF |
				      SHOW_TEXT_POKE;
	struct event *ev = id ? event_by_id(t, id) : t->events.v[0];

	return ev || !t->same_trailer || !(record_type_of(type)->show & of_all_events) ? ev : t->events.v[0];
}

/* If all events have the id at the same offset in their records, uses that offset; else tries the offset of each event's layout. */
static struct event *event_of_any(const struct event_table *t, struct record_header h, const void *record)
{
	bool any_id = false;
	struct event *ev;
	uint64_t id;

	if (t->events.nr == 1 || h.type >= RECORD_HEADER_ATTR)
		return t->events.v[0];
	if (t->same_layout) {
		if (!read_id(&t->events.v[0]->layout, &h, record, &id))
			return t->events.v[0];
		return h.type == PERF_RECORD_SAMPLE ? event_by_id(t, id) : event_of_other(t, h.type, id);
	}
	ev = event_by_own_layout(t, &h, record, &any_id);
	return ev || any_id ? ev : t->events.v[0];
}

/* The fast path: most records are samples with an id at the common offset, whose event is the first guess. */
struct event *event_of_record(const struct event_table *t, const void *record)
{
	const struct sample_layout *l = t->events.nr ? &t->events.v[0]->layout : NULL;
	const struct event_id *found = NULL;
	struct record_header h;
	uint64_t id;

	if (!l)
		return NULL;
	memcpy(&h, record, sizeof(h));
	if (h.type == PERF_RECORD_SAMPLE && t->same_layout && l->id_at >= 0 &&
	    read_id_at(BODY_AT + (size_t)l->id_at, &h, record, &id))
		found = guess_id(t, id);
	return found ? t->events.v[found->event] : event_of_any(t, h, record);
}

void event_own_ids(const struct event_table *t, const struct event *ev, void *record)
{
	uint64_t id, own = ev->ids.nr ? ev->ids.v[0] : 0;
	struct record_header h;
	unsigned nr;
	size_t at[2];

	memcpy(&h, record, sizeof(h));
	nr = h.type < RECORD_HEADER_ATTR && ev->ids.nr ? ids_at(&ev->layout, &h, at) : 0;
	for (unsigned i = nr; i-- > 0;) {
		memcpy(&id, (char *)record + at[i], sizeof(id));
		if (event_by_id(t, id) == ev || (!id && h.type != PERF_RECORD_SAMPLE))
			own = id;
	}
	for (unsigned i = 0; i < nr; i++)
		memcpy((char *)record + at[i], &own, sizeof(own));
}

struct event *event_remember(struct event_memo *m, const struct event_table *t, const void *record)
{
	struct event *ev = event_of_record(t, record);
	struct record_header h;
	unsigned slot;
	uint64_t id;

	if (!ev || (t->events.nr > 1 && (!t->same_layout || ev->layout.id_at < 0))) {
		*m = (struct event_memo){0};
		return ev;
	}
	if (t->events.nr == 1) {
		m->slots[0].event = ev;
		return ev;
	}
	m->id_at = (uint16_t)(BODY_AT + ev->layout.id_at);
	memcpy(&h, record, sizeof(h));
	if (!read_id_at(m->id_at, &h, record, &id))
		return ev;
	slot = id % EVENT_MEMO_SLOTS;
	m->slots[slot].id = id;
	m->slots[slot].event = ev;
	return ev;
}
