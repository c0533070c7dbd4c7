/*
 * Finds the user part of a deferred call chain (attr.defer_callchain, Linux 6.19), which the kernel writes after the sample.
 * item_reader.c adds it to the sample's chain.
 */
#ifndef CORE_READ_DEFERRED_H
#define CORE_READ_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/base/wire.h"

struct record;
struct sample_layout;

/*
 * A CALLCHAIN_DEFERRED record. The kernel unwinds the user stack only when the thread returns to user space, once for all samples
 * before the return, and writes the user part in this record. The chain in each of these samples ends with
 * CHAIN_CONTEXT_USER_DEFERRED and a cookie, and the record has the same cookie.
 */
struct deferred { uint64_t cookie, time, position; uint32_t tid; };

struct deferred_list { VEC(struct deferred) list; };	/* sorted by deferred_sort(); vec_free() the list */

/* Adds @rec, a CALLCHAIN_DEFERRED record at @position. */
void deferred_add(struct deferred_list *l, const struct record *rec, uint64_t position);
/* Call it after the last deferred_add(), before the first lookup. */
void deferred_sort(struct deferred_list *l);

/* The record that completes the chain with @cookie of a sample of @tid at @time; NULL: the recording does not have it. */
const struct deferred *deferred_find(const struct deferred_list *l, uint64_t cookie, uint32_t tid, uint64_t time);

#endif
