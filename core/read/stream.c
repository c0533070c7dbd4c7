/*
 * Reads the records that describe a recording in perf's pipe format: its events, feature sections and build ids. A file has these
 * data in its header instead.
 */
#include "core/read/stream.h"

#include <errno.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/perfdata/data_file.h"
#include "core/perfdata/record.h"
#include "core/model/machine.h"

/* perf of Linux 4.14 writes event descriptions before the attrs, in the same order. */
static struct event *add_attr(struct event_table *t, const struct event_attr *attr)
{
	struct event *ev;

	if (!t->nr_predescribed)
		return event_table_add(t, attr);
	ev = t->events.v[t->events.nr - t->nr_predescribed--];
	ev->attr = *attr;
	sample_layout_of(&ev->layout, attr);
	return ev;
}

static int on_attr(struct data_file *file, const struct record *rec)
{
	struct wire w = wire_reader(rec->payload.data, rec->payload.size);
	struct event_attr attr;
	struct event *ev;
	uint64_t id;

	if (attr_pass(&w, &attr, rec->payload.size))
		return -EINVAL;
	ev = add_attr(&file->events, &attr);
	while (wire_left(&w) >= 8) {
		wire_u64(&w, &id);
		event_table_add_id(&file->events, ev, id);
	}
	return 0;
}

static char *text_of(const struct record_event_update *u)
{
	return printable_text(xstrndup(u->data, strnlen(u->data, u->size)));
}

static int on_update(struct data_file *file, const struct record_event_update *u)
{
	struct event *ev = event_by_id(&file->events, u->id);

	if (!ev)
		return -EINVAL;
	if (u->type == EVENT_UPDATE_NAME) {
		free((char *)ev->name);
		ev->name = text_of(u);
		ev->unnamed = false;
	} else if (u->type == EVENT_UPDATE_UNIT) {
		free((char *)ev->unit);
		ev->unit = text_of(u);
	} else if (u->type == EVENT_UPDATE_SCALE && u->size >= sizeof(ev->scale)) {
		memcpy(&ev->scale, u->data, sizeof(ev->scale));
	}
	return 0;
}

static int on_feature(struct data_file *file, const struct record_feature *f)
{
	struct wire w = wire_reader(f->data, f->size);
	int err;

	w.swap = file->swap;
	if (f->id >= FEATURE_BITS)
		return 0;
	err = feature_pass(&w, (unsigned)f->id, &file->features, &file->events);
	if (err == -ENOTSUP)
		return 0;
	file->features.has[f->id] = true;
	return err;
}

static int on_build_id(struct machine *machine, const struct record *rec)
{
	struct build_id id = { .size = rec->build_id.size };

	memcpy(id.data, rec->build_id.build_id, sizeof(id.data));
	machine_add_build_id(machine, rec->build_id.filename, &id, rec->header.misc);
	return 0;
}

static void on_tracing_data(struct features *f, const uint8_t *data, size_t size)
{
	free(f->tracing_data);
	f->tracing_data = xmalloc(size);
	f->tracing_data_size = size;
	memcpy(f->tracing_data, data, size);
	f->has[FEATURE_TRACING_DATA] = true;
}

static void on_id_index(struct event_table *t, const struct record_id_index *x)
{
	for (uint64_t i = 0; i + 4 <= x->entries.nr; i += 4) {
		struct event_id *id = event_id_info(t, words_at(&x->entries, i));

		if (!id)
			continue;
		id->idx = (int32_t)words_at(&x->entries, i + 1);
		id->cpu = (int32_t)words_at(&x->entries, i + 2);
		id->tid = (int32_t)words_at(&x->entries, i + 3);
	}
}

bool stream_is_header(uint32_t type)
{
	switch (type) {
	case RECORD_HEADER_ATTR:
	case RECORD_TRACING_DATA:
	case RECORD_BUILD_ID:
	case RECORD_ID_INDEX:
	case RECORD_EVENT_UPDATE:
	case RECORD_HEADER_FEATURE:
		return true;
	default:
		return false;
	}
}

int stream_header(struct data_file *file, struct machine *machine, const struct record *rec,
		  const uint8_t *trailing, size_t size)
{
	switch (rec->header.type) {
	case RECORD_HEADER_ATTR:
		/* A file has its attrs in the header; a stream saved inside one would repeat them. */
		return file->stream ? on_attr(file, rec) : 0;
	case RECORD_EVENT_UPDATE:
		return on_update(file, &rec->event_update);
	case RECORD_HEADER_FEATURE:
		return on_feature(file, &rec->feature);
	case RECORD_BUILD_ID:
		return on_build_id(machine, rec);
	case RECORD_TRACING_DATA:
		on_tracing_data(&file->features, trailing, size);
		return 0;
	case RECORD_ID_INDEX:
		on_id_index(&file->events, &rec->id_index);
		return 0;
	}
	return 0;
}
