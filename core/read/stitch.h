/*
 * Extends call chains from the processor's LBR buffer (--call-graph lbr) by outer calls that the buffer lost, as perf's
 * --stitch-lbr does. stitch_find.c finds the lost calls. item_reader.c adds them to the chains.
 */
#ifndef CORE_READ_STITCH_H
#define CORE_READ_STITCH_H

#include "core/base/vec.h"

/*
 * The LBR buffer holds a limited number of calls, and deeper calls overwrite the outermost calls. If two consecutive samples of a
 * thread have equal entries at the same places of the buffer, the calls in these entries have not returned yet. Then the calls
 * outside of them in the earlier sample have not returned either, and are added to the later sample.
 *
 * The calls that are added to a chain are a linked list, innermost first. Lists of several samples share their outer calls, because
 * a list may end in the list of an earlier sample.
 */
struct stitch_link {
	uint64_t from;		/* the address that the call came from */
	uint32_t outer;		/* index in .links of the next outer call; 0: this is the outermost */
	uint32_t length;	/* number of calls in the list from this one on */
};

struct stitched_sample { uint64_t position; uint32_t link; };	/* .position: of the sample; .link: the first call to add to it */

struct stitches {			/* read-only once it is finished, and safe from any thread */
	VEC(struct stitch_link) links;	/* [0] is unused: link 0 means none */
	VEC(struct stitched_sample) samples;	/* samples to which calls are added, sorted by .position */
};

/* Makes an empty struct, which session_stitch_calls() fills. Owned by the caller. */
struct stitches *stitches_new(void);
/* Call it after the last addition: it sorts .samples. */
void stitches_finish(struct stitches *s);
void stitches_free(struct stitches *s);
/* The index in .links of the first call to add to the sample at @position; 0: no calls are added. @s may be NULL. */
uint32_t stitches_find(const struct stitches *s, uint64_t position);

#endif
