/*
 * Keeps the records of a perf ring buffer in other memory, the backlog, so that the ring buffer has room while its reader is busy.
 * One thread copies the records to the backlog (pumps.h), and the reader takes them from there.
 *
 *	mapped twice, one after the other:   | size bytes | the same bytes |
 *	byte at the ring's position p:       at (base + p) modulo size
 *
 * Positions are those of the ring buffer, so that data in either place are read in the same way. Whenever the backlog is empty, the
 * next byte is put at the start of its memory, so that a small backlog touches few pages. Only the valid part of a copied stack is
 * stored, which is usually a tenth of the copy.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_BACKLOG_H
#define CORE_RECORD_OPEN_BACKLOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/record/open/stack_hole.h"

struct backlog {
	struct ring_layouts layouts;
	pthread_mutex_t lock;		/* held by the copier; a waiting thread lends the owner its priority */
	uint8_t *memory;		/* owned, 2 * size bytes */
	uint64_t size;			/* a power of two */
	uint64_t base;			/* see above; changes while nothing waits */
	_Atomic uint64_t head, tail;	/* the waiting data; the reader moves the tail */
	_Atomic bool is_large;		/* the last copy did not fit completely */
	_Atomic unsigned filled;	/* ring_was_filled() */
	_Atomic bool shed;		/* samples in it may have shed stacks */
};

/*
 * Makes a backlog of @size bytes, a power of two of pages, whose positions begin at @at. Returns NULL if there is no memory for
 * it.
 */
struct backlog *backlog_new(struct ring_layouts layouts, uint64_t size, uint64_t at);
void backlog_free(struct backlog *b);

/*
 * Copies records of a ring buffer, given by @data and @mask, from the backlog's head up to position @to: all of them, or as many
 * whole records as there is room for. Returns the position up to which they were copied. Call it with the lock held.
 */
uint64_t backlog_put(struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t to);

#endif
