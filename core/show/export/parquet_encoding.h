/* Encodes columns of Parquet files, as Encodings.md of apache/parquet-format defines. parquet.c calls these functions. */
#ifndef CORE_SHOW_EXPORT_PARQUET_ENCODING_H
#define CORE_SHOW_EXPORT_PARQUET_ENCODING_H

#include "core/base/buf.h"

/* Each below 1 << @width, which is 1 or a multiple of 8 up to 32: bytes let the page's compression find repetitions. */
void parquet_put_hybrid(struct buf *out, const uint32_t *v, size_t nr, unsigned width);

/* Appends @nr 64-bit numbers, signed or not, in the encoding DELTA_BINARY_PACKED. */
void parquet_put_deltas(struct buf *out, const uint64_t *v, size_t nr);

#endif
