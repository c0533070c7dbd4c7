/* Compresses data with zlib. gzip.c is the counterpart that unpacks. */
#include "core/compression/deflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/base/log.h"

#define STEP 16384	/* bytes of output for which room is made at a time */

struct deflate {
	z_stream z;
	struct buf *out;
};

struct deflate *deflate_begin(enum deflate_form form, struct buf *out)
{
	struct deflate *d = xcalloc(1, sizeof(*d));
	int window = form == DEFLATE_GZIP ? MAX_WBITS + 16 : -MAX_WBITS;

	d->out = out;
	/* It only fails if memory runs out or arguments are wrong. */
	if (deflateInit2(&d->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory");
	return d;
}

static void run(struct deflate *d, int flush)
{
	int got;

	do {
		d->z.next_out = (Bytef *)buf_room(d->out, STEP);
		d->z.avail_out = STEP;
		got = deflate(&d->z, flush);
		d->out->len += STEP - d->z.avail_out;
	} while (d->z.avail_out == 0 || (flush == Z_FINISH && got == Z_OK));
}

void deflate_put(struct deflate *d, const void *p, size_t n)
{
	for (const char *at = p; n; ) {
		unsigned part = (unsigned)MIN(n, (size_t)INT_MAX);

		d->z.next_in = (Bytef *)at;
		d->z.avail_in = part;
		run(d, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

void deflate_effort(struct deflate *d, enum deflate_effort effort)
{
	static const struct { int level, strategy; } efforts[] = {
		[DEFLATE_USUAL] = { Z_DEFAULT_COMPRESSION, Z_DEFAULT_STRATEGY },
		[DEFLATE_QUICK] = { 1, Z_DEFAULT_STRATEGY },
		[DEFLATE_RUNS] = { 1, Z_RLE },
	};
	int got;

	d->z.avail_in = 0;
	/* Writes pending data first, as far as there is room. */
	do {
		d->z.next_out = (Bytef *)buf_room(d->out, STEP);
		d->z.avail_out = STEP;
		got = deflateParams(&d->z, efforts[effort].level, efforts[effort].strategy);
		d->out->len += STEP - d->z.avail_out;
	} while (got == Z_BUF_ERROR);
}

void deflate_end(struct deflate *d)
{
	d->z.avail_in = 0;
	run(d, Z_FINISH);
	deflateEnd(&d->z);
	free(d);
}
