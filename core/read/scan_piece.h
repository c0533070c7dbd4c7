/*
 * Walks over the record headers in a part (8 MiB) of the data section, so that several worker threads share the first pass over
 * a recording (session.h). scan.c merges the counts and record positions of the parts.
 */
#ifndef CORE_READ_SCAN_PIECE_H
#define CORE_READ_SCAN_PIECE_H

#include "core/read/chunk.h"
#include "core/read/counts.h"
#include "core/perfdata/data_file.h"

/* The samples of a walk, which are counted and noted in their chunks. */
struct scan_samples {
	struct session_counts *counts;
	struct chunk_list *chunks;
	const struct event_table *events;
	struct event_memo memo;		/* caches events of samples, until a record that may change events */
	uint64_t time, position;	/* of the last sample that has a time */
};

/* Counts the sample of @ev that was added to the chunks as @position. False: it has no time, or no event (NULL). */
bool scan_sample(struct scan_samples *s, const struct event *ev, const uint8_t *record, uint16_t size, uint64_t position);
/*
 * Adds the samples from @at of @view on, which is at @offset in the file, to the chunks, if they begin in the next @room bytes.
 * Returns the number of their bytes; 0: the first record must be scanned by itself, because it is no sample, or a sample to look at
 * closely.
 */
uint64_t scan_run(struct scan_samples *s, struct data_view *view, uint64_t at, uint64_t room, uint64_t offset);

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
	struct session_counts counts;	/* of all but .others; only an index counts SWITCH and SWITCH_CPU_WIDE, too */
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

/*
 * Fills @out with all records of @part, the only part of @file, by the index that the recorder has written into the file
 * (core/perfdata/data_index.h). The caller calls scan_piece_release() in any case. Returns false if the file has no index that can
 * be used. An index that is damaged, or does not fit the data, becomes a finding.
 */
bool scan_index_read(struct scan_piece *out, struct data_file *file, const struct data_part *part);
/* Compares all records with the index, if the file has one. A difference becomes a finding of the file. */
void scan_index_check(struct data_file *file);

#endif
