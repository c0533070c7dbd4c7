/*
 * Maps, reads and pauses perf ring buffers. If a thread copies a ring buffer's records to larger memory, the backlog
 * (backlog.h), ring.c reads the records from the backlog.
 */
#include "core/record/open/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/record/open/backlog.h"

int ring_map(struct ring *r, int fd, uint64_t size, bool overwrite)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + size, overwrite ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*r = (struct ring){ .page = map, .data = (uint8_t *)map + page, .size = size, .cpu = -1, .fd = fd,
			    .overwrite = overwrite };
	return 0;
}

void ring_unmap(struct ring *r)
{
	backlog_free(r->backlog);
	if (r->page)
		munmap(r->page, (size_t)(r->data - (uint8_t *)r->page) + r->size);
	*r = (struct ring){ .fd = -1 };
}

static uint64_t load_head(const struct ring *r)
{
	return atomic_load_explicit((_Atomic __u64 *)&r->page->data_head, memory_order_acquire);
}

static void store_tail(const struct ring *r, uint64_t tail)
{
	atomic_store_explicit((_Atomic __u64 *)&r->page->data_tail, tail, memory_order_release);
}

/* With the backlog's lock held. */
static void note_fill(const struct ring *r, uint64_t bytes)
{
	if (bytes > atomic_load(&r->backlog->filled))
		atomic_store(&r->backlog->filled, bytes);
}

/* With the backlog's lock held. Returns whether anything was copied. */
static bool pump(const struct ring *r)
{
	uint64_t head = load_head(r);

	note_fill(r, head - r->backlog->ring_at);
	if (!backlog_put(r->backlog, r->data, r->size - 1, head))
		return false;
	store_tail(r, r->backlog->ring_at);
	return true;
}

bool ring_pump(const struct ring *r)
{
	bool copied;

	pthread_mutex_lock(&r->backlog->lock);
	copied = pump(r);
	pthread_mutex_unlock(&r->backlog->lock);
	return copied;
}

bool ring_has_backlog(const struct ring *r)
{
	return r->backlog && atomic_load(&r->backlog->is_large);
}

bool ring_has_shed(const struct ring *r)
{
	return r->backlog && atomic_load(&r->backlog->shed);
}

uint64_t ring_was_filled(const struct ring *r)
{
	return atomic_exchange(&r->backlog->filled, 0);
}

static struct ring_span span_of_backlog(const struct ring *r)
{
	const struct backlog *b = r->backlog;
	struct ring_span s;

	pthread_mutex_lock(&r->backlog->lock);
	pump(r);
	s = (struct ring_span){ .data = b->memory + b->base, .mask = b->size - 1, .from = r->tail, .to = b->head };
	pthread_mutex_unlock(&r->backlog->lock);
	return s;
}

/* Returns the data that were written and not taken yet. */
static struct ring_span span_of(const struct ring *r)
{
	if (r->backlog)
		return span_of_backlog(r);
	return (struct ring_span){ .data = r->data, .mask = r->size - 1, .from = r->tail,
				   .to = r->overwrite ? r->tail : load_head(r) };
}

struct ring_span ring_read(struct ring *r)
{
	struct ring_span s = span_of(r);

	r->head = s.to;
	return s;
}

struct ring_span ring_read_quickly(struct ring *r)
{
	if (!r->backlog)
		return ring_read(r);
	pthread_mutex_lock(&r->backlog->lock);
	if (r->backlog->head != r->tail) {
		pthread_mutex_unlock(&r->backlog->lock);
		return ring_read(r);
	}
	r->locked = true;
	r->locked_to = load_head(r);
	note_fill(r, r->locked_to - r->backlog->ring_at);
	return (struct ring_span){ .data = r->data, .mask = r->size - 1, .from = r->backlog->ring_at, .to = r->locked_to };
}

struct ring_span ring_unread(const struct ring *r, uint64_t from)
{
	struct ring_span s = span_of(r);

	s.from = MAX(from, s.from);
	s.to = MAX(s.to, r->tail);
	return s;
}

static uint64_t load_tail(const struct ring *r)
{
	return atomic_load_explicit((_Atomic __u64 *)&r->page->data_tail, memory_order_acquire);
}

static void put_span(struct ring_span s, uint64_t *at, struct buf *out)
{
	size_t n = s.to - s.from;

	*at = s.to;
	if (!n)
		return;
	ring_copy(&s, s.from, buf_room(out, n), n);
	out->len += n;
}

/*
 * The reader may release data during the copy, and the kernel may then overwrite them. So, as with a sequence lock, the tail is
 * loaded again after the copy, and data before it are not used.
 */
void ring_peek(const struct ring *r, uint64_t *at, struct buf *out)
{
	uint64_t tail = load_tail(r), from = *at > tail ? *at : tail, to = r->overwrite ? from : load_head(r), taken;
	size_t before = out->len, n;

	if (r->backlog) {
		put_span(ring_unread(r, *at), at, out);
		return;
	}
	n = (size_t)(to - from);
	*at = to;
	if (!n)
		return;
	ring_copy(&(struct ring_span){ .data = r->data, .mask = r->size - 1, .from = from, .to = to }, from, buf_room(out, n), n);
	atomic_thread_fence(memory_order_acquire);
	tail = load_tail(r);
	taken = tail > from ? MIN(tail - from, n) : 0;
	memmove(out->data + before, out->data + before + taken, n - taken);
	out->len = before + n - taken;
}

uint64_t ring_fill(const struct ring *r)
{
	uint64_t tail = r->backlog ? r->backlog->ring_at : load_tail(r);
	uint64_t waiting = r->backlog ? r->backlog->head - r->backlog->tail : 0;

	return r->overwrite ? 0 : load_head(r) - tail + waiting;
}

static void unlock(struct ring *r)
{
	r->locked = false;
	pthread_mutex_unlock(&r->backlog->lock);
}

void ring_leave(struct ring *r)
{
	r->head = r->tail;
	if (r->locked)
		unlock(r);
}

void ring_done(struct ring *r)
{
	if (r->locked) {
		atomic_store(&r->backlog->ring_at, r->locked_to);
		store_tail(r, r->locked_to);
		unlock(r);
		return;
	}
	if (r->overwrite || r->head == r->tail)
		return;
	r->tail = r->head;
	if (r->backlog)
		atomic_store_explicit(&r->backlog->tail, r->tail, memory_order_release);
	else
		store_tail(r, r->tail);
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

void ring_turn_round(const uint8_t *p, size_t n, struct buf *out)
{
	VEC(size_t) records = {0};
	struct record_header h;
	size_t at;

	for (at = 0; n - at >= sizeof(h); at += h.size) {
		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > n - at)
			break;
		vec_push(&records, at);
	}
	while (records.nr--) {
		size_t from = records.v[records.nr];

		memcpy(&h, p + from, sizeof(h));
		buf_put(out, p + from, h.size);
	}
	vec_free(&records);
}

bool ring_snapshot(struct ring *r, struct buf *out)
{
	bool overwritten;
	struct iovec parts[2];
	struct buf copy = {0};
	int nr;

	ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	r->head = load_head(r);
	/* The kernel writes this ring backward: new data are from the head up to that of the last time, at most a whole ring. */
	nr = ring_pieces(&(struct ring_span){ .data = r->data, .mask = r->size - 1, .from = r->head,
					      .to = r->head + MIN(r->tail - r->head, r->size) }, parts);
	for (int i = 0; i < nr; i++)
		buf_put(&copy, parts[i].iov_base, parts[i].iov_len);
	overwritten = r->tail - r->head > r->size;
	r->tail = r->head;
	ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	ring_turn_round((const uint8_t *)copy.data, copy.len, out);
	buf_release(&copy);
	return overwritten;
}
