/*
 * PERF_SAMPLE_DATA_SRC in words: what a memory access was, and where its data came from.
 * Layer: views
 */
#ifndef CORE_VIEWS_DATA_SRC_H
#define CORE_VIEWS_DATA_SRC_H

#include <stdint.h>

struct buf;

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK N/A" */
void data_src_print(uint64_t data_src, struct buf *out);

#endif
