/*
 * Merges call stacks with few samples, so that the profile fits into an HTML page. thin.c passes it the share of samples below
 * which a stack is merged.
 */
#ifndef CORE_SHOW_EXPORT_HTML_THIN_STACKS_H
#define CORE_SHOW_EXPORT_HTML_THIN_STACKS_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"

/* The leaf below "(merged)": the frame that ran, only its function, or nothing. From fine to coarse. */
enum thin_leaf { THIN_FRAME, THIN_FUNCTION, THIN_NOTHING };

struct page_stack { uint32_t parent, frame; };

struct thin_stacks {			/* thin_stacks_release() */
	VEC(struct page_stack) nodes;	/* [0] is the root; parents come first */
	uint32_t *of;			/* by stack of the profile: the node that stands for it */
	uint32_t nr_merged;		/* stacks of the profile that were merged */
	/* New frames are numbered after those of the profile: "(merged)", then one for each of .functions. */
	VEC(uint32_t) functions;
	struct index by_frame;		/* index of the nodes that stand for merged stacks */
	uint32_t *function_frames;	/* by function: its new frame; 0: not made yet */
};

/* For each node of @p: the largest share (0 to 1) of any event's weight in stacks through it. Owned by the caller. */
float *thin_shares(const struct profile *p);
/*
 * Leaves out nodes with a share below @least; 0: none. The samples of such a node move to a new stack: the callers that are kept, a
 * frame "(merged)", and usually the frame or function that ran (@leaf). So the sums of the kept callers do not change. The self
 * times do not change either, unless the last part is omitted (THIN_NOTHING).
 */
void thin_stacks(struct thin_stacks *t, const struct profile *p, const float *shares, double least, enum thin_leaf leaf);
void thin_stacks_release(struct thin_stacks *t);

#endif
