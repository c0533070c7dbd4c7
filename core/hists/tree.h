/*
 * Builds a tree of call chains, and draws it as the call graph below a row of a report (core/show/report/draw.c). Also parses
 * the option -g, which chooses the form of the graph.
 */
#ifndef CORE_HISTS_TREE_H
#define CORE_HISTS_TREE_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/hists/location.h"

enum tree_form { TREE_GRAPH, TREE_FRACTAL, TREE_FLAT, TREE_FOLDED, TREE_NONE };
/* Frames are merged if they have the same function, source line (of the call), or address. */
enum tree_key { TREE_BY_FUNCTION, TREE_BY_LINE, TREE_BY_ADDRESS };
enum tree_value { TREE_PERCENT, TREE_PERIOD, TREE_COUNT };

struct tree_opts {
	enum tree_form form;
	enum tree_value value;
	enum tree_key key;
	double min_percent;	/* least share that is drawn: of the event's total; with TREE_FRACTAL of the parent */
	uint64_t print_limit;	/* at most so many children of a fork, or frames before the first; flat, folded: paths; 0: all */
	bool caller_first;	/* paths begin at the outermost caller */
	bool order_given;
	bool branches;		/* paths begin with a sample's last branches: hists_opts.branch_history */
	bool screen;		/* the text is for a terminal: escape control characters */
	unsigned width;		/* names are shortened to fit lines of this width; 0: not shortened */
	uint64_t max_lines;	/* at most this many lines of an entry's graph; 0: all */
};

struct call_node {
	uint32_t location, parent;
	uint32_t nr_children;
	uint64_t period, nr;		/* sums over paths that end here */
	uint64_t all_period, all_nr;	/* sums over all paths through the node: set by call_tree_print() */
};

struct call_step { uint32_t location, node; };

/* The call chains of one entry. Chains are added as paths, and common prefixes of the paths are merged. */
struct call_tree {		/* = {0}; [0] of nodes is the root, made by the first path */
	VEC(struct call_node) nodes;
	struct index by_parent;
	VEC(struct call_step) last;	/* the path added last: the next one often begins with the same nodes */
};

/* Adds a path of @nr locations; the entry's own is the first or the last. */
void call_tree_add(struct call_tree *t, const uint32_t *path, size_t nr, uint64_t period, uint64_t nr_samples);

struct tree_scale {
	uint64_t total;		/* the base of percentages: the event's period */
	uint64_t entry;		/* the entry's period, with --children including its callees */
	bool skip_first;	/* a lone first frame is not drawn: it is the entry, which was printed */
};

/* Draws the tree below an entry; sets .all_period and .all_nr of its nodes. */
void call_tree_print(struct call_tree *t, const struct locations *locations, const struct tree_opts *opts,
		     const struct tree_scale *scale, struct buf *out);
void call_tree_release(struct call_tree *t);

/* Parses -g: "graph,0.5,caller,function,percent" in any order, into @out. Returns 0, or -1 after an error, which it prints. */
int tree_opts_parse(struct tree_opts *out, const char *arg);

#endif
