/*
 * Maps a perf ring buffer, and gives callers its records without a copy, as a range of the mapped memory.
 * core/record/loop/ring_drain.c writes the records to the file.
 */
#ifndef CORE_RECORD_OPEN_RING_H
#define CORE_RECORD_OPEN_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "core/perfdata/record.h"

struct backlog;
struct buf;
struct perf_event_mmap_page;

/*
 * A mapped perf ring buffer:
 *
 *	page 0: struct perf_event_mmap_page	pages 1 ..: data, a power of two of bytes
 *	data_head: written by the kernel, bytes ever written	data_tail: written by prec, bytes ever taken
 *
 * The head is loaded once, with acquire, for a whole read. The tail is stored with release after the data were taken
 * (linux/perf_event.h, "data_head"). A forward ring buffer is mapped read-write, and the kernel stops writing at the tail. An
 * overwrite ring buffer is mapped read-only, and the kernel overwrites the oldest records. The kernel writes an overwrite ring
 * buffer backward (attr.write_backward, Linux 4.7), so that the newest record begins at the head.
 */
struct ring {
	struct perf_event_mmap_page *page;	/* owned mapping */
	uint8_t *data;
	uint64_t size;				/* bytes of data, a power of two */
	uint64_t head, tail;			/* positions, of the backlog if there is one: the present read is [.tail, .head);
						 * equal: there is no read */
	int cpu, fd;				/* CPU and descriptor (borrowed) of the event that was mapped */
	bool overwrite;
	struct backlog *backlog;		/* owned: its records wait for the reader there; NULL: in the ring buffer */
	bool locked;				/* the present read is of the ring buffer itself, with the backlog's lock held; */
	uint64_t locked_to;			/* it ends at this position of the ring buffer */
	bool side_band;				/* has only MMAP, COMM and the like, and each record wakes the reader */
};

/* Readable data: positions [.from, .to). Position p is at data[p & mask], so the data may wrap around (ring_pieces()). */
struct ring_span {
	const uint8_t *data;			/* borrowed from the ring */
	uint64_t mask, from, to;
};

/* True if a whole record begins at position @at; *h is its header, which never wraps: records begin at multiples of 8. */
static inline bool ring_record(const struct ring_span *s, uint64_t at, struct record_header *h)
{
	if (s->to - at < sizeof(*h))
		return false;
	memcpy(h, s->data + (at & s->mask), sizeof(*h));
	return h->size >= sizeof(*h) && h->size <= s->to - at;
}

/* Maps the ring buffer of the event @fd, with @size bytes of data (a power of two of pages). Returns 0 or -errno. */
int ring_map(struct ring *r, int fd, uint64_t size, bool overwrite);
void ring_unmap(struct ring *r);

/* Copies the data of the ring buffer to its backlog (backlog.h). Safe from any thread. Returns true if there were any. */
bool ring_pump(const struct ring *r);
/* True if the backlog had too little room at the last copy. */
bool ring_has_backlog(const struct ring *r);
/* True if stacks of samples in the backlog may have been shed. */
bool ring_has_shed(const struct ring *r);
/* Returns how many bytes a ring buffer with a backlog had at most when it was read since the last call. */
uint64_t ring_was_filled(const struct ring *r);

/* Begins a read, which ring_done() ends, of all data written so far. An overwrite ring buffer gives none. */
struct ring_span ring_read(struct ring *r);
/*
 * Like ring_read(), but reads the ring buffer itself if its backlog is empty, which saves a copy. Until ring_done() or
 * ring_leave(), the thread that fills backlogs may wait for the caller, so the caller must be quick and must not write to disks.
 */
struct ring_span ring_read_quickly(struct ring *r);
/* Ends the read without taking the data, which stay for the next read. */
void ring_leave(struct ring *r);
/* Returns the data that were written from position @from on and not taken yet. An overwrite ring buffer gives no data. */
struct ring_span ring_unread(const struct ring *r, uint64_t from);
/*
 * Appends the data from position *@at on to @out, and moves *@at to their end. It is for threads other than the ring buffer's
 * reader; data that the reader takes meanwhile may be missing. If the ring buffer has a backlog, only its reader may call this.
 * An overwrite ring buffer gives no data.
 */
void ring_peek(const struct ring *r, uint64_t *at, struct buf *out);
/* Returns the number of bytes that were written and not taken yet. Safe from any thread. */
uint64_t ring_fill(const struct ring *r);
/* Ends the read and takes its data: the kernel may write there again. */
void ring_done(struct ring *r);

/*
 * Appends the data of an overwrite ring buffer since the last call to @out, in forward order. The ring buffer is paused while
 * its bytes are copied. Records that come meanwhile are lost, and the kernel counts them. Returns true if records since the last
 * call were overwritten.
 */
bool ring_snapshot(struct ring *r, struct buf *out);
/* Appends the records at @p, the newest first, to @out, the oldest first. Stops at an invalid record. */
void ring_turn_round(const uint8_t *p, size_t n, struct buf *out);

/* Gets the span as one or two ranges of memory. Returns their number, or 0 if the span is empty. */
int ring_pieces(const struct ring_span *s, struct iovec parts[2]);
/* Copies @n bytes at position @at out of the span, also across the end of the ring buffer. */
void ring_copy(const struct ring_span *s, uint64_t at, void *out, size_t n);

#endif
