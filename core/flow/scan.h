/*
 * The first pass: one walk over all records, in file order.
 * Layer: flow
 */
#ifndef CORE_FLOW_SCAN_H
#define CORE_FLOW_SCAN_H

#include "core/flow/chunk.h"
#include "core/flow/counts.h"
#include "core/flow/deferred.h"
#include "core/flow/note.h"
#include "core/format/data_file.h"

struct machine;

struct untimed {		/* records without a time from @position on, until the next entry: their time */
	uint64_t time, position;
};

struct band {			/* a record that changes the world, to be applied in order of (time, position) */
	uint64_t time, position;
};

struct scan {			/* what the walk found; all of it owned, scan_release() */
	struct chunk_list chunks;
	struct session_counts counts;
	VEC(struct band) band;
	struct note_list notes;
	struct deferred_list deferred;
	bool by_position;	/* records carry no time: position stands for it */
	uint64_t time;		/* of the last record so far that has one */
	VEC(struct untimed) untimed;	/* by position: of each run of records of events without PERF_SAMPLE_TIME */
	bool has_time_conv;
	struct record_time_conv time_conv;
};

/* Walk @file's data section; its events, features and build ids grow where records hold them. Returns 0 or -1 (printed). */
int scan_file(struct scan *out, struct data_file *file, struct machine *machine);
void scan_release(struct scan *s);

/* Apply the side band to @machine, in order, and forget it. */
void scan_apply_band(struct scan *s, const struct data_file *file, struct machine *machine);

/*
 * The time of a record for ordering: @time as recorded, or where no record has one, of its position. A record whose
 * event, of @layout, has none among others that do stands behind the record before it: it has that one's time.
 */
uint64_t scan_time(const struct scan *s, const struct sample_layout *layout, uint64_t time, uint64_t position);

#endif
