/*
 * Makes the first pass over a recording (session.h): walks over all record headers, counts the records, and divides the file
 * into chunks for worker threads (chunk.h). Also finds MMAP, COMM, FORK and hardware trace records.
 */
#ifndef CORE_READ_SCAN_H
#define CORE_READ_SCAN_H

#include "core/read/chunk.h"
#include "core/read/counts.h"
#include "core/read/deferred.h"
#include "core/read/order.h"
#include "core/read/trace_record.h"
#include "core/perfdata/data_file.h"

struct machine;

struct untimed {		/* the time for records without one, from .position up to that of the next entry */
	uint64_t time, position;
};

struct scan {			/* the result of the walk; all of it owned, scan_release() */
	struct chunk_list chunks;
	struct session_counts counts;
	VEC(struct session_counts) of_parts;	/* for a recorder's pieces: the counts of each part; .counts is their sum */
	VEC(struct order_key) side_band;	/* maps, names, forks and exits, which are applied in order */
	struct trace_records trace_records;
	struct deferred_list deferred;
	bool has_trace;		/* there is an AUXTRACE_INFO, so records of hardware trace are kept */
	bool by_position;	/* some or all records have no time: all are ordered by position instead */
	bool live;		/* the events are final, later descriptions are not used; see core/read/live.h */
	uint64_t nr_late;	/* number of descriptions that arrived after the events became final */
	uint64_t time;		/* the time of the last record so far that has one */
	uint64_t newest_other;	/* the latest time of all records except samples */
	uint64_t round;		/* the latest time in all finished rounds */
	uint64_t settled;	/* .round before the last FINISHED_ROUND: all records up to this time have arrived */
	VEC(struct untimed) untimed;	/* by position; one for each run of records of events without PERF_SAMPLE_TIME */
};

/*
 * A walk that continues as records arrive. scan_add() reads the complete records at the start of the @size bytes at @data, which
 * are at @offset in the file. Returns the number of bytes taken, or -1 (printed). The chunks of @out borrow these bytes.
 */
struct scan_pass;
struct scan_pass *scan_begin(struct scan *out, struct data_file *file, struct machine *machine);
int64_t scan_add(struct scan_pass *p, const uint8_t *data, uint64_t size, uint64_t offset);
/* Ends the pass. @cut: an incomplete record is left at @at of part 0. */
void scan_end(struct scan_pass *p, bool cut, uint64_t at);
/* True if all records that describe the recording have arrived. */
bool scan_past_start(const struct scan_pass *p);
/* Makes the events final: later descriptions are only counted (.nr_late). */
void scan_go_live(struct scan_pass *p);

struct scan_opts {
	unsigned jobs;		/* workers */
	uint64_t piece;		/* bytes that a worker walks at a time: SCAN_PIECE, fewer in tests */
	bool check_index;	/* walk all records, and compare them with the file's index */
};

#define SCAN_PIECE	(8u << 20)

/* Walks over @file's data section; adds events, features and build ids in records to @file. Returns 0 or -1 (printed). */
int scan_file(struct scan *out, struct data_file *file, struct machine *machine, const struct scan_opts *opts);
void scan_release(struct scan *s);
/* Continues with the parts that were added to @file, a recorder's pieces. Returns 0 or -1 (printed). */
int scan_read_on(struct scan *s, struct data_file *file, struct machine *machine);
/* Removes the records of the first @nr parts of @file, a recorder's pieces, which are closed next. */
void scan_forget_parts(struct scan *s, const struct data_file *file, size_t nr);

/* Applies the side band up to time @upto (UINT64_MAX: all) to @machine, in order, and removes it from @s. */
void scan_apply_side_band(struct scan *s, const struct data_file *file, struct machine *machine, uint64_t upto);
/* The lowest position of a side-band record that is not applied yet; UINT64_MAX: all are. */
uint64_t scan_first_side_band(const struct scan *s);
/* Frees data that only records before @position need. Returns as chunk_release_before(). */
uint64_t scan_release_before(struct scan *s, uint64_t position);

/*
 * The time by which a record is ordered: @time, as recorded; with .by_position, 1 + @position. If only its event, with @layout,
 * has no times, the time of the record before it.
 */
uint64_t scan_time(const struct scan *s, const struct sample_layout *layout, uint64_t time, uint64_t position);

#endif
