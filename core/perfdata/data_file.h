/*
 * Opens a perf.data: maps the file, checks its header, and reads its events and feature sections. core/read reads the data
 * section. data_pieces.c opens several consecutive files of one recorder as one recording.
 *
 *	+--------+-----------+-------------------+--------------+----------------+
 *	| header | ids       | attrs {attr, ids} | data section | feature sections
 *	+--------+-----------+-------------------+--------------+----------------+
 *
 */
#ifndef CORE_PERFDATA_DATA_FILE_H
#define CORE_PERFDATA_DATA_FILE_H

#include "core/ui/finding.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"

/*
 * A part of the recording that holds records: the data section of a file, or a file of a directory. A part is also called a piece
 * if it is from one of several consecutive files of a recorder (data_pieces.c).
 */
struct data_file;
struct data_part {
	const char *path;		/* owned; for the data section of the data_file itself, its path */
	const uint8_t *data;		/* mapped */
	uint64_t size;
	uint64_t offset;		/* file offset of the data, for messages */
	struct data_file *whole;	/* owned: the piece's file; NULL: this is no piece, or its file is the data_file itself */
	uint64_t inode;			/* inode of the piece's file */
	bool complete;			/* the recorder has finished this piece */
};

/*
 * A file, the stream of a pipe (on standard input or saved in a file), or a directory with one file per reader thread of the
 * recorder. In a stream, the events and features are records among the data, so core/read reads them with the data.
 */
struct data_file {
	char *path;			/* owned; "-" for standard input */
	int fd;
	const uint8_t *map;		/* the whole file, read-only */
	uint64_t size;			/* of the file, when it was opened */
	uint64_t inode;			/* of the mapped file */
	int64_t mtime;			/* time of recording: seconds since 1970 */
	uint64_t written_ns;		/* the same in ns; 0: the recording still comes down a pipe */
	bool copied;			/* it was copied here later: its inode is newer than its contents */
	bool swap;			/* recorded in the other byte order */
	bool directory;			/* a directory was opened, and .path is that of its file "data" */
	bool pieces;			/* opened by data_file_open_pieces(): the newest may be unfinished */
	bool stream;			/* the stream of a pipe: only records */
	bool v1;			/* PERFFILE, before 2.6.36 */
	struct pipe_reader *pipe_reader;	/* owned: reads the rest of a stream, after its header; NULL: all of it is mapped */
	uint64_t data_offset, data_size;	/* the real values, which may differ from those in the header */
	uint64_t promised_size;		/* data_size in the header; 0: the recorder never finished */
	VEC(struct data_part) parts;	/* the data section first, then the parts of a directory; pieces from the oldest on */
	struct event_table events;
	struct features features;
	struct findings findings;	/* findings about unreadable parts */
};

/*
 * Opens @path; NULL: "perf.data"; "-": standard input. A pipe is copied to an unlinked temporary file first. Returns 0 and *out
 * (data_file_close()), also if feature sections are damaged; or -1 after printing an error with the file, the offset and the
 * reason.
 */
int data_file_open(struct data_file **out, const char *path);
/*
 * The same for the consecutive files of one recorder, as one recording: @paths from the oldest to the newest, which may still be
 * written. Events and sections are those of the newest finished file. Records that a file repeats from earlier ones are left out.
 * All files must be in this machine's byte order and not compressed.
 */
int data_file_open_pieces(struct data_file **out, char *const *paths, size_t nr);
/* True if @paths, the recorder's files now, continue the parts of @f. *gone: the number of first parts that are not among them. */
bool data_file_goes_on(const struct data_file *f, char *const *paths, size_t nr, size_t *gone);
/* Unmaps the first @nr parts. */
void data_file_drop_parts(struct data_file *f, size_t nr);
/* Adds parts for the data that were written to @paths since @f last read them. */
void data_file_read_on(struct data_file *f, char *const *paths, size_t nr);
/* Only for data_file.c and data_pieces.c. */
void data_part_close(const struct data_file *f, const struct data_part *p);
/*
 * As data_file_open(), but does not wait for the end of a pipe. Sets .pipe_reader, from which the caller reads the stream. At the
 * end of the stream, the caller sets .size of @out and of its part.
 */
int data_file_open_live(struct data_file **out, const char *path);
/* Reads the stream of data_file_open_live() to its end. Nothing may have been released before. Prints errors; returns 0 or -1. */
int data_file_settle(struct data_file *f);
void data_file_close(struct data_file *f);

/*
 * Appends the output of --header: offsets of the file's parts, one or more lines for each section, and a list of missing sections.
 * @events and @f are the file's own, or are from the records of a stream.
 */
void data_file_print_header(const struct data_file *df, const struct event_table *events, const struct features *f,
			    bool full, struct buf *out);

/* True if the file is shorter now than when it was opened. Data that were read from it may then be zeros. */
bool data_file_shrank(const struct data_file *f);

/* True if the file was truncated, or its recorder killed. */
static inline bool data_file_cut(const struct data_file *f)
{
	return !f->stream && f->promised_size != f->data_size;
}

#endif
