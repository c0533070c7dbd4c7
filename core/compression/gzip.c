/* Unpacks gzip files with zlib. unpack.c recognizes the format and calls unpack_gzip(). */
#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "core/base/buf.h"
#include "core/compression/unpack.h"

#define CHUNK 65536u

int unpack_gzip(const uint8_t *packed, size_t n, size_t max, struct buf *out)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = (unsigned)n };
	size_t before = out->len;
	int got = n <= UINT_MAX ? inflateInit2(&z, MAX_WBITS + 16) : Z_DATA_ERROR;

	while (got == Z_OK && out->len - before <= max) {
		z.next_out = (Bytef *)buf_room(out, CHUNK);
		z.avail_out = CHUNK;
		got = inflate(&z, Z_NO_FLUSH);
		out->len += CHUNK - z.avail_out;
	}
	inflateEnd(&z);
	if (out->len - before > max)
		return -EFBIG;
	return got == Z_STREAM_END ? 0 : -EINVAL;
}
