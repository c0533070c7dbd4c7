/* Unpacks xz files with liblzma. unpack.c recognizes the format and calls unpack_xz(). */
#include <errno.h>
#include <lzma.h>

#include "core/base/buf.h"
#include "core/compression/unpack.h"

#define CHUNK		65536u
#define MEMORY_MAX	(128u << 20)	/* maximum bytes of memory for unpacking; a file from xz -9 needs 65 MiB */

int unpack_xz(const uint8_t *packed, size_t n, size_t max, struct buf *out)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret got = lzma_stream_decoder(&z, MEMORY_MAX, LZMA_CONCATENATED);
	size_t before = out->len;

	z.next_in = packed;
	z.avail_in = n;
	while (got == LZMA_OK && out->len - before <= max) {
		z.next_out = (uint8_t *)buf_room(out, CHUNK);
		z.avail_out = CHUNK;
		got = lzma_code(&z, LZMA_FINISH);
		out->len += CHUNK - z.avail_out;
	}
	lzma_end(&z);
	if (out->len - before > max || got == LZMA_MEMLIMIT_ERROR)
		return -EFBIG;
	return got == LZMA_STREAM_END ? 0 : -EINVAL;
}
