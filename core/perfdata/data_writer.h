/*
 * Writes a perf.data that is readable after every append. Header, attrs and ids are written when it is created, with data.size 0,
 * which tells readers to read up to the end; data_writer_finish() adds the features and the sizes. The same calls write records
 * to a pipe (stream).
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_DATA_WRITER_H
#define CORE_PERFDATA_DATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

struct event_table;
struct features;
struct data_writer;

struct data_writer_opts {
	const char *path;	/* borrowed; its name in messages; "-": standard output as a stream */
	int fd;			/* borrowed; the empty file to write; 0: @path is made, which must not be there */
	bool may_be_killed;	/* a recorder's: announced data must survive a kill */
	int zstd_level;		/* records go into COMPRESSED records at this level; 0: uncompressed */
};

/* Write what is known of @events (finished). Prints errors; returns 0 or -1. */
int data_writer_open(struct data_writer **out, const struct data_writer_opts *opts, struct event_table *events);
/* Create a part of a directory, a new file: records only, with no header; nothing is done to finish it. The same messages. */
int data_writer_open_part(struct data_writer **out, const char *path, int zstd_level);
/*
 * Append whole records. Returns 0 or -errno (-ENOSPC ...); after an error the file still reads up to its last whole record: what
 * fitted stays.
 */
int data_writer_append(struct data_writer *w, const void *records, size_t size);
int data_writer_appendv(struct data_writer *w, const struct iovec *parts, int nr_parts);
/* The number of samples that the last append wrote before it failed. */
uint64_t data_writer_kept_samples(const struct data_writer *w);
/* Never compressed: for records whose payload follows them (AUXTRACE). */
int data_writer_append_plain(struct data_writer *w, const struct iovec *parts, int nr_parts);
/*
 * To a stream: write the sections marked in has[] now, so that a reader has them before the samples (TRACING_DATA
 * above all); data_writer_finish() then leaves them out. To a file, before the first append: TRACING_DATA, and of one that
 * .may_be_killed all others, so that they are there then; data_writer_finish() is to be given them again. Prints errors; returns
 * 0 or -1.
 */
int data_writer_write_header(struct data_writer *w, struct features *f, struct event_table *events);
/* Bytes in the data section so far, compressed; also the file offset of the next byte (for the AUX trace index). */
uint64_t data_writer_size(const struct data_writer *w);
uint64_t data_writer_offset(const struct data_writer *w);
/* How many write calls were made, for the summary at the end. */
uint64_t data_writer_calls(const struct data_writer *w);
/* Adds @part's compression statistics to those in @w's header. */
void data_writer_count_part(struct data_writer *w, const struct data_writer *part);
/* Write the sections of @f that are marked in has[], and the header's sizes. Prints errors; returns 0 or -1. */
int data_writer_finish(struct data_writer *w, struct features *f, struct event_table *events);
/* Close without finishing is fine: the file reads as one whose recorder was killed. Prints errors; returns 0 or -1. */
int data_writer_close(struct data_writer *w);

#endif
