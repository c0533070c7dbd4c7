/*
 * Decides when the samples of a ring buffer lose their copies of stacks, because the recorder cannot keep up, and when they get
 * them again. The decision depends only on the arguments. pumps.c asks for it and carries it out.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_SHEDDING_H
#define CORE_RECORD_LOOP_SHEDDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record/open/event_set.h"

struct shedding {			/* of a ring; = {0} */
	enum stack_shed shed;		/* as it is now; the caller sets it */
	uint64_t hold_ns;		/* how long shedding lasts at least */
	uint64_t since_ns, back_ns;	/* when there was room again, and when it last ended: CLOCK_MONOTONIC; 0: never */
	uint64_t need_ns, need_at;	/* when it was last needed, and at which position of the ring */
};

struct shedding_input {			/* at a ring, as its data are copied */
	uint64_t fill, size;		/* of the memory: bytes that wait, of this many (not 0) */
	uint64_t at;			/* the position in the ring up to which they came */
	bool full, late;		/* the ring itself had no room; it was more than half full, or is emptied late */
	uint64_t now_ns;
};

/* Returns how much to shed now. */
enum stack_shed shedding_wanted(struct shedding *s, const struct shedding_input *l);

#endif
