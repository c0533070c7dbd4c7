/* Without zlib: the same formats, of blocks that are stored as they are. Layer: packing */
#include "core/packing/deflate.h"

#include <stdlib.h>

#define MOST_STORED 65535	/* bytes of a stored block (RFC 1951, 3.2.4) */

struct deflate {
	enum deflate_form form;
	struct buf *out, waiting;
	uint32_t crc, size;	/* of the gzip trailer (RFC 1952, 2.3.1) */
};

static void put_le(struct buf *out, uint32_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_putc(out, (char)(v >> 8 * i));
}

struct deflate *deflate_begin(enum deflate_form form, struct buf *out)
{
	struct deflate *d = xcalloc(1, sizeof(*d));

	d->form = form;
	d->out = out;
	d->crc = ~0u;
	if (form == DEFLATE_GZIP)
		buf_put(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	return d;
}

static uint32_t crc32_of(uint32_t crc, const uint8_t *p, size_t n)
{
	while (n--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return crc;
}

static void put_block(struct deflate *d, bool last)
{
	uint32_t n = (uint32_t)d->waiting.len;

	buf_putc(d->out, last);
	put_le(d->out, n, 2);
	put_le(d->out, ~n, 2);
	buf_put(d->out, d->waiting.data, n);
	d->waiting.len = 0;
}

void deflate_put(struct deflate *d, const void *p, size_t n)
{
	d->size += (uint32_t)n;
	if (d->form == DEFLATE_GZIP)
		d->crc = crc32_of(d->crc, p, n);
	for (const char *at = p; n; ) {
		size_t part = MIN(n, MOST_STORED - d->waiting.len);

		buf_put(&d->waiting, at, part);
		at += part;
		n -= part;
		if (d->waiting.len == MOST_STORED)
			put_block(d, false);
	}
}

void deflate_effort(struct deflate *d, enum deflate_effort effort)
{
	(void)d;
	(void)effort;
}

void deflate_end(struct deflate *d)
{
	put_block(d, true);
	if (d->form == DEFLATE_GZIP) {
		put_le(d->out, ~d->crc, 4);
		put_le(d->out, d->size, 4);
	}
	buf_release(&d->waiting);
	free(d);
}
