/*
 * Writes differential folded stacks: "comm;outermost;...;innermost A B", a line for each stack of either side, as difffolded.pl of
 * FlameGraph writes them and flamegraph.pl draws them in red and blue.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_FOLDED_DIFF_H
#define CORE_SHOW_DIFF_FOLDED_DIFF_H

struct buf;
struct joined_tree;

/* Append the stacks of an event; periods are averages of a side's runs. */
void folded_diff_put(const struct joined_tree *t, struct buf *out);

#endif
