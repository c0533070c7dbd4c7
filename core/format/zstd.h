/*
 * The zstd stream that COMPRESSED records carry: one stream a recording (a ring, with --threads), cut anywhere by
 * the records; what one record's bytes give may end inside a record, which the next one's complete.
 * Layer: format
 */
#ifndef CORE_FORMAT_ZSTD_H
#define CORE_FORMAT_ZSTD_H

#include <stddef.h>

struct buf;
struct inflate;
struct deflate;

/* Owned by the caller: inflate_free(). */
struct inflate *inflate_new(void);
void inflate_free(struct inflate *z);
/* Forget everything, as at the start of a stream; keeps the memory. */
void inflate_reset(struct inflate *z);
/*
 * Append what @n more bytes of the stream give to @out, which grows by @limit at most. Returns 0; -EINVAL for
 * damaged bytes, -EFBIG beyond the limit (the stream is unusable then until inflate_reset()).
 */
int inflate_more(struct inflate *z, const void *bytes, size_t n, struct buf *out, size_t limit);

/* Owned by the caller: deflate_free(). @level 1 to 22; NULL where zstd refuses it. */
struct deflate *deflate_new(int level);
void deflate_free(struct deflate *z);
/* Append to @out the stream's bytes for @n more, all of them (flushed). Returns 0 or -EINVAL. */
int deflate_more(struct deflate *z, const void *bytes, size_t n, struct buf *out);

#endif
