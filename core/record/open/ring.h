/*
 * A mapped perf ring buffer, read without copying.
 *
 *	page 0: struct perf_event_mmap_page	pages 1 ..: data, a power of two of bytes
 *	data_head: written by the kernel, bytes ever written	data_tail: written by us, bytes ever taken
 *
 * The head is loaded once, with acquire, for a whole read; the tail is stored with release after the data was
 * taken (linux/perf_event.h, "data_head"). A forward ring is mapped read-write: the kernel stops writing at the tail. An overwrite
 * ring is mapped read-only: the kernel overwrites the oldest records. It writes backward (attr.write_backward, Linux 4.7), so that
 * the newest record begins at the head.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_RING_H
#define CORE_RECORD_OPEN_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct backlog;
struct buf;
struct perf_event_mmap_page;

struct ring {
	struct perf_event_mmap_page *page;	/* owned mapping */
	uint8_t *data;
	uint64_t size;				/* of the data, bytes, a power of two */
	uint64_t head, tail;			/* half-open span of the read going on; equal: none */
	int cpu, fd;				/* of the event that it was mapped for; fd is borrowed */
	bool overwrite;
	struct backlog *backlog;		/* owned; where its records wait for the reader; NULL: in the ring itself */
	bool side_band;				/* holds nothing else; each record wakes the reader */
};

/* The readable data: a span of positions, split where the ring wraps. */
struct ring_span {
	const uint8_t *data;			/* borrowed from the ring */
	uint64_t mask, from, to;
};

/* Map the ring of @fd with @size bytes of data (a power of two of pages). Returns 0 or -errno. */
int ring_map(struct ring *r, int fd, uint64_t size, bool overwrite);
void ring_unmap(struct ring *r);

/* Copies the data of the ring, which must have a backlog, to it. From any thread. Returns true if there were any. */
bool ring_pump(const struct ring *r);
/* True if the backlog had too little room at the last copy. */
bool ring_has_backlog(const struct ring *r);
/* True if stacks of samples in the backlog may have been shed. */
bool ring_has_shed(const struct ring *r);
enum { RING_WAS_LATE = 1, RING_WAS_FULL /* samples are lost then, or nearly */ };
/* For a ring with a backlog: how full it was at most, at copies since the last call; 0: less than a quarter. */
unsigned ring_was_filled(const struct ring *r);

/* Begins a read: all data written so far. Stays the same until ring_done(). An overwrite ring: nothing. */
struct ring_span ring_read(struct ring *r);
/* Ends the read without taking anything: the data stay for the next read. */
void ring_leave(struct ring *r);
/* The data written so far from position @from on, not taken yet; none for an overwrite ring. */
struct ring_span ring_unread(const struct ring *r, uint64_t from);
/*
 * Appends the data from *@at on to @out, and moves *@at to their end. For other threads than the ring's reader: data that the
 * reader takes meanwhile may be missing. A ring with a backlog: only for its reader. An overwrite ring: nothing.
 */
void ring_peek(const struct ring *r, uint64_t *at, struct buf *out);
/* Bytes that were written and not taken yet. From any thread. */
uint64_t ring_fill(const struct ring *r);
/* The data of the read was taken: the kernel may write there again. */
void ring_done(struct ring *r);

/*
 * Appends an overwrite ring's data since the last time, in forward order, to @out. The ring is paused while its bytes are
 * copied; records that come meanwhile are lost, and the kernel counts them. Returns true if older ones were overwritten since
 * then.
 */
bool ring_snapshot(struct ring *r, struct buf *out);
/* Appends the whole records at the start of @p, where the newest is first, to @out, oldest first. Stops at an invalid record. */
void ring_turn_round(const uint8_t *p, size_t n, struct buf *out);

/* The span as one or two pieces of memory; returns how many (0: empty). */
int ring_pieces(const struct ring_span *s, struct iovec parts[2]);
/* Copy @n bytes out of the span at position @at, across the wrap. */
void ring_copy(const struct ring_span *s, uint64_t at, void *out, size_t n);

#endif
