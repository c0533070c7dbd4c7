/*
 * What the first pass over a recording counted.
 * Layer: flow
 */
#ifndef CORE_FLOW_COUNTS_H
#define CORE_FLOW_COUNTS_H

#include "core/base/vec.h"
#include "core/format/abi.h"

struct session_counts {
	uint64_t by_type[RECORD_MAX];
	uint64_t unknown;		/* records of types prec does not know; skipped */
	uint64_t damaged;		/* records that do not fit their size; skipped */
	uint64_t no_event;		/* records whose id is nobody's; skipped */
	uint64_t lost, lost_samples, lost_events;	/* as told by LOST, LOST_SAMPLES; events of such records */
	uint64_t throttled;
	VEC(uint64_t) samples_by_event;	/* by event number */
	uint64_t first_time, last_time;	/* of samples, ns; first > last: no sample has a time */
	uint64_t bytes;			/* of the data section as read */
	bool cut;			/* the file ends before its data does */
	size_t cut_part;		/* in which of its parts, */
	uint64_t cut_at;		/* and where in that part's data the last whole record ends */
};

#endif
