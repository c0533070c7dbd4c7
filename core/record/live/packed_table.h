/*
 * Compresses the recorder's table of Java or Python function names, so that a feature section of perf.data can store it.
 * core/model/java.h and core/model/python.h read the table.
 */
#ifndef CORE_RECORD_LIVE_PACKED_TABLE_H
#define CORE_RECORD_LIVE_PACKED_TABLE_H

#include <stdbool.h>

struct buf;
struct feature_packed;

/*
 * Compresses @table into *out, whose bytes are owned by the caller. Returns false and leaves *out as it was if the table is
 * empty or zstd fails.
 */
bool packed_table_make(const struct buf *table, struct feature_packed *out);

#endif
