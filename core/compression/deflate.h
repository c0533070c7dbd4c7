/*
 * Compresses data in the deflate format (RFC 1951), bare or as a gzip file (RFC 1952). The exports for pprof, Firefox and HTML
 * (core/show/export) use it.
 */
#ifndef CORE_COMPRESSION_DEFLATE_H
#define CORE_COMPRESSION_DEFLATE_H

#include "core/base/buf.h"

enum deflate_form { DEFLATE_RAW, DEFLATE_GZIP };

struct deflate;

/* Begins a compression that appends to @out, which is borrowed, and which the caller may empty at any time: deflate_end(). */
struct deflate *deflate_begin(enum deflate_form form, struct buf *out);
void deflate_put(struct deflate *d, const void *p, size_t n);

/* How hard the compression searches for repetitions in the data that follow. */
enum deflate_effort {
	DEFLATE_USUAL,
	DEFLATE_QUICK,		/* little: for large data that hardly repeat */
	DEFLATE_RUNS,		/* only for runs of one byte (Z_RLE): for numbers, some of which are frequent */
};

void deflate_effort(struct deflate *d, enum deflate_effort effort);
void deflate_end(struct deflate *d);

#endif
