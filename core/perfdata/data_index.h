/*
 * Makes and reads the index of a data section. With it, a reader skips the parts of the data that have none of the times,
 * threads and CPUs that it needs. data_writer.c makes the index; core/read/scan_index.c uses it.
 *
 * For each chunk of about 1 MiB of whole records, the index has the number, times, threads and CPUs of the samples. For the whole
 * data section, it counts the samples, FINISHED_ROUND and switch records, and has the offsets of all other records, so a reader
 * opens a recording without a walk over all records. The index is one of prec's own sections (own_sections.h):
 *
 *	u64 version, u64 hash of the rest
 *	u64 data_size, first_time, last_time, time, time_at, nr_rounds, nr_switches, nr_cpu_switches
 *	u64 nr, u64 samples[nr]				by event
 *	u64 nr, {u32 size, nr, samples, unsure, u64 from, to, tids[8], cpus[8]}[nr]	the chunks
 *	u64 nr, {u64 offset, u32 size, nr}[nr]		the runs of other records, by ascending offset
 *
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

struct data_index_chunk {	/* whole records, one after the other; members as in struct chunk of core/read/chunk.h */
	uint32_t size, nr, samples, unsure;
	uint64_t from, to;
	struct id_set tids, cpus;
};

struct data_index_run { uint64_t offset; uint32_t size, nr; };	/* .nr records, one after the other in one chunk */

struct data_index {		/* the members in the order of the section; times in ns, offsets in the data section */
	uint64_t data_size;
	uint64_t first_time, last_time;		/* least and greatest time of samples; first > last: there are no samples */
	uint64_t time, time_at;			/* time and offset of the last record that is a sample or a switch */
	uint64_t nr_rounds, nr_switches, nr_cpu_switches;	/* numbers of FINISHED_ROUND, SWITCH, SWITCH_CPU_WIDE */
	VEC(uint64_t) samples;			/* by event */
	VEC(struct data_index_chunk) chunks;
	VEC(struct data_index_run) runs;
};

/* True if the index only counts records of @type, or lists them in .runs. Data with records of any other type has no index. */
bool data_index_counts(uint32_t type);
bool data_index_lists(uint32_t type);

/*
 * Reads the @size bytes of a section. Returns 0, or -EINVAL if they are damaged, which the hash reveals. The caller releases @out
 * in either case, and compares the index with the records that it reads. prec verify compares it with all records.
 */
int data_index_read(struct data_index *out, const void *bytes, uint64_t size);
void data_index_release(struct data_index *x);

/* Begins an index for records in the byte order of this machine. @events is borrowed; ids may be added to it later. */
struct data_index_maker;
struct data_index_maker *data_index_begin(const struct event_table *events);
/* Adds the records in @parts, which follow the records added before. A record may begin in one part and end in the next. */
void data_index_add(struct data_index_maker *m, const struct iovec *parts, int nr_parts);
/* Drops the index: data_index_end() will return NULL. */
void data_index_give_up(struct data_index_maker *m);
/*
 * Returns the section's bytes, which the caller frees, or NULL if there is no index: for a stream, compressed data, hardware trace,
 * samples without times, damaged records, or records that describe events.
 */
void *data_index_end(struct data_index_maker *m, uint64_t *size);
void data_index_free(struct data_index_maker *m);

#endif
