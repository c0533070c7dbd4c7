/*
 * The joined call tree as one HTML page: a flame graph of A, of B, or of both with what grew in red and what shrank in blue. The
 * page loads nothing from the network, and keeps its view (side, node, search) in the part of its URL after '#'.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_TREE_PAGE_H
#define CORE_SHOW_DIFF_TREE_PAGE_H

struct buf;
struct joined_tree;

/* @event: its name; @a, @b: the names of the sides. */
void tree_page_put(const struct joined_tree *t, const char *event, const char *a, const char *b, struct buf *out);

#endif
