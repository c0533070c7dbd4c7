/*
 * Unpacks data in gzip, xz or zstd format, such as kernel modules, and recognizes the format by the first bytes. Each caller
 * sets a limit, because a few kilobytes may unpack to gigabytes.
 */
#ifndef CORE_COMPRESSION_UNPACK_H
#define CORE_COMPRESSION_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

#define UNPACK_MAGIC_MAX 6	/* the most bytes that are needed to recognize a format */

/* True if the @n bytes begin a format that unpack() can unpack. @n is UNPACK_MAGIC_MAX, or less if there are no more bytes. */
bool unpack_is_packed(const uint8_t *bytes, size_t n);
/* Appends at most @max bytes. Returns 0; -EFBIG: more; -EINVAL: damaged, truncated; -ENOTSUP: unknown format, or no library. */
int unpack(const uint8_t *packed, size_t n, size_t max, struct buf *out);

/* Like unpack(), for a single format. Returns -ENOTSUP if the library of the format is missing. */
int unpack_gzip(const uint8_t *packed, size_t n, size_t max, struct buf *out);
int unpack_xz(const uint8_t *packed, size_t n, size_t max, struct buf *out);

#endif
