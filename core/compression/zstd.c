/* Compresses and unpacks zstd streams with libzstd. */
#include "core/compression/zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "core/base/buf.h"

struct zstd_reader { ZSTD_DStream *stream; };
struct zstd_writer { ZSTD_CStream *stream; };

struct zstd_reader *zstd_reader_new(void)
{
	struct zstd_reader *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (z->stream && !ZSTD_isError(ZSTD_initDStream(z->stream)))
		return z;
	zstd_reader_free(z);
	return NULL;
}

void zstd_reader_free(struct zstd_reader *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

int zstd_read(struct zstd_reader *z, const uint8_t **data, size_t *size, struct buf *out)
{
	ZSTD_inBuffer in = { *data, *size, 0 };
	size_t chunk = ZSTD_DStreamOutSize(), err;
	bool full;

	do {
		ZSTD_outBuffer to = { buf_room(out, chunk), chunk, 0 };

		err = ZSTD_decompressStream(z->stream, &to, &in);
		if (ZSTD_isError(err))
			return -EINVAL;
		out->len += to.pos;
		full = to.pos == to.size;
	} while (full && in.pos == in.size);	/* there may be more output although all input is consumed */
	*data += in.pos;
	*size -= in.pos;
	return 0;
}

struct zstd_writer *zstd_writer_new(int level)
{
	struct zstd_writer *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createCStream();
	if (z->stream && !ZSTD_isError(ZSTD_initCStream(z->stream, level)))
		return z;
	zstd_writer_free(z);
	return NULL;
}

void zstd_writer_free(struct zstd_writer *z)
{
	if (!z)
		return;
	ZSTD_freeCStream(z->stream);
	free(z);
}

static int compress(struct zstd_writer *z, const void *bytes, size_t n, ZSTD_EndDirective how, struct buf *out)
{
	ZSTD_inBuffer in = { bytes, n, 0 };
	size_t chunk = ZSTD_CStreamOutSize(), left;

	do {
		ZSTD_outBuffer to = { buf_room(out, chunk), chunk, 0 };

		left = ZSTD_compressStream2(z->stream, &to, &in, how);
		if (ZSTD_isError(left))
			return -EINVAL;
		out->len += to.pos;
	} while (left);
	return 0;
}

int zstd_write(struct zstd_writer *z, const void *bytes, size_t n, struct buf *out)
{
	return compress(z, bytes, n, ZSTD_e_flush, out);
}

int zstd_end(struct zstd_writer *z, struct buf *out)
{
	return compress(z, NULL, 0, ZSTD_e_end, out);
}
