/*
 * Maps AUX areas (the buffers into which a trace device writes), and finds the new trace in them. An AUX area is mapped behind
 * the ring buffer of an event. recording.c writes the new trace to the output file.
 */
#ifndef AUXTRACE_AREA_H
#define AUXTRACE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define AUX_WATERMARKS	4		/* the kernel wakes the reader whenever this fraction of an area, a fourth, was written */
#define AUX_AREA_MOST	(1ull << 30)	/* larger areas are not recommended */

struct perf_event_mmap_page;

struct aux_area {
	struct perf_event_mmap_page *page;	/* borrowed: the first page of the ring */
	uint8_t *data;				/* owned mapping */
	uint64_t size;				/* a power of two */
	/*
	 * The size of the device's records, if all have this size and none crosses the end of the area. Bytes after the last whole
	 * record in the area are not trace. 0: records may cross the end of the area.
	 */
	unsigned record_bytes;
	uint64_t done;				/* full trace: trace was taken up to here; snapshots: the head of the last one */
	/*
	 * Snapshots: with Intel PT and SPE, aux_head is an offset in the area. An offset does not show whether the device has
	 * wrapped around since the last snapshot. So the bytes before .done are kept and compared with the area now: if they
	 * differ, it has. With CoreSight, aux_head is a position that only grows.
	 */
	uint8_t *before;			/* owned; snapshots: the bytes before .done, as they were then */
	size_t nr_before;
	bool free_running;				/* snapshots: aux_head was above .size, so it is a position that grows */
	/* Full trace: .measured_ns is the time of the last read (CLOCK_MONOTONIC); .busy: it took a watermark's worth or more. */
	uint64_t measured_ns;
	bool busy;
	double fastest;			/* the highest rate measured, in bytes a nanosecond */
	uint64_t longest_ns;		/* the longest time between two reads in which the device filled the area */
	bool was_full;			/* the area was full since it got its present size */
	int fd, cpu;				/* the file, CPU and thread of the event that fills the area; .fd is borrowed */
	int32_t tid;
	uint32_t ring;				/* number of the event's ring */
};

/* Bytes [from, to) of the trace; to - from <= size. */
struct area_span {
	uint64_t from, to;
};

/*
 * Maps an area of @size bytes (a power of two of pages) after the ring of @ring_bytes whose first page is .page. For full trace,
 * the area is mapped read-write: the device stops at aux_tail, which aux_area_done() advances. For snapshots, it is mapped
 * read-only: the device overwrites old trace (perf_event_open(2), aux_head). Returns 0 or -errno.
 */
int aux_area_map(struct aux_area *a, uint64_t ring_bytes, uint64_t size, bool snapshot);
void aux_area_unmap(struct aux_area *a);
/*
 * Maps the area again with another size, a power of two of pages, or with the old size if the new one is not allowed. Only for full
 * trace. The events that fill the area must be disabled, and all data read. Positions go on from their old values. Returns 0; or
 * -errno, and the area is not mapped any more.
 */
int aux_area_resize(struct aux_area *a, uint64_t ring_bytes, uint64_t size);

/* Full trace: returns the unread data, with one read of aux_head. aux_area_done() lets the device overwrite them. */
struct area_span aux_area_read(const struct aux_area *a);
void aux_area_done(struct aux_area *a, struct area_span s);

/* Notes that @bytes were read at @now_ns. @full: the device had stopped, because the area was full. */
void aux_area_measure(struct aux_area *a, uint64_t bytes, bool full, uint64_t now_ns);
/*
 * Returns a sufficient size, a power of two: it holds the trace that the device writes at its highest rate in the longest time
 * between two reads, and is at least twice the present size. If the area was never full, returns the present size.
 */
uint64_t aux_area_wanted(const struct aux_area *a);

/*
 * Returns the data that were not in the last snapshot, at most the newest @max bytes (0: all). The event must be stopped:
 * aux_head is valid only then. aux_area_advance() makes this snapshot the last one.
 */
struct area_span aux_area_snapshot(struct aux_area *a, uint64_t max);
void aux_area_advance(struct aux_area *a, struct area_span s);

/* Finds the memory of the span: one or two parts. Returns how many (0: the span is empty). */
int aux_area_pieces(const struct aux_area *a, struct area_span s, struct iovec parts[2]);

#endif
