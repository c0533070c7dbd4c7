/*
 * An AUX area: memory that a device fills with trace, mapped after the pages of a ring. In full trace it is mapped read-write:
 * the device stops at aux_tail, which the reader moves. In snapshot mode it is mapped read-only: the device overwrites old trace
 * (perf_event_open(2), aux_head).
 *
 * In snapshot mode aux_head is valid only while the event is stopped, and its meaning depends on the driver: with Intel PT and
 * SPE an offset inside the area, with CoreSight a position that grows without end. An offset does not say whether the area has
 * wrapped since the last snapshot. The bytes before the old head do: they change only if it has.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_AREA_H
#define AUXTRACE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define AUX_WATERMARKS	4		/* in an area: the kernel wakes us, and we take what is there, at each */
#define AUX_AREA_MOST	(1ull << 30)	/* larger ones are no advice */

struct perf_event_mmap_page;

struct aux_area {
	struct perf_event_mmap_page *page;	/* borrowed: the ring's first */
	uint8_t *data;				/* owned mapping */
	uint64_t size;				/* a power of two */
	/*
	 * Bytes of a record of the device, if all have this size and none crosses the end of the area: the rest there is no
	 * trace. 0: the device's bytes follow each other across the end, too.
	 */
	unsigned record_bytes;
	uint64_t done;				/* full trace: bytes taken; snapshots: the head of the last one */
	uint8_t *before;			/* owned, snapshots: the bytes before that head, as they were */
	size_t nr_before;
	bool free_running;				/* snapshots: a head was seen that is no offset */
	/* Full trace: when the last look was (CLOCK_MONOTONIC), and whether the device was at work then; see aux_area_measure(). */
	uint64_t measured_ns;
	bool busy;
	double fastest;			/* bytes a nanosecond */
	uint64_t longest_ns;		/* between two looks, while the device was at work and filled the area */
	bool was_full;			/* since it has its size */
	int fd, cpu;				/* of the event that fills it; borrowed */
	int32_t tid;
	uint32_t ring;				/* number of its ring */
};

/* Bytes [from, to) of the trace; to - from <= size. */
struct area_span {
	uint64_t from, to;
};

/*
 * Map an area of @size bytes (a power of two of pages) after the ring of @ring_bytes that .page is of. Returns 0 or
 * -errno.
 */
int aux_area_map(struct aux_area *a, uint64_t ring_bytes, uint64_t size, bool snapshot);
void aux_area_unmap(struct aux_area *a);
/*
 * Full trace, with the events that fill it disabled, and all data taken: gives it another size, a power of two of pages; the old
 * one again if that is not allowed. Positions go on. Returns 0 or -errno: it is not mapped any more.
 */
int aux_area_resize(struct aux_area *a, uint64_t ring_bytes, uint64_t size);

/* Full trace: the available data, by one read of aux_head; aux_area_done() lets the device write there again. */
struct area_span aux_area_read(const struct aux_area *a);
void aux_area_done(struct aux_area *a, struct area_span s);

/* Notes that @bytes were read at @now_ns; @full: the device had stopped for want of room. */
void aux_area_measure(struct aux_area *a, uint64_t bytes, bool full, uint64_t now_ns);
/*
 * The size, a power of two, that holds what the device writes at its fastest in the longest time between two reads; at least
 * twice the present size. If the area was never full: the present size.
 */
uint64_t aux_area_wanted(const struct aux_area *a);

/*
 * Snapshot, with the event stopped: data that were not in the last one, at most the newest @max bytes (0: all).
 * aux_area_advance() makes this one the last.
 */
struct area_span aux_area_snapshot(struct aux_area *a, uint64_t max);
void aux_area_advance(struct aux_area *a, struct area_span s);

/* The trace in the span as one or two pieces of memory; returns how many (0: empty). */
int aux_area_pieces(const struct aux_area *a, struct area_span s, struct iovec parts[2]);

#endif
