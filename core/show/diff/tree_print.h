/*
 * Prints the merged call tree of two recordings (joined_tree.h) as text, for prec diff --tree and --folded. In the tree the
 * largest changes come first, and nodes that changed little are left out unless --all is given.
 */
#ifndef CORE_SHOW_DIFF_TREE_PRINT_H
#define CORE_SHOW_DIFF_TREE_PRINT_H

#include "core/show/diff/diff.h"

struct buf;
struct joined_tree;
struct terminal;

/* Appends the numbers before a name, for the amounts @a and @b; TREE_TITLES are their titles. */
void tree_put_numbers(enum profile_unit unit, enum diff_per per, double a, double b, struct buf *out);
#define TREE_TITLES "         A         B    change     ratio  "
/* Appends one amount: "105 ms". */
void tree_put_amount(enum profile_unit unit, enum diff_per per, double v, struct buf *out);

/* @event: its name. @all: prints nodes that did not change, too. */
void tree_print(const struct joined_tree *t, const char *event, bool all, const struct terminal *screen, struct buf *out);

/*
 * For prec diff --folded: appends all stacks as lines "comm;outermost;...;innermost A B", with the amounts of the stack in
 * recordings A and B, which are averages over a side's runs. difffolded.pl of FlameGraph writes the same format, and flamegraph.pl
 * draws it in red and blue.
 */
void tree_print_folded(const struct joined_tree *t, struct buf *out);

#endif
