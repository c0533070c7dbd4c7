/*
 * Sets the valid size (dyn_size) of the stack copy to 0 in samples whose stack the kernel left out because the recorder could
 * not keep up. shedding.c decides when stacks are left out.
 */
#include "core/record/loop/shed_stacks.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"
#include "core/record/open/ring.h"
#include "core/unwind/chain_cuts.h"

#define SAMPLE_MOST	(UINT16_MAX + 1u)

/* Returns the offset in the record @bytes of the size of the stack's valid part, or 0 if the stack was not shed. */
static size_t valid_size_at(const struct event_table *t, const char *bytes, uint16_t size)
{
	const struct event *ev = event_of_record(t, bytes);
	struct sample s = {0};
	struct wire w;

	if (!ev || !(ev->layout.type & PERF_SAMPLE_STACK_USER))
		return 0;
	w = wire_reader((const uint8_t *)bytes + sizeof(struct record_header), size - sizeof(struct record_header));
	if (sample_pass(&w, &ev->layout, &s) || !sample_is_shed(&s, ev->attr.sample_stack_user))
		return 0;
	return (size_t)((const char *)s.stack - bytes) + s.stack_size;
}

uint64_t shed_stacks_mark(const struct event_table *t, const struct ring_span *s)
{
	const uint64_t none = 0;
	char bytes[SAMPLE_MOST];
	struct record_header h;
	uint64_t nr = 0;
	size_t size_at;

	for (uint64_t at = s->from; ring_record(s, at, &h); at += h.size) {
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		ring_copy(s, at, bytes, h.size);
		size_at = valid_size_at(t, bytes, h.size);
		if (!size_at)
			continue;
		/* Records begin at multiples of 8, as do their fields: the word does not wrap. */
		memcpy((uint8_t *)(uintptr_t)s->data + ((at + size_at) & s->mask), &none, sizeof(none));
		nr++;
	}
	return nr;
}
