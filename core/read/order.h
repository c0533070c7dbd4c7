/*
 * Sorts records, or their times and positions, by time. The records of one ring buffer are already in order, so the input
 * consists of ascending sequences. order_sort() merges neighbouring sequences only where their times overlap.
 */
#ifndef CORE_READ_ORDER_H
#define CORE_READ_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct order_key { uint64_t time, position; };	/* compared in this order */

/*
 * Sorts @nr items in place, on @jobs threads. Each has @size bytes, a multiple of 8, and begins with the members of struct
 * order_key. Items that are equal in both keep their order.
 */
void order_sort(void *items, size_t nr, size_t size, unsigned jobs);

#endif
