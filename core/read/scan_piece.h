/*
 * Walks over the record headers in a part (8 MiB) of the data section, so that several worker threads share the first pass over
 * a recording (session.h). scan.c merges the counts and record positions of the parts.
 * Layer: read
 */
#ifndef CORE_READ_SCAN_PIECE_H
#define CORE_READ_SCAN_PIECE_H

#include "core/read/chunk.h"
#include "core/perfdata/data_file.h"

/*
 * As a piece may begin inside a record, each worker searches for bytes that look like a record header, and walks from there to the
 * first record of the next piece. When pieces are joined, the walk over a piece must have ended where the walk over the next piece
 * began. If not, the next piece is walked again from the right place.
 */
struct scan_piece {			/* offsets are in the part; scan_piece_release() */
	uint64_t from, to;		/* records that begin in this range are its own */
	uint64_t begin, end;		/* .begin of its first record and .end of its last; begin >= to: it has no records */
	bool special;			/* the walk ended before a record that must be read in order */
	struct chunk_list chunks;
	VEC(uint64_t) others;		/* positions in .chunks of the records that are neither samples nor FINISHED_ROUND */
	uint64_t nr_samples, nr_rounds, no_event;
	uint64_t nr_switches, nr_cpu_switches;	/* SWITCH and SWITCH_CPU_WIDE: from an index; in a walk, they are in .others */
	VEC(uint64_t) samples_by_event;
	uint64_t first_time, last_time;	/* the earliest and the latest time of a sample; first > last: no sample has one */
	uint64_t time, time_at;		/* time and position of the last sample or, from an index, of a later switch record */
};

/* True if the file's records can be walked in pieces: uncompressed, and each sample with a time. */
bool scan_piece_is_possible(const struct data_file *file);

/* Sets p->begin to the first likely record at or after p->from; to p->to if there is none. */
void scan_piece_find(struct scan_piece *p, const struct data_file *file, const struct data_part *part);
/* Walks from p->begin to the end of the piece. */
void scan_piece_walk(struct scan_piece *p, const struct data_file *file, const struct data_part *part);
/* Discards the results of a walk that began at the wrong place. */
void scan_piece_reset(struct scan_piece *p);
void scan_piece_release(struct scan_piece *p);

#endif
