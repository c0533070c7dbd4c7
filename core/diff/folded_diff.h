/*
 * Differential folded stacks: "comm;outermost;...;innermost A B", a line for each stack of either side, as difffolded.pl of
 * FlameGraph writes them and flamegraph.pl draws them in red and blue.
 * Layer: diff
 */
#ifndef CORE_DIFF_FOLDED_DIFF_H
#define CORE_DIFF_FOLDED_DIFF_H

#include <stddef.h>

#include "core/diff/match.h"

struct buf;

/* Append the stacks of an event; periods are averages of a side's runs. Functions have the names of A: see match.h. */
void folded_diff_put(const struct diff_run *runs, size_t nr, struct buf *out);

#endif
