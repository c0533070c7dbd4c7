/*
 * Declares the sort keys for memory accesses, as in perf mem report: for example, mem is the cache or memory that had the data.
 * detail.h stores the accesses, and key_table.c lists the keys.
 */
#ifndef CORE_HISTS_MEM_KEY_H
#define CORE_HISTS_MEM_KEY_H

#include <stddef.h>
#include <stdint.h>

struct byte_table;
struct buf;
struct item;
struct machine;
struct mem_values;

/*
 * Appends the access of @item to a detail (a byte string for the values of sort keys, detail.h), with only the data that the
 * report's columns need: @needs has flags NEED_MEM_*. Safe from any thread.
 */
void mem_put(const struct machine *m, unsigned needs, const struct item *item, struct buf *out);
/* The cost of the access: PERF_SAMPLE_WEIGHT or the first part of PERF_SAMPLE_WEIGHT_STRUCT, at least 1. */
uint64_t mem_weight(const struct item *item);

/* The number of bytes that mem_put() appends. */
#define MEM_PUT_SIZE 56u

/*
 * Reads the accesses that mem_put() wrote, at @offset in each of @details, which are borrowed. Numbers the distinct data addresses,
 * cache lines and physical addresses; their sort keys use the number in place of the address. Owned by the caller.
 */
struct mem_values *mem_values_new(const struct byte_table *details, size_t offset);
void mem_values_free(struct mem_values *v);

/* PERF_SAMPLE_DATA_SRC of detail @number; with NEED_MEM_SOURCE. */
uint64_t mem_source(const struct mem_values *v, uint32_t number);

#endif
