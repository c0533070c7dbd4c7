/* Streaming zstd. Layer: format */
#include "core/format/zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "core/base/buf.h"

struct inflate { ZSTD_DStream *stream; };
struct deflate { ZSTD_CStream *stream; };

struct inflate *inflate_new(void)
{
	struct inflate *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (z->stream)
		ZSTD_initDStream(z->stream);
	return z;
}

void inflate_free(struct inflate *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void inflate_reset(struct inflate *z)
{
	if (z->stream)
		ZSTD_initDStream(z->stream);
}

int inflate_more(struct inflate *z, const void *bytes, size_t n, struct buf *out, size_t limit)
{
	ZSTD_inBuffer in = { bytes, n, 0 };
	size_t chunk = ZSTD_DStreamOutSize(), start = out->len, err;

	if (!z->stream)
		return -ENOMEM;
	for (;;) {
		ZSTD_outBuffer to = { buf_room(out, chunk), chunk, 0 };

		err = ZSTD_decompressStream(z->stream, &to, &in);
		if (ZSTD_isError(err))
			return -EINVAL;
		out->len += to.pos;
		if (out->len - start > limit)
			return -EFBIG;
		if (in.pos == in.size && to.pos < to.size)
			return 0;
	}
}

struct deflate *deflate_new(int level)
{
	struct deflate *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createCStream();
	if (z->stream && !ZSTD_isError(ZSTD_initCStream(z->stream, level)))
		return z;
	deflate_free(z);
	return NULL;
}

void deflate_free(struct deflate *z)
{
	if (!z)
		return;
	ZSTD_freeCStream(z->stream);
	free(z);
}

int deflate_more(struct deflate *z, const void *bytes, size_t n, struct buf *out)
{
	ZSTD_inBuffer in = { bytes, n, 0 };
	size_t chunk = ZSTD_CStreamOutSize(), left;

	do {
		ZSTD_outBuffer to = { buf_room(out, chunk), chunk, 0 };

		left = ZSTD_compressStream2(z->stream, &to, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return -EINVAL;
		out->len += to.pos;
	} while (left);
	return 0;
}
