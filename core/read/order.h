/*
 * Sorts the keys (time, position) of records. A ring buffer's records are already in order of time, so the keys consist of
 * ascending sequences. order_sort() merges neighbouring sequences only where their times overlap.
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
