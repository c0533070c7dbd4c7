/*
 * Unpacks gzip, xz or zstd, recognized by their first bytes. A few kilobytes may unpack to gigabytes, so each caller sets a
 * limit.
 * Layer: packing
 */
#ifndef CORE_PACKING_UNPACK_H
#define CORE_PACKING_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

#define UNPACK_MAGIC_MAX 6	/* bytes that tell how it is packed */

/* True if the @n bytes, UNPACK_MAGIC_MAX or all there are, begin a format of unpack(). */
bool unpack_is_packed(const uint8_t *bytes, size_t n);
/*
 * Unpacks the @n bytes at @packed, and appends up to @max bytes to @out. Returns 0; -EFBIG: there is more; -EINVAL: damaged or
 * cut; -ENOTSUP: an unknown format, or one whose library this build lacks.
 */
int unpack(const uint8_t *packed, size_t n, size_t max, struct buf *out);

/* The same for a single format; -ENOTSUP if its library is missing. */
int unpack_gzip(const uint8_t *packed, size_t n, size_t max, struct buf *out);
int unpack_xz(const uint8_t *packed, size_t n, size_t max, struct buf *out);

#endif
