/*
 * Formats cells of the tables of waits and requests of prec report: --latency-hist, --pair, --slices and --critical-path. A cell
 * is a number for people in columns or, with a separator, for programs.
 */
#ifndef CORE_SHOW_REPORT_WAIT_CELLS_H
#define CORE_SHOW_REPORT_WAIT_CELLS_H

#include <stddef.h>
#include <stdint.h>

struct buf;

#define WAIT_CELL	10u	/* columns, and a blank after it */

/* The functions append to @out. @separator: follows the cell; NULL: for people. */
void put_length_cell(const char *separator, uint64_t ns, struct buf *out);
void put_count_cell(const char *separator, size_t nr, struct buf *out);
/* A line of titles of @nr cells, and of the last column, which is no cell. */
void put_cell_titles(const char *separator, const char *const *titles, size_t nr, const char *last, struct buf *out);

struct spread { size_t nr; uint64_t total, p50, p90, p99, max; };	/* of lengths in ns */

/* The place, among @nr sorted lengths, of the smallest one that at least @permille of all do not exceed. */
static inline size_t percentile_place(size_t nr, unsigned permille)
{
	return (nr * permille + 999) / 1000 - 1;
}

void put_spread_titles(const char *separator, const char *last, struct buf *out);
void put_spread(const char *separator, const struct spread *s, struct buf *out);

/* What a thread does: "running", "ready, without a CPU", "off: futex". @phase: enum path_kind; if OFF, plus the wait's reason. */
void put_phase(uint8_t phase, struct buf *out);

#endif
