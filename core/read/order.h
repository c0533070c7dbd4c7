/*
 * Sorts keys of records by time. The keys of each ring buffer are already in order, so sequences of keys overlap little.
 * Neighbouring sequences are merged only where they overlap, which is cheap.
 * Layer: read
 */
#ifndef CORE_READ_ORDER_H
#define CORE_READ_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct order_key { uint64_t time, position; };	/* compared in this order; no two are equal */

/* Sort @nr keys in place, on @jobs threads. */
void order_sort(struct order_key *keys, size_t nr, unsigned jobs);

#endif
