/* Prints PERF_SAMPLE_DATA_SRC, which gives the kind of a sampled memory access and the level of memory that the data came from. */
#ifndef CORE_PERFDATA_DATA_SRC_H
#define CORE_PERFDATA_DATA_SRC_H

#include <stdint.h>

struct buf;

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK N/A" */
void data_src_print(uint64_t data_src, struct buf *out);

/* The bits that determine the text of one field: equal bits, equal text. */
uint64_t data_src_level(uint64_t data_src);
uint64_t data_src_snoop(uint64_t data_src);
uint64_t data_src_tlb(uint64_t data_src);
uint64_t data_src_lock(uint64_t data_src);
uint64_t data_src_blocked(uint64_t data_src);
/* Append the text of one field: "L1 hit", "HitM", "Walker miss", "Yes", " Data Addr". */
void data_src_put_level(uint64_t data_src, struct buf *out);
void data_src_put_snoop(uint64_t data_src, struct buf *out);
void data_src_put_tlb(uint64_t data_src, struct buf *out);
void data_src_put_lock(uint64_t data_src, struct buf *out);
void data_src_put_blocked(uint64_t data_src, struct buf *out);

/* The classes that perf mem report -F op,cache,memory,snoop,dtlb counts. An access is in one class of each of these five kinds. */
enum data_src_class {
	OP_LOAD, OP_STORE, OP_LOAD_STORE, OP_PREFETCH, OP_EXEC, OP_OTHER,
	CACHE_L1, CACHE_L2, CACHE_L3, CACHE_L4, CACHE_L1_BUFFER, CACHE_L2_BUFFER, CACHE_OTHER,
	MEMORY_RAM, MEMORY_SIDE_CACHE, MEMORY_UNCACHED, MEMORY_CXL, MEMORY_IO, MEMORY_PMEM, MEMORY_OTHER,
	SNOOP_HIT, SNOOP_HITM, SNOOP_MISS, SNOOP_OTHER,
	DTLB_L1_HIT, DTLB_L2_HIT, DTLB_ANY_HIT, DTLB_MISS, DTLB_OTHER,
	NR_DATA_SRC_CLASSES
};
#define NR_DATA_SRC_KINDS	5
#define DATA_SRC_CLASSES_BITS	15
#define DATA_SRC_CLASSES_MASK	((1u << DATA_SRC_CLASSES_BITS) - 1)

/* Pack the five classes of an access into DATA_SRC_CLASSES_BITS; take the class of @kind out of these bits. */
unsigned data_src_classes(uint64_t data_src);
enum data_src_class data_src_class(unsigned classes, unsigned kind);

/* Appends PERF_SAMPLE_DATA_PAGE_SIZE, which is in bytes: "4K", "N/A" for 0. */
void page_size_put(uint64_t size, struct buf *out);

#endif
