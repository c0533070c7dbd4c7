/*
 * Writes the joined call tree (joined_tree.h) as one HTML page, for prec diff --format html. The page shows a flame graph of
 * recording A, of recording B, or of both. In the graph of both, functions that take more time in B are red, and functions that
 * take less are blue. The page loads nothing from the network. The part of its URL after '#' holds the displayed side, node and
 * search text.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_TREE_PAGE_H
#define CORE_SHOW_DIFF_TREE_PAGE_H

#include "core/show/diff/diff.h"

struct buf;
struct joined_tree;

struct tree_page_words {			/* borrowed */
	const char *sides[NR_SIDES];		/* names of the recordings */
	const char *findings;			/* those of both recordings in one line; may be empty */
};

void tree_page_put(const struct joined_tree *t, const char *event, const struct tree_page_words *words, struct buf *out);

#endif
