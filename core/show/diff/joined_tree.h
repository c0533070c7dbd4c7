/*
 * Merges the call trees of the two recordings that prec diff compares, A and B, into one tree. Each node has its weight (such as
 * CPU time) in A and in B. tree_print.h prints the tree, and tree_page.h draws it.
 */
#ifndef CORE_SHOW_DIFF_JOINED_TREE_H
#define CORE_SHOW_DIFF_JOINED_TREE_H

#include "core/show/diff/diff.h"

#define JOINED_ROOT	0u

/* A path of functions below a thread's name. A renamed function, or one inlined on one side only, has its name in A (match.h). */
struct joined_node {
	uint32_t parent;		/* a lower number; the root is its own parent */
	const char *name;		/* interned in .strings of the tree; may have any bytes; "" for the root */
	bool comm;			/* .name is a thread's name */
	double self[NR_SIDES], total[NR_SIDES];	/* averages over a side's runs, per unit of work (--per) */
	double moved;			/* the differences of .self here and below, without their signs */
};

struct joined_tree {			/* read-only */
	VEC(struct joined_node) nodes;	/* [0] is the root */
	enum profile_unit unit;
	enum diff_per per;
	size_t nr_runs[NR_SIDES];
	bool has_chains;		/* a call stack has more than one function */
	struct match *match;
	struct strtab *strings;
};

/* Takes the same arguments as diff_new(). Returns 0 and *out (joined_tree_free()), or -1 after printing an error. */
int joined_tree_new(struct joined_tree **out, const struct diff_run *runs, size_t nr, const struct diff_opts *opts);
void joined_tree_free(struct joined_tree *t);

static inline double joined_change(const struct joined_node *n)
{
	return n->total[SIDE_B] - n->total[SIDE_A];
}

#endif
