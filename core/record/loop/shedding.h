/*
 * When copies of stacks are left out of the samples of a ring, and when they are taken again: pure of rings and clocks.
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

/*
 * How much is to be shed, with @fill bytes in a memory of @size, which is not 0, up to position @at of the ring. @full: the ring
 * itself had no room, for the thread that empties it came late.
 */
enum stack_shed shedding_wanted(struct shedding *s, uint64_t fill, uint64_t size, uint64_t at, bool full,
				uint64_t now);

#endif
