/*
 * Creates and finishes the files of a recording. There is one file, or with --switch-output several files, one after another. Each
 * of them is a complete recording. With --threads or --kcore each of them is a directory instead of a file.
 */
#ifndef CORE_RECORD_LOOP_OUTPUT_H
#define CORE_RECORD_LOOP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct data_writer;
struct event_table;
struct features;

struct output_opts {
	const char *path;		/* borrowed; "-": standard output */
	bool rotate;			/* --switch-output: begin the next file at SIGUSR2, and at the two limits below */
	uint64_t rotate_bytes;		/* a file of this size is full, and the next one begins; 0: no limit */
	uint64_t rotate_ms;		/* a new file begins whenever this much time has passed; 0: no limit */
	uint64_t max_files;		/* keep only this many finished files; 0: all */
	bool passing;			/* the file is an intermediate one: its name is not printed */
	bool timestamp;			/* names end in the time when a file was finished */
	uint64_t max_bytes;		/* stop when all files together have that much; 0: never */
	int zstd_level;			/* 0: not compressed */
	bool kcore;			/* make a directory, with a copy of the kernel's code in it */
	unsigned nr_parts;		/* make a directory with one file for each of this many readers; 0: one file for all */
};

struct output_file {
	char *path;			/* owned; its current path */
	bool in_place;			/* written without a temporary name: standard output, a device, or a file in a folder
					 * without write permission */
	struct data_writer *writer;	/* owned; NULL: there is no file */
	VEC(struct data_writer *) parts;	/* owned; of the files for readers in a directory */
};

struct output {
	struct output_opts o;
	struct output_file file;	/* the file that is being written */
	struct output_file next;	/* the next file, between output_begin_next() and output_next() */
	VEC(char *) files;		/* owned: names of finished files, which max_files limits; oldest first */
	size_t in_use;			/* the number of newest .files that must not be removed yet; set by the caller */
	char *last;			/* owned: the name of the file finished last */
	uint64_t done_bytes;		/* size of all finished files */
	int room;			/* an unnamed file, whose blocks reserve disk space for the end of the file; 0: not made
					 * yet; -errno: cannot be made */
	uint64_t room_bytes, room_wanted;	/* .room_bytes: the size of that unnamed file; .room_wanted: the size that was
						 * requested */
};

/* Begins the first file. An old file of its name stays for now. Returns 0 or -1 (printed), as all functions that return an int. */
int output_open(struct output *out, const struct output_opts *o, struct event_table *events);
/* Renames the file to its name, and an existing file of that name to PATH.old. Call it when the recording has begun. */
int output_begun(struct output *out);
/* Returns writer number @i, for the data of ring buffers. It writes to the file, or to a file of the directory. Borrowed. */
struct data_writer *output_writer(const struct output *out, size_t i);
/*
 * Reserves @bytes of the disk, or as many as are free, for the end of the file, in case the disk becomes full. A smaller number
 * than before has no effect. output_give_room() keeps @left bytes reserved, and frees the other reserved bytes.
 */
void output_keep_room(struct output *out, uint64_t bytes);
void output_give_room(struct output *out, uint64_t left);
/* Writes the header sections, the index and the sizes into the file. Prints errors; returns 0 or -1. */
int output_finish_file(struct output *out, struct features *f, struct event_table *events);
/* Closes the file, which the writer has finished, gives it its name, and removes the oldest files beyond max_files. */
int output_close_file(struct output *out);
/* Removes the oldest files beyond max_files, but not the newest @in_use. */
void output_remove_old(struct output *out, size_t in_use);
/* Begins the next file. If this fails, the present file continues. */
int output_begin_next(struct output *out, struct event_table *events);
/* Closes the finished file and switches to the next, even after an error; the closed file may then have another name. */
int output_next(struct output *out);
/* Closes the finished file and removes it. */
void output_discard(struct output *out);
/* Frees the struct, and removes a file that was not begun. */
void output_release(struct output *out);

/* True if this file has reached the size at which the next one begins. */
bool output_file_is_full(const struct output *out);
/* True if all files together have reached the limit. */
bool output_is_full(const struct output *out);
uint64_t output_bytes(const struct output *out);

#endif
