/*
 * A fast path of the first pass: takes consecutive samples, which are most of a recording, as one run.
 * Layer: read
 */
#ifndef CORE_READ_SCAN_RUN_H
#define CORE_READ_SCAN_RUN_H

#include "core/read/chunk.h"
#include "core/perfdata/event_table.h"

struct scan_run {
	uint64_t nr, bytes;
	uint64_t first_time, last_time;	/* the least and the greatest */
	uint64_t time;			/* of the last sample, */
	uint32_t size;			/* and its bytes */
	bool unsure;			/* see struct chunk, as for the next */
	struct id_set tids, cpus;
};

/*
 * Finds the run at the front of the @left bytes at @records, in native byte order, of samples that begin before @room. Counts its
 * samples in @by_event. False: the first record is no sample, or one that must be handled alone: without an event or a time, cut,
 * or with trace.
 */
bool scan_run_find(struct scan_run *out, uint64_t *by_event, struct event_memo *memo, const struct event_table *events,
		   const uint8_t *records, uint64_t left, uint64_t room);

/* The number of bytes that may be added at once, beginning with a record at @offset in the file. */
uint64_t scan_run_room(const struct chunk_list *l, const uint8_t *record, uint64_t offset);
/* Adds the run, as chunk_add() and chunk_sample_time() for each sample would. Returns the position of the last. */
uint64_t scan_run_add(struct chunk_list *l, const struct scan_run *run, const uint8_t *records, uint64_t offset);

#endif
