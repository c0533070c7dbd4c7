/*
 * Copies records from a perf ring buffer to the backlog, a larger buffer in ordinary memory, so that the kernel finds room while
 * the reader is busy. ring.c calls it. Leaves out the unused end of each copy of a user stack.
 */
#include "core/record/open/backlog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/vec.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"

/*
 * Maps @size bytes of memory twice in a row. Without MAP_NORESERVE a kernel that does not overcommit would count all of the memory,
 * most of which is hardly ever touched.
 */
static uint8_t *map_twice(uint64_t size)
{
	uint8_t *p = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* With length 0: a second mapping of the same pages (mremap(2)). */
	if (mremap(p, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, p + size) == p + size)
		return p;
	munmap(p, 2 * size);
	return NULL;
}

static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(lock, &a))	/* a kernel without futexes that inherit */
		pthread_mutex_init(lock, NULL);
	pthread_mutexattr_destroy(&a);
}

struct backlog *backlog_new(struct ring_layouts layouts, uint64_t size, uint64_t ready, uint64_t at)
{
	struct backlog *b = xcalloc(1, sizeof(*b));

	b->memory = map_twice(size);
	if (!b->memory) {
		free(b);
		return NULL;
	}
	if (ready)
		madvise(b->memory, MIN(ready, size), MADV_POPULATE_WRITE);	/* since Linux 5.14; else pages come when touched */
	b->layouts = layouts;
	b->size = size;
	init_lock(&b->lock);
	atomic_init(&b->head, at);
	atomic_init(&b->tail, at);
	return b;
}

void backlog_free(struct backlog *b)
{
	if (!b)
		return;
	munmap(b->memory, 2 * b->size);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* Returns the end of the last whole record after @from that ends before @to and within @room bytes of @from. */
static uint64_t whole_records(const uint8_t *data, uint64_t mask, uint64_t from, uint64_t to, uint64_t room)
{
	struct record_header h;
	uint64_t at;

	for (at = from; to - at >= sizeof(h); at += h.size) {
		memcpy(&h, data + (at & mask), sizeof(h));
		if (h.size < sizeof(h) || h.size > to - at || at + h.size - from > room)
			break;
	}
	return at;
}

/* The copy of a stack always has the requested size, and the kernel does not write the bytes after the first dyn_size. */
struct stack_hole { uint32_t from, to; };	/* these bytes [.from, .to) of the record; equal: there is no hole */

/* Finds the unused end of the stack in the sample @record of @size bytes. */
static struct stack_hole stack_hole_of(const struct ring_layouts *r, const uint8_t *record, uint16_t size)
{
	const struct event *ev = event_of_record(r->events, record);
	const struct sample_layout *l = ev ? &r->recorded[ev->number] : NULL;
	struct stack_hole none = {0};
	struct sample sample = {0};
	uint32_t stack;
	struct wire w;

	if (!l || !(l->type & PERF_SAMPLE_STACK_USER))
		return none;
	w = wire_reader(record + sizeof(struct record_header), size - sizeof(struct record_header));
	if (sample_pass(&w, l, &sample) || sample.stack_dyn_size > sample.stack_size || !sample.stack_size)
		return none;
	stack = (uint32_t)((const uint8_t *)sample.stack - record);
	return (struct stack_hole){ stack + (uint32_t)sample.stack_dyn_size, stack + (uint32_t)sample.stack_size };
}

#define HOLE_LEAST	4096u	/* bytes: a smaller hole is copied, which is quicker than to look for it */

static void copy(const struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t from, uint64_t to)
{
	uint8_t *out = b->memory + ((b->base + from) & (b->size - 1));
	uint64_t first = MIN(to - from, mask + 1 - (from & mask));

	memcpy(out, data + (from & mask), first);
	memcpy(out + first, data, to - from - first);
}

/* Copies whole records, but not their holes. A record that wraps around in the ring buffer is copied with its hole. */
static void copy_valid(const struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t from, uint64_t to)
{
	struct record_header h;

	for (uint64_t at = from; to - at >= sizeof(h); at += h.size) {
		const uint8_t *record = data + (at & mask);
		struct stack_hole hole;

		memcpy(&h, record, sizeof(h));
		if (h.size < sizeof(h) || h.size > to - at)
			break;
		if (h.type != PERF_RECORD_SAMPLE || h.size < HOLE_LEAST || h.size > mask + 1 - (at & mask))
			continue;
		hole = stack_hole_of(&b->layouts, record, h.size);
		if (hole.to - hole.from < HOLE_LEAST)
			continue;
		copy(b, data, mask, from, at + hole.from);
		from = at + hole.to;
	}
	copy(b, data, mask, from, to);
}

uint64_t backlog_put(struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t to)
{
	uint64_t head = atomic_load_explicit(&b->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&b->tail, memory_order_acquire), room = b->size - (head - tail);

	atomic_store(&b->is_large, to - head > room);
	if (to - head > room)
		to = whole_records(data, mask, head, to, room);
	if (to == head)
		return to;
	if (head == tail)
		b->base = -head & (b->size - 1);
	copy_valid(b, data, mask, head, to);
	atomic_store_explicit(&b->head, to, memory_order_release);
	return to;
}
