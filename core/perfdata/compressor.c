/*
 * Compresses records with zstd into PERF_RECORD_COMPRESSED records, each smaller than 64 KiB. Each ends with a flush of the zstd
 * stream, because perf 6.1 rejects a record that decompresses to nothing.
 */
#include "core/perfdata/compressor.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/compression/zstd.h"

/* The most data in one record: zstd adds at most 300 bytes, and header.size has 16 bits. */
#define PACK_SIZE	60000u
#define PACK_ROOM	65536u	/* the buffer size announced to perf */

struct compressor {
	struct zstd_writer *zstd;	/* owned */
	int level;
	uint64_t raw, packed;		/* bytes so far */
};

struct compressor *compressor_new(int level)
{
	struct compressor *p = xcalloc(1, sizeof(*p));

	p->level = level;
	p->zstd = zstd_writer_new(level);
	if (p->zstd)
		return p;
	compressor_free(p);
	return NULL;
}

void compressor_free(struct compressor *c)
{
	if (c)
		zstd_writer_free(c->zstd);
	free(c);
}

/*
 * A COMPRESSED record ends with a flush of the zstd stream, so a reader can unpack its data at once: perf 6.1 rejects a COMPRESSED
 * record that unpacks to nothing. It is not padded, because perf 6.1 would take the padding for compressed data.
 */
static int put_record(struct compressor *c, const void *bytes, size_t n, struct buf *out)
{
	struct record_header h = { .type = RECORD_COMPRESSED };
	size_t at = out->len, size;
	int err;

	buf_put(out, &h, sizeof(h));
	err = zstd_write(c->zstd, bytes, n, out);
	size = out->len - at;
	if (err || size > UINT16_MAX)
		return -EINVAL;
	h.size = (uint16_t)size;
	memcpy(out->data + at, &h, sizeof(h));
	c->raw += n;
	c->packed += size;
	return 0;
}

/*
 * The number of bytes of @part, from @at on, to pack into one COMPRESSED record: complete records if they fit, so that a file may
 * end after it. *rest, 0 at first: how many bytes are left of a record that began in an earlier COMPRESSED record.
 */
static size_t piece_at(const struct iovec *part, size_t at, uint64_t *rest)
{
	const char *bytes = (const char *)part->iov_base + at;
	size_t most = MIN(part->iov_len - at, (size_t)PACK_SIZE), n = (size_t)MIN(*rest, (uint64_t)most);
	struct record_header h = {0};

	*rest -= n;
	while (!*rest && most - n >= sizeof(h)) {
		memcpy(&h, bytes + n, sizeof(h));
		if (h.size < sizeof(h))
			return most;
		if (h.size > most - n)
			break;
		n += h.size;
	}
	if (n)
		return n;
	*rest = h.size > most ? h.size - most : 0;
	return most;
}

int compressor_put(struct compressor *c, const struct iovec *parts, int nr_parts, struct buf *out)
{
	uint64_t rest = 0;
	size_t n;
	int err = 0;

	for (int i = 0; i < nr_parts; i++)
		for (size_t at = 0; at < parts[i].iov_len && !err; at += n) {
			n = piece_at(&parts[i], at, &rest);
			err = put_record(c, (const char *)parts[i].iov_base + at, n, out);
		}
	return err;
}

uint64_t compressor_covers(const struct iovec *parts, int nr_parts, uint64_t nr)
{
	uint64_t bytes = 0, rest = 0;
	size_t n;

	for (int i = 0; i < nr_parts; i++)
		for (size_t at = 0; at < parts[i].iov_len && nr; at += n, nr--) {
			n = piece_at(&parts[i], at, &rest);
			bytes += n;
		}
	return bytes;
}

void compressor_count(struct compressor *c, const struct compressor *other)
{
	c->raw += other->raw;
	c->packed += other->packed;
}

void compressor_features(const struct compressor *c, struct features *f)
{
	f->has[FEATURE_COMPRESSED] = true;
	f->comp_version = 1;
	f->comp_type = 1;	/* zstd */
	f->comp_level = (uint32_t)c->level;
	f->comp_ratio = c->packed ? (uint32_t)((c->raw + c->packed / 2) / c->packed) : 1;
	f->comp_mmap_len = PACK_ROOM;
}
