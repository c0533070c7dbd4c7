/*
 * Parses a sample to find the bytes of its user stack copy that come after the first dyn_size bytes (PERF_SAMPLE_STACK_USER).
 * The kernel does not write these bytes, so backlog.c does not copy them.
 * Layer: open
 */
#include "core/record/open/stack_hole.h"

#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"

struct stack_hole stack_hole_of(const struct ring_layouts *r, const uint8_t *record, uint16_t size)
{
	const struct event *ev = event_of_record(r->events, record);
	const struct sample_layout *l = ev ? &r->recorded[ev->number] : NULL;
	struct stack_hole none = {0};
	struct sample sample = {0};
	uint32_t stack;
	struct wire w;

	if (!l || !(l->type & PERF_SAMPLE_STACK_USER))
		return none;
	w = wire_reader(record + sizeof(struct record_header), size - sizeof(struct record_header));
	if (sample_pass(&w, l, &sample) || sample.stack_dyn_size > sample.stack_size || !sample.stack_size)
		return none;
	stack = (uint32_t)((const uint8_t *)sample.stack - record);
	return (struct stack_hole){ stack + (uint32_t)sample.stack_dyn_size, stack + (uint32_t)sample.stack_size };
}
