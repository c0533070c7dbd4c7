/* Ring buffers. Layer: events */
#include "core/events/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/util.h"

int ring_map(struct ring *r, int fd, uint64_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*r = (struct ring){ .page = map, .data = (uint8_t *)map + page, .size = size, .cpu = -1, .fd = fd };
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->page)
		munmap(r->page, (size_t)(r->data - (uint8_t *)r->page) + r->size);
	*r = (struct ring){ .fd = -1 };
}

struct ring_span ring_read(struct ring *r)
{
	r->head = atomic_load_explicit((_Atomic __u64 *)&r->page->data_head, memory_order_acquire);
	return (struct ring_span){ .data = r->data, .mask = r->size - 1, .from = r->tail, .to = r->head };
}

void ring_done(struct ring *r)
{
	r->tail = r->head;
	atomic_store_explicit((_Atomic __u64 *)&r->page->data_tail, r->tail, memory_order_release);
}

int ring_pieces(const struct ring_span *s, struct iovec parts[2])
{
	uint64_t n = s->to - s->from, at = s->from & s->mask, first = MIN(n, s->mask + 1 - at);

	if (!n)
		return 0;
	parts[0] = (struct iovec){ .iov_base = (void *)(uintptr_t)(s->data + at), .iov_len = first };
	parts[1] = (struct iovec){ .iov_base = (void *)(uintptr_t)s->data, .iov_len = n - first };
	return n > first ? 2 : 1;
}

void ring_copy(const struct ring_span *s, uint64_t at, void *out, size_t n)
{
	uint64_t start = at & s->mask, first = MIN(n, s->mask + 1 - start);

	memcpy(out, s->data + start, first);
	memcpy((uint8_t *)out + first, s->data, n - first);
}
