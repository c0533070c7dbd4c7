/*
 * Writes the call tree of two recordings, A and B (joined_tree.h), as an HTML page with flame graphs, for prec diff --format html.
 * tree_print.h prints the same tree as text.
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

/* Shows A, B or both (red: more in B; blue: less). Loads nothing. After '#', the URL has the side, node and search text. */
void tree_page_put(const struct joined_tree *t, const char *event, const struct tree_page_words *words, struct buf *out);

#endif
