/* Formats times, shares and numbers for the tables of waits and requests (wait_cells.h). */
#include "core/show/report/wait_cells.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/sched/wait_path.h"
#include "core/sched/wait_reason.h"
#include "core/ui/fit.h"

void put_length_cell(const char *separator, uint64_t ns, struct buf *out)
{
	struct buf text = {0};

	if (separator) {
		buf_printf(out, "%" PRIu64 "%s", ns, separator);
		return;
	}
	put_length(&text, ns);
	buf_printf(out, "%*s ", (int)WAIT_CELL, buf_str(&text));
	buf_release(&text);
}

void put_count_cell(const char *separator, size_t nr, struct buf *out)
{
	buf_printf(out, "%*zu%s", separator ? 0 : (int)WAIT_CELL, nr, separator ? separator : " ");
}

void put_cell_titles(const char *separator, const char *const *titles, size_t nr, const char *last, struct buf *out)
{
	for (size_t i = 0; i < nr; i++)
		if (separator)
			buf_printf(out, "%s%s%s", i ? "" : "# ", titles[i], separator);
		else
			buf_printf(out, "%s%*s ", i ? "" : "#", (int)WAIT_CELL - !i, titles[i]);
	buf_printf(out, "%s\n", last);
}

void put_spread_titles(const char *separator, const char *last, struct buf *out)
{
	static const char *const titles[] = { "Count", "Total", "p50", "p90", "p99", "Max" };

	put_cell_titles(separator, titles, ARRAY_SIZE(titles), last, out);
}

void put_spread(const char *separator, const struct spread *s, struct buf *out)
{
	const uint64_t lengths[] = { s->total, s->p50, s->p90, s->p99, s->max };

	put_count_cell(separator, s->nr, out);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		put_length_cell(separator, lengths[i], out);
}

void put_phase(uint8_t phase, struct buf *out)
{
	const char *reason = phase < PATH_OFF ? "" : wait_reason_name((enum wait_reason)(phase - PATH_OFF));

	if (phase < PATH_OFF)
		buf_puts(out, phase == PATH_RUNNING ? "running" : "ready, without a CPU");
	else
		buf_printf(out, "off: %s", *reason ? reason : "[unknown]");
}
