/*
 * Writes differential folded stacks for prec diff --folded. Each line is "comm;outermost;...;innermost A B", with the amounts of
 * the stack in recordings A and B. difffolded.pl of FlameGraph writes the same format, and flamegraph.pl draws it in red and blue.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_FOLDED_DIFF_H
#define CORE_SHOW_DIFF_FOLDED_DIFF_H

struct buf;
struct joined_tree;

/* Appends all stacks of the tree. Amounts are averages over a side's runs. */
void folded_diff_put(const struct joined_tree *t, struct buf *out);

#endif
