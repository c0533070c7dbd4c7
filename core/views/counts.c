/* Counts of records as text. Layer: views */
#include "core/views/counts.h"

#include "core/base/buf.h"
#include "core/flow/session.h"

static void put_count(struct buf *out, const char *name, uint64_t nr)
{
	buf_right(out, name, 20);
	buf_puts(out, " events: ");
	buf_dec(out, nr, 10);
}

/* Of what the kernel wrote, with its share; what user space added is none of it. */
static void put_type(struct buf *out, uint32_t type, uint64_t nr, uint64_t total)
{
	put_count(out, record_name(type), nr);
	if (type < RECORD_HEADER_ATTR)
		buf_printf(out, "  (%4.1f%%)", total ? 100.0 * (double)nr / (double)total : 0.0);
	buf_putc(out, '\n');
}

void counts_print(const struct session *s, struct buf *out)
{
	const struct session_counts *c = session_counts(s);
	uint64_t total = c->unknown;

	for (uint32_t type = 0; type < RECORD_MAX; type++)
		total += c->by_type[type];
	buf_puts(out, "\nAggregated stats:\n");
	put_count(out, "TOTAL", total);
	buf_putc(out, '\n');
	for (uint32_t type = 0; type < RECORD_MAX; type++)
		if (c->by_type[type] && record_name(type))
			put_type(out, type, c->by_type[type], total);
	if (c->unknown) {
		put_count(out, "(unknown)", c->unknown);
		buf_putc(out, '\n');
	}
	vec_for(event, &session_events(s)->events) {
		uint32_t number = (*event)->number;

		if (number >= c->samples_by_event.nr || !c->samples_by_event.v[number])
			continue;
		buf_printf(out, "%s stats:\n", (*event)->name);
		put_count(out, "SAMPLE", c->samples_by_event.v[number]);
		buf_putc(out, '\n');
	}
}
