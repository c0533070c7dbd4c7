/*
 * An open perf.data: mapped, its header checked, its events and features read. It is a file, a pipe's stream (on standard input
 * or saved), or a directory with one file per thread. The data section has not been read yet. In a stream, events and features
 * are records of that section, which core/read reads.
 *
 *	+--------+-----------+-------------------+--------------+----------------+
 *	| header | ids       | attrs {attr, ids} | data section | feature sections
 *	+--------+-----------+-------------------+--------------+----------------+
 *
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_DATA_FILE_H
#define CORE_PERFDATA_DATA_FILE_H

#include "core/ui/finding.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"

/* A piece of the recording that holds records: a file's data section, or a file of a directory. */
struct data_file;
struct data_part {
	const char *path;		/* owned; that of the file's own data section is the data_file's */
	const uint8_t *data;		/* mapped */
	uint64_t size;
	uint64_t offset;		/* of the data, in its file: for messages */
	struct data_file *whole;	/* owned: its file, if that is a piece; NULL: it is none, or the data_file's own */
	uint64_t inode;			/* of a piece's file */
	bool complete;			/* of a piece: no more is written to its file */
};

struct data_file {
	char *path;			/* owned; "-" for standard input */
	int fd;
	const uint8_t *map;		/* the whole file, read-only */
	uint64_t size;			/* of the file, as found */
	uint64_t inode;			/* of the mapped file */
	int64_t mtime;			/* seconds since the epoch: when it was recorded */
	uint64_t written_ns;		/* the same in ns; 0: it is not written to the end */
	bool copied;			/* it came to this place after it was written: its inode is younger than its contents */
	bool swap;			/* recorded in the other byte order */
	bool directory;			/* a directory was named, and path is that of the file "data" in it */
	bool pieces;			/* of data_file_open_pieces(): the newest may not be finished */
	bool stream;			/* a pipe's: records only */
	bool v1;			/* PERFFILE, before 2.6.36 */
	struct pipe_reader *pipe_reader;	/* owned: the rest of a stream, after its header; NULL: all is here, mapped */
	uint64_t data_offset, data_size;	/* the actual values, which may differ from the header's */
	uint64_t promised_size;		/* data_size in the header; 0: the recorder never finished */
	VEC(struct data_part) parts;	/* the data section first, then the parts of a directory; pieces by age */
	struct event_table events;
	struct features features;
	struct findings findings;	/* the unreadable parts */
};

/*
 * Open @path; NULL: "perf.data". "-", or a pipe, is spooled to an unlinked temporary file first. Prints what is
 * wrong, with file, offset and what was expected there, and returns -1; 0 and *out (data_file_close()) otherwise,
 * damaged feature sections included.
 */
int data_file_open(struct data_file **out, const char *path);
/*
 * The files that one recorder writes one after the other, as one recording: @paths from the oldest to the newest, which may still
 * be written. Events and sections are those of the newest finished one. Records that a later file repeats
 * from the time before it are left out. All are in this machine's byte order and not compressed. The same messages and results.
 */
int data_file_open_pieces(struct data_file **out, char *const *paths, size_t nr);
/*
 * True if @paths, the recorder's files now, go on from those that @f was opened with: *gone of its parts, the first ones, are of
 * files that are no longer among them.
 */
bool data_file_goes_on(const struct data_file *f, char *const *paths, size_t nr, size_t *gone);
/* Unmaps the first @nr parts. */
void data_file_drop_parts(struct data_file *f, size_t nr);
/* Adds parts: of what was written to @paths since. */
void data_file_read_on(struct data_file *f, char *const *paths, size_t nr);
/* For data_file.c and data_pieces.c alone. */
void data_part_close(const struct data_file *f, const struct data_part *p);
/*
 * The same, but a stream that comes down a pipe is not waited for: it has a pipe reader, from which its reader takes it; .size,
 * and that of its part, are the reader's to tell at the end.
 */
int data_file_open_live(struct data_file **out, const char *path);
/* Its reader has to know it all, and has let nothing go: as if data_file_open() had opened it. Prints; returns 0 or -1. */
int data_file_settle(struct data_file *f);
void data_file_close(struct data_file *f);

/*
 * The whole block of --header: the places of the file's parts, a line or more a section, missing sections. @events,
 * @features: the file's own, or those in a stream's records.
 */
void data_file_print_header(const struct data_file *df, const struct event_table *events, const struct features *f,
			    bool full, struct buf *out);

/* True if the file is shorter now than when it was opened. Data read from it may be zeros then. */
bool data_file_shrank(const struct data_file *f);

/* True if the file was truncated, or its recorder killed. */
static inline bool data_file_cut(const struct data_file *f)
{
	return !f->stream && f->promised_size != f->data_size;
}

#endif
