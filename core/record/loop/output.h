/*
 * The files of a recording: one, or with --switch-output one after another, each complete by itself. With --threads or --kcore
 * each is a directory.
 * Layer: loop
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
	bool rotate;			/* --switch-output: at SIGUSR2, or at one of: */
	uint64_t rotate_bytes;		/* a file that has become so large; 0: not */
	uint64_t rotate_ms;		/* that much time; 0: not */
	uint64_t max_files;		/* keep only this many; 0: all */
	bool passing;			/* the file is on the way to another one: its name is not printed */
	bool timestamp;			/* names end in the time when a file was finished */
	uint64_t max_bytes;		/* stop when all files together have that much; 0: never */
	int zstd_level;			/* 0: not compressed */
	bool kcore;			/* a directory, with the kernel's code in it */
	unsigned nr_parts;		/* a directory with this many files of records; 0: one file */
};

struct output_file {
	char *path;			/* owned; its current path */
	bool in_place;			/* it is no new file: standard output, a device, a file that was there */
	struct data_writer *writer;	/* owned; NULL: there is no file */
	VEC(struct data_writer *) parts;	/* owned; of a directory */
};

struct output {
	struct output_opts o;
	struct output_file file;	/* that is being written */
	struct output_file next;	/* that stands by, between output_begin_next() and output_next() */
	VEC(char *) files;		/* owned: finished ones that max_files looks after, oldest first */
	size_t in_use;			/* of them the newest this many are not to be removed yet; the caller's to say */
	char *last;			/* owned: the name of the file finished last */
	uint64_t done_bytes;		/* of finished files */
	unsigned nr_files;
	int room;			/* an unnamed file, whose blocks are kept for the end; 0: not yet; -errno: none */
	uint64_t room_bytes, room_wanted;	/* that it has, and that were asked for */
};

/* Begins the first file; an existing file of its name stays there. Prints errors; returns 0 or -1, as the others do. */
int output_open(struct output *out, const struct output_opts *o, struct event_table *events);
/* Recording has begun: the file takes its name, and what has that is kept as PATH.old. */
int output_begun(struct output *out);
/* Writer number @i of those that take what comes out of rings: the file's own, or a part's. Borrowed. */
struct data_writer *output_writer(const struct output *out, size_t i);
/*
 * Keep @bytes of the disk, or what there is, for the end of the file, whatever else becomes full. Asking for fewer than before
 * changes nothing; output_give_room() leaves this many, and lets the rest be used.
 */
void output_keep_room(struct output *out, uint64_t bytes);
void output_give_room(struct output *out, uint64_t left);
/* Write sections, index and sizes. Prints errors; returns 0 or -1. */
int output_finish_file(struct output *out, struct features *f, struct event_table *events);
/* The writer has finished its file: close it, give it its name, remove what are too many. */
int output_close_file(struct output *out);
/* Remove what is more than max_files, but for the newest @in_use. */
void output_remove_old(struct output *out, size_t in_use);
/* Begin the file that comes after this one. After an error this one goes on. */
int output_begin_next(struct output *out, struct event_table *events);
/* Close the finished file and go on in the next, in any case: after an error that one may have another name. */
int output_next(struct output *out);
/* Close the finished file and remove it: nothing is to be kept. */
void output_discard(struct output *out);
/* A file that did not begin is removed. */
void output_release(struct output *out);

/* True if this file is large enough. */
bool output_file_is_full(const struct output *out);
/* True if all files together have reached the limit. */
bool output_is_full(const struct output *out);
uint64_t output_bytes(const struct output *out);

#endif
