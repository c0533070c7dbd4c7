/*
 * The joined call tree as one HTML page: a flame graph of A, of B, or of both with what grew in red and what shrank in blue. The
 * page loads nothing from the network, and keeps its view (side, node, search) in the part of its URL after '#'.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_TREE_PAGE_H
#define CORE_SHOW_DIFF_TREE_PAGE_H

#include "core/show/diff/diff.h"

struct buf;
struct joined_tree;

struct tree_page_words {			/* borrowed */
	const char *sides[NR_SIDES];		/* names of the recordings */
	const char *findings;			/* of both sides in a line; may be empty */
};

void tree_page_put(const struct joined_tree *t, const char *event, const struct tree_page_words *words, struct buf *out);

#endif
