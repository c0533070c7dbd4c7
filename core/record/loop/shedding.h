/*
 * Decides when the kernel copies smaller parts of stacks into samples, or none, because the recorder cannot keep up. Such a
 * reduction is called shedding. pumps.c asks for the decision and carries it out.
 */
#ifndef CORE_RECORD_LOOP_SHEDDING_H
#define CORE_RECORD_LOOP_SHEDDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record/open/event_set.h"

struct shedding {			/* the state of one ring buffer; = {0} */
	enum stack_shed shed;		/* the present amount of shedding; set by the caller */
	uint64_t hold_ns;		/* how long shedding lasts at least */
	uint64_t since_ns, back_ns;	/* .since_ns: since when there has been room; .back_ns: when shedding last ended.
					 * CLOCK_MONOTONIC; 0: never */
	uint64_t need_ns, need_at;	/* .need_ns: when shedding was last needed; .need_at: the position in the ring buffer at
					 * that time */
};

struct shedding_input {			/* the state of a ring buffer after its data were copied to its backlog (backlog.h) */
	uint64_t fill, size;		/* .fill: bytes that wait in the backlog; .size: bytes that fit in it, not 0 */
	uint64_t at;			/* the position in the ring buffer up to which data were copied */
	bool full, late;		/* .full: the ring buffer itself had no room; .late: it was more than half full, or is
					 * emptied late */
	uint64_t now_ns;
};

/* Returns how much to shed now. */
enum stack_shed shedding_wanted(struct shedding *s, const struct shedding_input *l);

#endif
