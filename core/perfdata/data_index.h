/*
 * The index of a data section, one of prec's own sections: with it a reader need not walk over all records to know what is where.
 * It has what the walk finds out of each chunk of some MiB, and the places of the records that are to be looked at: all but
 * samples, FINISHED_ROUNDs and switches, which it counts. The recorder makes it of what it writes; not of a stream, of compressed
 * data, of hardware trace, or where a record is damaged or describes events.
 *
 *	u64 version, u64 hash of what follows
 *	u64 data_size, first_time, last_time, time, time_at, nr_rounds, nr_switches, nr_cpu_switches
 *	u64 nr, u64 samples[nr]				by event
 *	u64 nr, {u32 size, nr, samples, unsure, u64 from, to, tids[8], cpus[8]}[nr]
 *	u64 nr, {u64 offset, u32 size, nr}[nr]		ascending
 *
 * The hash finds damage. A reader checks what it reads against the index, and prec verify checks all of it.
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_DATA_INDEX_H
#define CORE_PERFDATA_DATA_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "core/base/id_set.h"
#include "core/base/vec.h"

struct event_table;

#define DATA_INDEX_CHUNK	(1u << 20)	/* a chunk is closed when it has this many bytes */

struct data_index_chunk {	/* whole records, one after the other, as struct chunk of core/read/chunk.h */
	uint32_t size, nr, samples, unsure;
	uint64_t from, to;
	struct id_set tids, cpus;
};

struct data_index_run { uint64_t offset; uint32_t size, nr; };	/* @nr records side by side in one chunk */

struct data_index {		/* times in ns, offsets in the data section */
	uint64_t data_size;
	uint64_t first_time, last_time;		/* of samples; first > last: there is none */
	uint64_t time, time_at;			/* of the last sample, or of a switch after it, and its offset */
	uint64_t nr_rounds, nr_switches, nr_cpu_switches;
	VEC(uint64_t) samples;			/* by event */
	VEC(struct data_index_chunk) chunks;
	VEC(struct data_index_run) runs;
};

/* True if the index only counts such records; or if it lists them in .runs. Others are in no index. */
bool data_index_counts(uint32_t type);
bool data_index_lists(uint32_t type);

/* Read the @size bytes of a section. Returns 0, or -EINVAL: they are damaged. In either case data_index_release(). */
int data_index_read(struct data_index *out, const void *bytes, uint64_t size);
void data_index_release(struct data_index *x);

/* Makes it, of records in this byte order. @events: finished, borrowed; ids may be added to it. */
struct data_index_maker;
struct data_index_maker *data_index_begin(const struct event_table *events);
/* The data section goes on with these whole records. */
void data_index_add(struct data_index_maker *m, const struct iovec *parts, int nr_parts);
/* There will be no index. */
void data_index_give_up(struct data_index_maker *m);
/* Returns the section's bytes, owned by the caller; NULL: there is no index. */
void *data_index_end(struct data_index_maker *m, uint64_t *size);
void data_index_free(struct data_index_maker *m);

#endif
