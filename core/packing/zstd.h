/*
 * The zstd stream that COMPRESSED records carry: one stream a recording, cut anywhere by the records; what one
 * record's bytes give may end inside a record, which the next one's complete.
 * Layer: packing
 */
#ifndef CORE_PACKING_ZSTD_H
#define CORE_PACKING_ZSTD_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct zstd_reader;
struct zstd_writer;

/* Owned by the caller: zstd_reader_free(). NULL: there is no memory for it. */
struct zstd_reader *zstd_reader_new(void);
void zstd_reader_free(struct zstd_reader *z);
/*
 * Unpack some of the *@size bytes at *@data, which are moved past what was used, and append to @out what they
 * give: at most about a quarter of a MiB a call, so that the caller can look in between. Nothing is kept back
 * once *@size is 0. Returns 0, or -EINVAL for damaged bytes, after which the stream can only be freed.
 */
int zstd_read(struct zstd_reader *z, const uint8_t **data, size_t *size, struct buf *out);

/* Owned by the caller: zstd_writer_free(). @level 1 to 22; NULL where zstd refuses it. */
struct zstd_writer *zstd_writer_new(int level);
void zstd_writer_free(struct zstd_writer *z);
/* Append to @out the stream's bytes for @n more, all of them (flushed). Returns 0 or -EINVAL. */
int zstd_write(struct zstd_writer *z, const void *bytes, size_t n, struct buf *out);
/* End the stream, so that any program can unpack it; nothing may be written after it. Returns 0 or -EINVAL. */
int zstd_end(struct zstd_writer *z, struct buf *out);

#endif
