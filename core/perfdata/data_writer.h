/*
 * Writes a perf.data that is readable after every append, to a file or as a stream to a pipe. The recorder and core/read/copy.c
 * write with it, and data_file.h opens the result.
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
	const char *path;	/* borrowed; the file's name, for messages; "-": write a stream to standard output */
	int fd;			/* borrowed; the empty file to write; 0: create @path, which must not exist */
	bool may_be_killed;	/* written by a recorder: the file must be readable if it is killed */
	int zstd_level;		/* write COMPRESSED records, packed at this level; 0: no compression */
	bool index;		/* add an index of the data (data_index.h) if they can have one; borrows the events until the end */
};

/*
 * Creates the file, with header, attrs and ids of @events, after event_table_finish(). The header's data.size is 0, which makes
 * readers read up to the end of the file, until data_writer_finish() writes the size. Prints errors; returns 0 or -1.
 */
int data_writer_open(struct data_writer **out, const struct data_writer_opts *opts, struct event_table *events);
/* Creates a part of a directory: a new file without a header, never finished. Prints errors; returns 0 or -1. */
int data_writer_open_part(struct data_writer **out, const char *path, int zstd_level);
/* Append complete records. Return 0 or -errno; after an error, the file is readable up to the last record that fitted. */
int data_writer_append(struct data_writer *w, const void *records, size_t size);
int data_writer_appendv(struct data_writer *w, const struct iovec *parts, int nr_parts);
/* The number of samples that the last append has written although it failed. */
uint64_t data_writer_kept_samples(const struct data_writer *w);
/* Appends without compression, for records that are followed by their payload (AUXTRACE). */
int data_writer_append_plain(struct data_writer *w, const struct iovec *parts, int nr_parts);
/*
 * Call it before the first append. To a stream, it writes the sections marked in has[], so that readers have them (TRACING_DATA
 * above all) before the samples; data_writer_finish() then leaves them out. To a file, it writes TRACING_DATA and, with
 * .may_be_killed, all others; pass them to data_writer_finish() again. Prints errors; returns 0 or -1.
 */
int data_writer_write_header(struct data_writer *w, struct features *f, struct event_table *events);
/* data_writer_size(): bytes in the data section so far, after compression. data_writer_offset(): file offset of the next byte. */
uint64_t data_writer_size(const struct data_writer *w);
uint64_t data_writer_offset(const struct data_writer *w);
/* The number of write calls, for the summary at the end. */
uint64_t data_writer_calls(const struct data_writer *w);
/* Adds @part's compression statistics to those in @w's header. */
void data_writer_count_part(struct data_writer *w, const struct data_writer *part);
/* Write the sections of @f that are marked in has[], and the header's sizes. Prints errors; returns 0 or -1. */
int data_writer_finish(struct data_writer *w, struct features *f, struct event_table *events);
/* Closes the file; without data_writer_finish() it looks like that of a killed recorder. Prints errors; returns 0 or -1. */
int data_writer_close(struct data_writer *w);

#endif
