/*
 * Maps AUX areas, finds the new trace in them, and measures how fast a device writes, so that an area that is too small can be
 * enlarged. recording.c writes the trace to the file.
 */
#include "auxtrace/area.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/util.h"

/*
 * At most this many bytes before the old head are compared. Trace repeats itself, but its timestamps do not. Each 64 KiB of trace
 * have some timestamps (PT: one in each psb_period, 16 KiB by default).
 */
#define BEFORE_MAX (64u << 10)

int aux_area_map(struct aux_area *a, uint64_t ring_bytes, uint64_t size, bool snapshot)
{
	uint64_t offset = (uint64_t)sysconf(_SC_PAGESIZE) + ring_bytes;
	void *map;

	a->page->aux_offset = offset;
	a->page->aux_size = size;
	map = mmap(NULL, size, PROT_READ | (snapshot ? 0 : PROT_WRITE), MAP_SHARED, a->fd, (off_t)offset);
	if (map == MAP_FAILED)
		return -errno;
	a->data = map;
	a->size = size;
	a->done = 0;
	if (!snapshot)
		return 0;
	/* The kernel gives zeroed pages, so the bytes before the first head (0) are zeros. */
	a->nr_before = MIN(size, BEFORE_MAX);
	a->before = xcalloc(1, a->nr_before);
	return 0;
}

void aux_area_unmap(struct aux_area *a)
{
	if (a->data)
		munmap(a->data, a->size);
	free(a->before);
	a->data = a->before = NULL;
}

static uint64_t load_head(const struct aux_area *a)
{
	return atomic_load_explicit((_Atomic __u64 *)&a->page->aux_head, memory_order_acquire);
}

/*
 * The kernel frees an area at its last munmap(). The next mmap() gives the ring a new area, in which aux_head goes on from its old
 * value (perf_mmap_close(), rb_alloc_aux() in kernel/events of Linux 4.1 to 6.18).
 */
int aux_area_resize(struct aux_area *a, uint64_t ring_bytes, uint64_t size)
{
	uint64_t old = a->size, head;
	int err;

	munmap(a->data, a->size);
	a->data = NULL;
	err = aux_area_map(a, ring_bytes, size, false);
	if (err && (err = aux_area_map(a, ring_bytes, old, false)))
		return err;
	head = load_head(a);
	aux_area_done(a, (struct area_span){ head, head });
	if (a->size != old)
		a->was_full = a->busy = false;
	return 0;
}

struct area_span aux_area_read(const struct aux_area *a)
{
	return (struct area_span){ a->done, load_head(a) };
}

void aux_area_done(struct aux_area *a, struct area_span s)
{
	a->done = s.to;
	atomic_store_explicit((_Atomic __u64 *)&a->page->aux_tail, s.to, memory_order_release);
}

/*
 * If two reads in a row find that a watermark was passed, the device wrote all the time between them: at least @bytes, and more if
 * it did not have to stop. If a read finds less, the device may have been idle, and its rate stays unknown.
 */
void aux_area_measure(struct aux_area *a, uint64_t bytes, bool full, uint64_t now_ns)
{
	uint64_t ns = now_ns - a->measured_ns;

	if (a->busy && ns) {
		a->fastest = MAX(a->fastest, (double)bytes / (double)ns);
		if (full)
			a->longest_ns = MAX(a->longest_ns, ns);
	}
	a->was_full |= full;
	a->measured_ns = now_ns;
	a->busy = bytes >= a->size / AUX_WATERMARKS;
}

uint64_t aux_area_wanted(const struct aux_area *a)
{
	uint64_t size = a->was_full ? 2 * a->size : a->size;

	while (a->was_full && size < AUX_AREA_MOST && (double)size < a->fastest * (double)a->longest_ns)
		size *= 2;
	return size;
}

static void copy_before(const struct aux_area *a, uint64_t at, uint8_t *out, size_t n)
{
	uint64_t from = (at - n) & (a->size - 1), first = MIN(n, a->size - from);

	memcpy(out, a->data + from, first);
	memcpy(out + first, a->data, n - first);
}

/* True if the @n bytes before the old head have changed. */
static bool changed_before(const struct aux_area *a, size_t n)
{
	uint8_t *now = xmalloc(a->nr_before);
	bool changed;

	copy_before(a, a->done, now, n);
	changed = memcmp(now, a->before + a->nr_before - n, n);
	free(now);
	return changed;
}

/*
 * Returns the number of new bytes in an area whose head is an offset. The device has wrapped around if bytes have changed that it
 * would not have reached otherwise.
 */
static uint64_t new_bytes(const struct aux_area *a, uint64_t head)
{
	uint64_t n = (head - a->done) & (a->size - 1);

	if (head - a->done == a->size)
		return a->size;
	return changed_before(a, MIN(a->nr_before, a->size - n)) ? a->size : n;
}

/* The first position at or after @from at which a record begins. */
static uint64_t to_record(const struct aux_area *a, uint64_t from)
{
	uint64_t into = a->record_bytes ? (from & (a->size - 1)) % a->record_bytes : 0;

	return into ? MIN(from + a->record_bytes - into, (from | (a->size - 1)) + 1) : from;
}

/*
 * A head at the very end of the area is an offset, too: SPE leaves it there when the buffer is full (arm_spe_pmu.c of
 * Linux 6.1, arm_spe_perf_aux_output_end()).
 */
struct area_span aux_area_snapshot(struct aux_area *a, uint64_t max)
{
	uint64_t head = load_head(a), n;

	a->free_running = a->free_running || head > a->size;
	n = a->free_running ? MIN(head - a->done, a->size) : new_bytes(a, head);
	if (max)
		n = MIN(n, max);
	if (!a->free_running && head < n)
		head += a->size;
	return (struct area_span){ to_record(a, head - n), head };
}

void aux_area_advance(struct aux_area *a, struct area_span s)
{
	a->done = !a->free_running && s.to > a->size ? s.to - a->size : s.to;
	copy_before(a, a->done, a->before, a->nr_before);
}

int aux_area_pieces(const struct aux_area *a, struct area_span s, struct iovec parts[2])
{
	uint64_t n = s.to - s.from, at = s.from & (a->size - 1), first = MIN(n, a->size - at), rest = 0;
	int nr = 0;

	if (a->record_bytes && at + first == a->size)
		rest = MIN(a->size % a->record_bytes, first);
	if (first > rest)
		parts[nr++] = (struct iovec){ .iov_base = a->data + at, .iov_len = first - rest };
	if (n > first)
		parts[nr++] = (struct iovec){ .iov_base = a->data, .iov_len = n - first };
	return nr;
}
