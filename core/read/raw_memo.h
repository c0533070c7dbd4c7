/*
 * Caches results that callers compute from the raw data of tracepoint samples, such as the formatted text, because many samples
 * have equal data. trace_text.c and two files of core/hists (bucket.c, packed.c) use the cache.
 */
#ifndef CORE_READ_RAW_MEMO_H
#define CORE_READ_RAW_MEMO_H

#include <stdbool.h>
#include <stdint.h>

struct item;
struct raw_slot;

/*
 * Each worker thread has its own cache, which maps recent raw data to an integer that the caller chooses, such as the offset of the
 * formatted text in the caller's buffer.
 */
struct raw_memo { struct raw_slot *slots; };	/* = {0}; owned: raw_memo_release() */

struct raw_key {
	uint32_t event;		/* its number */
	uint32_t space;		/* the kernel space of the sample */
	uint32_t size;		/* bytes of .raw */
	const void *raw;	/* borrowed */
};

/*
 * True if the number of @item's raw data is cached, for the kernel space of the sample. *number points to it, or to where the
 * caller stores it before the next call; NULL: the data are too long for the cache.
 */
bool raw_memo_find(struct raw_memo *m, const struct item *item, uint32_t **number);
/* True if the number is cached. Changes nothing. */
bool raw_memo_get(const struct raw_memo *m, const struct raw_key *key, uint32_t *number);
void raw_memo_release(struct raw_memo *m);

#endif
