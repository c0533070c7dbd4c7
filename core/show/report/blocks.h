/*
 * Prints the basic blocks of code with the CPU cycles spent in each, for prec report --total-cycles. core/code/block_cycles.c
 * computes the cycles.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_BLOCKS_H
#define CORE_SHOW_REPORT_BLOCKS_H

#include <stdbool.h>

struct blocks;
struct buf;
struct machine;

/* Appends a row for each block with at least @min_percent of the cycles. @titles: after a line of titles. */
void blocks_print(const struct blocks *b, const struct machine *m, double min_percent, bool titles, struct buf *out);

#endif
