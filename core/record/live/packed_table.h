/*
 * Compresses the recorder's table of Java or Python function names, so that a feature section of perf.data can store it.
 * core/model/java.h and core/model/python.h read the table.
 */
#ifndef CORE_RECORD_LIVE_PACKED_TABLE_H
#define CORE_RECORD_LIVE_PACKED_TABLE_H

#include <stdbool.h>

struct buf;
struct feature_packed;

/* Compresses @table into *out, owned by the caller. False, with *out unchanged: the table is empty, or zstd failed. */
bool packed_table_make(const struct buf *table, struct feature_packed *out);

#endif
