/*
 * Defines an additional source of records, such as samples from hardware trace (auxtrace) or off-CPU waits (core/sched). When
 * session.h reads a recording, it reads these records like those of the file.
 */
#ifndef CORE_READ_SOURCE_H
#define CORE_READ_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct findings;
struct id_set;
struct item;

#define SOURCE_ANY UINT32_MAX

/* The scope of a part of a source, by which filter_may_pass() can skip it before it is decoded. */
struct source_extent {
	uint32_t cpu, pid, tid;	/* SOURCE_ANY: several, or unknown */
	uint64_t from, to;	/* ns, both included */
	const struct id_set *tids, *cpus;	/* all threads and CPUs; NULL: unknown */
};

/*
 * The data of a source are divided into pieces. Any worker thread can decode a piece, and gets its items (item.h) in order of time.
 * Each piece belongs to a stream, such as the trace of a CPU or thread. The pieces of a stream follow each other in time.
 */
struct source_piece {
	uint32_t stream;	/* 0, 1, ... */
	uint64_t time;		/* ns; all items of the piece are at or after it */
};

struct item_sink {
	void (*item)(const struct item_sink *sink, const struct item *item);
};

struct item_source {
	uint32_t nr_streams;
	VEC(struct source_piece) pieces;	/* ordered by stream, then by time */
	void *(*worker_new)(struct item_source *s);	/* a worker's state, owned by it */
	void (*worker_free)(struct item_source *s, void *worker);
	/* Passes all items of a piece to @sink, in order. The source counts data that cannot be decoded, for findings(). */
	void (*decode)(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink);
	/*
	 * Says that the piece will not be decoded, because the pass has failed. NULL: no piece waits for another. (A piece may
	 * wait for lower ones of its stream, which are begun before it.)
	 */
	void (*skip)(struct item_source *s, size_t piece);
	/* After the passes: adds findings about data that could not be decoded. NULL: none. */
	void (*findings)(const struct item_source *s, struct findings *out);
	void (*close)(struct item_source *s);	/* frees the source; called by session_close(); NULL: another owner frees it */
};

/* A worker's states of sources, made when first needed. {0}: none yet. */
struct source_workers {
	VEC(struct { struct item_source *source; void *state; }) list;
};
void source_worker_decode(struct source_workers *w, struct item_source *s, size_t piece, const struct item_sink *sink);
void source_workers_release(struct source_workers *w);

#endif
