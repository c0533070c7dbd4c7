/*
 * Prints the table of prec report --total-cycles. A row has a basic block's cycles, its range of source lines or addresses, and
 * its function. core/code/block_cycles.c computes the cycles.
 * Layer: report
 */
#include "core/show/report/blocks.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/model/srcline.h"
#include "core/code/block_cycles.h"

static const char titles_line[] = "# Sampled Cycles%  Sampled Cycles  Avg Cycles%  Avg Cycles  ";

/* Appends "main.c:12". False: the line is not known, and nothing is appended. */
static bool put_line(const struct machine *m, const struct cycle_block *b, uint64_t addr, struct buf *out)
{
	struct addr_location location;
	struct frames frames;
	const char *name;

	machine_resolve(m, b->space, addr_location_unmap(&b->end, addr), &location);
	frames = location.dso ? addr_location_frames(&location) : (struct frames){0};
	if (!frames.nr || !frames.v[0].file || !frames.v[0].line)
		return false;
	name = strrchr(frames.v[0].file, '/');
	buf_printf(out, "%s:%" PRIu32, name ? name + 1 : frames.v[0].file, frames.v[0].line);
	return true;
}

/* Appends "[main.c:12 -> main.c:14]", or the same with offsets in the function. */
static void put_range(const struct machine *m, const struct cycle_block *b, struct buf *out)
{
	size_t start = out->len;
	bool known;

	buf_putc(out, '[');
	known = put_line(m, b, b->start, out);
	buf_puts(out, " -> ");
	known = known && put_line(m, b, b->end.addr, out);
	if (!known) {
		out->len = start;
		buf_printf(out, "[%7" PRIx64 " -> %7" PRIx64, b->start - b->end.symbol->start,
			   b->end.addr - b->end.symbol->start);
	}
	buf_putc(out, ']');
}

struct widths { size_t range, dso; };

static void measure(const struct blocks *b, const struct machine *m, struct widths *w)
{
	struct buf text = {0};

	vec_for(block, &b->list) {
		text.len = 0;
		put_range(m, block, &text);
		w->range = MAX(w->range, text.len);
		w->dso = MAX(w->dso, strlen(block->end.dso->name));
	}
	buf_release(&text);
}

static void put_titles(const struct widths *w, struct buf *out)
{
	buf_puts(out, titles_line);
	buf_right(out, "[Program Block Range]", (unsigned)w->range);
	buf_puts(out, "  ");
	buf_right(out, "Shared Object", (unsigned)w->dso);
	buf_puts(out, "  Symbol\n# ...............  ..............  ...........  ..........  ");
	buf_fill(out, '.', w->range);
	buf_puts(out, "  ");
	buf_fill(out, '.', w->dso);
	buf_puts(out, "  ......\n#\n");
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void put_row(const struct blocks *b, const struct machine *m, const struct cycle_block *block, const struct widths *w,
		    struct buf *out)
{
	uint64_t average = block->cycles / block->nr;
	struct buf range = {0};

	put_range(m, block, &range);
	buf_printf(out, "%16.2f%%  %14" PRIu64 "  %10.2f%%  %10" PRIu64 "  ", percent(block->cycles, b->cycles), block->cycles,
		   percent(average, b->average), average);
	buf_right(out, buf_str(&range), (unsigned)w->range);
	buf_puts(out, "  ");
	buf_right(out, block->end.dso->name, (unsigned)w->dso);
	buf_printf(out, "  %s\n", block->end.symbol->name);
	buf_release(&range);
}

void blocks_print(const struct blocks *b, const struct machine *m, double min_percent, bool titles, struct buf *out)
{
	struct widths w = { strlen("[Program Block Range]"), strlen("Shared Object") };

	measure(b, m, &w);
	if (titles)
		put_titles(&w, out);
	vec_for(block, &b->list)
		if (percent(block->cycles, b->cycles) >= min_percent)
			put_row(b, m, block, &w, out);
	buf_putc(out, '\n');
}
