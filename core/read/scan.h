/*
 * The first pass: one walk over all records, in file order.
 * Layer: read
 */
#ifndef CORE_READ_SCAN_H
#define CORE_READ_SCAN_H

#include "core/read/chunk.h"
#include "core/read/counts.h"
#include "core/read/deferred.h"
#include "core/read/trace_record.h"
#include "core/perfdata/data_file.h"

struct machine;

struct untimed {		/* records without a time from @position on, until the next entry: their time */
	uint64_t time, position;
};

struct side_band_ref {			/* a record that changes the world, to be applied in order of (time, position) */
	uint64_t time, position;
};

struct scan {			/* the result of the walk; all of it owned, scan_release() */
	struct chunk_list chunks;
	struct session_counts counts;
	VEC(struct side_band_ref) side_band;
	struct trace_records trace_records;
	struct deferred_list deferred;
	bool by_position;	/* some records carry no time: position stands for it in all */
	bool live;		/* descriptions of events come too late from now on; see core/read/live.h */
	uint64_t nr_late;	/* of such records */
	uint64_t time;		/* of the last record so far that has one */
	uint64_t newest_other;	/* the latest time of a record that is no sample */
	uint64_t round;		/* the latest time of all records of the rounds that are finished, */
	uint64_t settled;	/* and without the last of these: up to there all have been seen */
	VEC(struct untimed) untimed;	/* by position: of each run of records of events without PERF_SAMPLE_TIME */
	bool has_time_conv;
	struct record_time_conv time_conv;
};

/*
 * A walk that goes on as records come. scan_take() takes the whole records at the front of @size bytes that stand in the
 * file at @offset and returns how many bytes these are, or -1 (printed); they are borrowed for the life of @out's chunks.
 */
struct scan_pass;
struct scan_pass *scan_begin(struct scan *out, struct data_file *file, struct machine *machine);
int64_t scan_take(struct scan_pass *w, const uint8_t *data, uint64_t size, uint64_t offset);
/* Ends the pass; @cut: bytes are left after @at, of part 0. */
void scan_end(struct scan_pass *w, bool cut, uint64_t at);
/* True if all records that describe the recording have come. */
bool scan_past_start(const struct scan_pass *w);
/* So it is, and what else of that kind comes is counted and left out. */
void scan_go_live(struct scan_pass *w);

struct scan_opts {
	unsigned jobs;		/* workers */
	uint64_t piece;		/* bytes of which each walks a piece at a time: SCAN_PIECE, in tests less */
};

#define SCAN_PIECE	(8u << 20)

/* Walk @file's data section; its events, features and build ids grow where records hold them. Returns 0 or -1 (printed). */
int scan_file(struct scan *out, struct data_file *file, struct machine *machine, const struct scan_opts *opts);
void scan_release(struct scan *s);

/* Apply the side band up to time @upto (UINT64_MAX: all) to @machine, in order, and forget it. */
void scan_apply_side_band(struct scan *s, const struct data_file *file, struct machine *machine, uint64_t upto);
/* The least position of side band that was not applied; UINT64_MAX: all was. */
uint64_t scan_first_side_band(const struct scan *s);
/* Free what is needed only for records before @position. As chunk_let_go(). */
uint64_t scan_let_go(struct scan *s, uint64_t position);

/*
 * The time of a record for ordering: @time as recorded, or where no record has one, of its position. A record whose
 * event, of @layout, has none among others that do follows the record before it: it has that one's time.
 */
uint64_t scan_time(const struct scan *s, const struct sample_layout *layout, uint64_t time, uint64_t position);

#endif
