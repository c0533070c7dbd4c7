/* Reading of items. Layer: flow */
#include "core/flow/item_reader.h"

#include <string.h>

#include "core/flow/session_impl.h"
#include "core/model/machine.h"

void item_reader_init(struct item_reader *r, const struct session *s)
{
	*r = (struct item_reader){ .session = s, .cache = where_cache_new(s->machine) };
}

void item_reader_release(struct item_reader *r)
{
	where_cache_free(r->cache);
	r->cache = NULL;
}

static const struct item *sample_item(struct item_reader *r)
{
	struct item *item = &r->item;
	const struct sample *s = &r->record.sample;

	item->sample = s;
	item->time = item->event->layout.time_at >= 0 ? s->time : 0;
	item->cpumode = r->record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	item->at = scan_time(&r->session->scan, s->time, item->position);
	item->where = machine_where(r->cache, s->pid, s->tid, item->at);
	return item;
}

/*
 * The fields that an event does not record are zero, and stay so from one sample of a layout to the next. But the
 * second size of a stack dump is not always there.
 */
static int read_sample(struct item_reader *r, const uint8_t *record, const struct sample_layout *layout)
{
	struct wire w = wire_reader(record + sizeof(struct record_header), r->record.header.size - sizeof(struct record_header));

	if (r->layout != layout || layout->type & PERF_SAMPLE_STACK_USER)
		r->record.sample = (struct sample){0};
	r->layout = layout;
	return sample_pass(&w, layout, &r->record.sample);
}

static int read_other(struct item_reader *r, const uint8_t *record, const struct sample_layout *layout)
{
	r->layout = NULL;
	return record_read(&r->record, record, layout);
}

const struct item *item_read(struct item_reader *r, const uint8_t *record, uint64_t position)
{
	const struct event *ev = event_of_record(&r->session->file->events, record);
	const struct sample_layout *layout = ev ? &ev->layout : NULL;
	bool is_sample;

	memcpy(&r->record.header, record, sizeof(r->record.header));
	is_sample = r->record.header.type == PERF_RECORD_SAMPLE;
	if (is_sample && !ev) {
		r->no_event++;
		return NULL;
	}
	if (is_sample ? read_sample(r, record, layout) : read_other(r, record, layout)) {
		if (is_sample)
			damage_add(&r->damaged, chunk_file_offset(&r->session->scan.chunks, position), r->record.header);
		return NULL;
	}
	r->record.offset = chunk_file_offset(&r->session->scan.chunks, position);
	r->item = (struct item){ .record = &r->record, .bytes = record, .event = ev, .position = position };
	if (is_sample)
		return sample_item(r);
	r->item.time = r->record.id.has_time ? r->record.id.time : 0;
	r->item.at = scan_time(&r->session->scan, r->item.time, position);
	return &r->item;
}
