/*
 * Copies the records of a perf ring buffer to other memory, the backlog, so that the ring buffer has room while its reader is
 * busy. A thread of the recorder (core/record/loop/pumps.h) does this through ring_pump() of ring.h.
 */
#ifndef CORE_RECORD_OPEN_BACKLOG_H
#define CORE_RECORD_OPEN_BACKLOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct event_table;
struct sample_layout;

#define BACKLOG_HOLE_LEAST	4096u	/* bytes: a smaller unused end of a stack is copied, which is quicker than to look for it */

/* The layouts of samples as the kernel writes them into ring buffers. */
struct ring_layouts {
	const struct event_table *events;	/* borrowed */
	const struct sample_layout *recorded;	/* borrowed: by event number */
	bool cuts_stacks;			/* samples in the backlog lack the unused ends of copies of stacks */
};

/*
 * A position is a number of bytes that were ever put into the backlog. Whenever the backlog is empty, the next byte is put at the
 * start of its memory, so that a small backlog touches few pages.
 *
 *	the memory is mapped twice in a row:	| size bytes | the same bytes |
 *	the byte at position p:			at offset (base + p) modulo size
 */
struct backlog {
	struct ring_layouts layouts;
	pthread_mutex_t lock;		/* held during a copy; a thread that waits for it lends the owner its priority */
	uint8_t *memory;		/* owned, 2 * size bytes */
	uint64_t size;			/* a power of two */
	uint64_t base;			/* see above; changes only while the backlog is empty */
	_Atomic uint64_t ring_at;	/* position in the ring buffer up to which its records were taken */
	_Atomic uint64_t head, tail;	/* positions: the data from .tail to .head wait for the reader, which moves .tail */
	_Atomic bool is_large;		/* the last copy did not fit completely */
	_Atomic uint64_t filled;	/* result of the next ring_was_filled() */
	_Atomic bool shed;		/* samples in it may lack stacks: event_set_shed_stacks() */
};

/*
 * Makes a backlog of @size bytes, a power of two of pages, for a ring buffer whose records are taken from position @at on. The
 * backlog's positions begin there, too. The first @ready bytes, whole pages, get their memory now, so that no copy takes page
 * faults there. Returns NULL if there is no memory for it.
 */
struct backlog *backlog_new(struct ring_layouts layouts, uint64_t size, uint64_t ready, uint64_t at);
void backlog_free(struct backlog *b);

/*
 * Copies records of a ring buffer, given by @data and @mask, from .ring_at up to position @to: all of them, or as many whole
 * records as there is room for. Returns true if any were copied. Call it with the lock held. The unused end of a stack copy
 * (PERF_SAMPLE_STACK_USER), usually nine tenths of it, is not copied.
 */
bool backlog_put(struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t to);

#endif
