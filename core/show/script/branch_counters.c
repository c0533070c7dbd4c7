/*
 * Prints the event counts of each branch as letters, for the column brcntr of prec script. A letter stands for an event, and is
 * printed once for each count: AAB means two of event A and one of event B.
 */
#include "core/show/script/branch_counters.h"

#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/sample.h"

#define LETTERS 26u

static bool counts(const struct event *ev)
{
	return ev->attr.branch_sample_type & SAMPLE_BRANCH_COUNTERS;
}

static void put_letter(unsigned n, struct buf *out)
{
	if (n < LETTERS)
		buf_putc(out, (char)('A' + n));
	else
		buf_printf(out, "<%u>", n);
}

int branch_counters_check(const struct event_table *events)
{
	vec_for(ev, &events->events)
		if (counts(*ev))
			return 0;
	return error("field 'brcntr': no event was counted along branches. Record with -j any,counter, on a processor that can");
}

void branch_counters_put_legend(const struct event_table *events, struct buf *out)
{
	unsigned n = 0;

	buf_puts(out, "# Branch counter abbr list:\n");
	vec_for(ev, &events->events) {
		if (!counts(*ev))
			continue;
		buf_puts(out, "# ");
		buf_put_printable(out, (*ev)->name);
		buf_puts(out, " = ");
		put_letter(n++, out);
		buf_putc(out, '\n');
	}
	buf_puts(out, "# '-' No event occurs\n# '+' Event occurrences may be lost due to branch counter saturated\n");
}

unsigned branch_counters_width(const struct features *features)
{
	vec_for(pmu, &features->pmu_caps)
		for (size_t i = 0; i < pmu->names.nr; i++)
			if (str_eq(pmu->names.v[i], "branch_counter_width")) {
				unsigned long width = strtoul(pmu->values.v[i], NULL, 10);

				return width < 32 ? (unsigned)width : 0;
			}
	return 0;
}

void branch_counters_put(const struct event_table *events, const struct event *event, unsigned width, uint64_t word,
			 struct buf *out)
{
	const struct event *leader = events->events.v[event->leader];
	unsigned at = 0, n = 0;
	bool any = false;

	for (size_t i = 0; i < events->events.nr; i++) {
		const struct event *ev = events->events.v[i];
		uint64_t count;

		if (!counts(ev))
			continue;
		n++;
		if (ev->leader != leader->number)
			continue;
		count = at + width <= 64 ? word >> at & ((1u << width) - 1) : 0;
		at += width;
		for (uint64_t k = 0; k < count && k < UINT16_MAX; k++)
			put_letter(n - 1, out);
		if (width && count == (1u << width) - 1)
			buf_putc(out, '+');
		any |= count > 0;
	}
	if (!any)
		buf_putc(out, '-');
}
