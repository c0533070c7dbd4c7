/*
 * Encodes columns of Parquet files, as Encodings.md of apache/parquet-format defines. parquet.c calls these functions.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_PARQUET_ENCODING_H
#define CORE_SHOW_EXPORT_PARQUET_ENCODING_H

#include "core/base/buf.h"

/*
 * RLE/bit-packing hybrid: append @nr numbers of @width bits, each below 1 << width. @width is 1 or a multiple of 8 up to 32:
 * numbers that begin at bytes are found again by the compression that follows.
 */
void parquet_put_hybrid(struct buf *out, const uint32_t *v, size_t nr, unsigned width);

/* DELTA_BINARY_PACKED, of 64 bits; signed or not is the same. */
void parquet_put_deltas(struct buf *out, const uint64_t *v, size_t nr);

#endif
