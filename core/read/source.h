/*
 * Sources of items in addition to the records of the file, such as samples decoded from hardware trace. A source has pieces; any
 * worker can decode a piece independently of the others. Items of a piece are in order of time. Pieces belong to streams (the
 * trace of a CPU or thread), in which they follow each other.
 * Layer: read
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

/* The scope of a part of a source, so that filter_may_pass() can leave it out before it is decoded. */
struct source_extent {
	uint32_t cpu, pid, tid;	/* SOURCE_ANY: of several, or not known */
	uint64_t from, to;	/* ns; both may occur */
	const struct id_set *tids, *cpus;	/* those of several; NULL: not known */
};

struct source_piece {
	uint32_t stream;	/* 0, 1, ... */
	uint64_t time;		/* ns; no item of the piece is earlier */
};

struct item_sink {
	void (*item)(const struct item_sink *sink, const struct item *item);
};

struct item_source {
	uint32_t nr_streams;
	VEC(struct source_piece) pieces;	/* by stream, in it by time */
	void *(*worker_new)(struct item_source *s);	/* a worker's state, owned by it */
	void (*worker_free)(struct item_source *s, void *worker);
	/* Give all items of a piece to @sink, in order. The source counts what cannot be decoded, for findings(). */
	void (*decode)(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink);
	/*
	 * The piece will not be decoded, the pass has failed. NULL: no piece waits for another. (One may wait for those
	 * of lower numbers in its stream: they are begun before it.)
	 */
	void (*skip)(struct item_source *s, size_t piece);
	/* After the passes: add what could not be decoded, and why. NULL: nothing to add. */
	void (*findings)(const struct item_source *s, struct findings *out);
	void (*close)(struct item_source *s);	/* by session_close(), which then owns it; NULL: another owner */
};

/* A worker's states of the sources it has met. {0}: no source yet. */
struct source_workers {
	VEC(struct { struct item_source *source; void *state; }) list;
};
void source_worker_decode(struct source_workers *w, struct item_source *s, size_t piece, const struct item_sink *sink);
void source_workers_release(struct source_workers *w);

#endif
