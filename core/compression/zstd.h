/*
 * Compresses and unpacks zstd streams. The COMPRESSED records of a file together hold one stream. A record may begin in one
 * COMPRESSED record and end in the next.
 */
#ifndef CORE_COMPRESSION_ZSTD_H
#define CORE_COMPRESSION_ZSTD_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct zstd_reader;
struct zstd_writer;

/* Makes a reader, owned by the caller: zstd_reader_free(). Returns NULL if memory runs out. */
struct zstd_reader *zstd_reader_new(void);
void zstd_reader_free(struct zstd_reader *z);
/*
 * Unpacks some of *@data, appends at most about 256 KiB, and moves past the bytes used. Once *@size is 0, all results were
 * appended. Returns 0, or -EINVAL for damaged bytes, after which the stream can only be freed.
 */
int zstd_read(struct zstd_reader *z, const uint8_t **data, size_t *size, struct buf *out);

/* Makes a writer, owned by the caller: zstd_writer_free(). @level is 1 to 22. Returns NULL if zstd refuses the level. */
struct zstd_writer *zstd_writer_new(int level);
void zstd_writer_free(struct zstd_writer *z);
/* Compresses @n bytes and appends the result to @out, flushed: no later bytes are needed to unpack it. Returns 0 or -EINVAL. */
int zstd_write(struct zstd_writer *z, const void *bytes, size_t n, struct buf *out);
/* Ends the stream, so that any program can unpack it; write nothing after that. Returns 0 or -EINVAL. */
int zstd_end(struct zstd_writer *z, struct buf *out);

#endif
