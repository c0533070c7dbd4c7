/* PERF_SAMPLE_DATA_SRC in words: the memory access, and the source of its data. Layer: perfdata */
#ifndef CORE_PERFDATA_DATA_SRC_H
#define CORE_PERFDATA_DATA_SRC_H

#include <stdint.h>

struct buf;

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK N/A" */
void data_src_print(uint64_t data_src, struct buf *out);

/* The bits that decide on the words of one field; equal bits, equal words. */
uint64_t data_src_level(uint64_t data_src);
uint64_t data_src_snoop(uint64_t data_src);
uint64_t data_src_tlb(uint64_t data_src);
uint64_t data_src_lock(uint64_t data_src);
uint64_t data_src_blocked(uint64_t data_src);
/* The words of one field: "L1 hit", "HitM", "Walker miss", "Yes", " Data Addr". */
void data_src_put_level(uint64_t data_src, struct buf *out);
void data_src_put_snoop(uint64_t data_src, struct buf *out);
void data_src_put_tlb(uint64_t data_src, struct buf *out);
void data_src_put_lock(uint64_t data_src, struct buf *out);
void data_src_put_blocked(uint64_t data_src, struct buf *out);

/* PERF_SAMPLE_DATA_PAGE_SIZE, in bytes: "4K", "N/A" for 0. */
void page_size_put(uint64_t size, struct buf *out);

#endif
