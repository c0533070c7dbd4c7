/*
 * The joined call tree as text: what changed most first, what did not change left out.
 * Layer: diff
 */
#ifndef CORE_DIFF_TREE_PRINT_H
#define CORE_DIFF_TREE_PRINT_H

#include <stdbool.h>

struct buf;
struct joined_tree;
struct terminal;

/* @event: its name. @all: nodes that did not change, too. */
void tree_print(const struct joined_tree *t, const char *event, bool all, const struct terminal *screen, struct buf *out);

#endif
