/*
 * COMPRESSED records carry one zstd stream, cut anywhere; other records stand between them. The next COMPRESSED record
 * completes a record that is cut in the stream. Format: Linux 6.16, tools/perf/Documentation/perf.data-file-format.txt.
 */
#include "tests/vm/aux_unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/vm/aux_words.h"

enum { RECORD_TRACING_DATA = 66, RECORD_AUXTRACE = 71, RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83 };

uint64_t record_extent(const uint8_t *rec, size_t size)
{
	uint64_t own = u32_at(rec + 4) >> 16;

	if (own < 8)
		return 0;
	if (u32_at(rec) == RECORD_AUXTRACE && size >= 16)
		return own + (u64_at(rec + 8) <= INT64_MAX ? u64_at(rec + 8) : INT64_MAX);
	if (u32_at(rec) == RECORD_TRACING_DATA && size >= 12)
		return own + u32_at(rec + 8);
	return own;
}

static void put(struct unpacked *u, const uint8_t *p, size_t n)
{
	if (u->room - u->size <= n) {
		u->room = (u->size + n) * 2 + 8;
		u->bytes = realloc(u->bytes, u->room);
	}
	if (!u->bytes) {
		perror("memory");
		exit(1);
	}
	memcpy(u->bytes + u->size, p, n);
	u->size += n;
}

/* Move the whole records at the beginning of what came out of the stream. There is no trace among them. */
static int put_whole(struct unpacked *u, struct unpacked *stream)
{
	size_t at = 0;

	while (stream->size - at >= 8) {
		uint64_t n = record_extent(stream->bytes + at, stream->size - at);

		if (!n || n > stream->size - at)
			break;
		if (u32_at(stream->bytes + at) == RECORD_AUXTRACE) {
			fputs("trace is compressed\n", stderr);
			return -1;
		}
		at += n;
	}
	put(u, stream->bytes, at);
	stream->size -= at;
	memmove(stream->bytes, stream->bytes + at, stream->size);
	return 0;
}

static int decompress(ZSTD_DStream *z, struct unpacked *stream, const uint8_t *p, size_t n)
{
	static uint8_t piece[1 << 17];
	ZSTD_inBuffer in = { p, n, 0 };
	ZSTD_outBuffer out;

	do {
		size_t status;

		out = (ZSTD_outBuffer){ piece, sizeof(piece), 0 };
		status = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(status)) {
			fprintf(stderr, "zstd: %s\n", ZSTD_getErrorName(status));
			return -1;
		}
		put(stream, piece, out.pos);
	} while (in.pos < in.size || out.pos == out.size);
	return 0;
}

static int unpack_one(struct unpacked *out, ZSTD_DStream *z, struct unpacked *stream, const uint8_t *rec, uint64_t n)
{
	uint32_t type = u32_at(rec);
	size_t head = type == RECORD_COMPRESSED2 ? 16 : 8;

	if (type != RECORD_COMPRESSED && type != RECORD_COMPRESSED2) {
		put(out, rec, n);
		return 0;
	}
	if (n < head || decompress(z, stream, rec + head, type == RECORD_COMPRESSED2 ? u64_at(rec + 8) : n - head))
		return -1;
	return put_whole(out, stream);
}

int aux_unpack(struct unpacked *out, const uint8_t *data, size_t size)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	struct unpacked stream = { 0 };
	int err = 0;

	*out = (struct unpacked){ 0 };
	put(out, data, 0);
	put(&stream, data, 0);
	for (size_t at = 0; at < size && !err;) {
		uint64_t n = size - at < 8 ? UINT64_MAX : record_extent(data + at, size - at);

		if (!n) {
			fprintf(stderr, "a record of impossible size at %zu\n", at);
			err = -1;
		} else if (n > size - at) {
			out->cut = 1;
			break;
		} else {
			err = unpack_one(out, z, &stream, data + at, n);
			at += n;
		}
	}
	out->cut = out->cut || stream.size;
	free(stream.bytes);
	ZSTD_freeDStream(z);
	return err;
}
