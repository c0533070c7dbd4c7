/*
 * Hits of a tracepoint that say the same have the same bytes of raw data: a worker remembers what it made of those of late, as a
 * number that the caller knows the meaning of.
 * Layer: read
 */
#ifndef CORE_READ_RAW_MEMO_H
#define CORE_READ_RAW_MEMO_H

#include <stdbool.h>
#include <stdint.h>

struct item;
struct raw_slot;

struct raw_memo { struct raw_slot *slots; };	/* = {0}; owned: raw_memo_release() */

/*
 * True if the meaning of @item's raw data is cached, among the names of its kernel. *number is its place, or the place for
 * the caller to store it before the next call; NULL: the data are too long for the cache.
 */
bool raw_memo_find(struct raw_memo *m, const struct item *item, uint32_t **number);
void raw_memo_release(struct raw_memo *m);

#endif
