/* Compresses tables of JIT and interpreted code for a section of the recording. Layer: live */
#ifndef CORE_RECORD_LIVE_PACKED_TABLE_H
#define CORE_RECORD_LIVE_PACKED_TABLE_H

#include <stdbool.h>

struct buf;
struct feature_packed;

/* Packs @table into *out, whose bytes are owned by the caller. False: it is empty, or there is no zstd; *out is as it was. */
bool packed_table_make(const struct buf *table, struct feature_packed *out);

#endif
