/* Counts of records as text. Layer: report */
#include "core/report/counts.h"

#include "core/base/buf.h"
#include "core/flow/session.h"

static void put_count(struct buf *out, const char *name, uint64_t nr)
{
	buf_right(out, name, 20);
	buf_puts(out, " events: ");
	buf_dec(out, nr, 10);
}

static void put_share(struct buf *out, const char *name, uint64_t nr, uint64_t total)
{
	put_count(out, name, nr);
	buf_printf(out, "  (%4.1f%%)\n", 100.0 * (double)nr / (double)total);
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
			put_share(out, record_name(type), c->by_type[type], total);
	if (c->unknown)
		put_share(out, "(unknown)", c->unknown, total);
	vec_for(event, &session_events(s)->events) {
		uint32_t number = (*event)->number;

		if (number >= c->samples_by_event.nr || !c->samples_by_event.v[number])
			continue;
		buf_printf(out, "%s stats:\n", (*event)->name);
		put_count(out, "SAMPLE", c->samples_by_event.v[number]);
		buf_putc(out, '\n');
	}
}
