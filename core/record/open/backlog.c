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
	atomic_init(&b->ring_at, at);
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

/* The copy of a stack always has the requested size, and the kernel does not write the bytes after the first dyn_size. */
struct stack_hole {
	uint32_t size_at;	/* offset in the record of the copy's size; the copy follows it */
	uint32_t from, to;	/* these bytes of the record are the hole; equal: there is none */
};

/* Finds the unused end of the stack in the sample @record of @size bytes. */
static struct stack_hole stack_hole_of(const struct ring_layouts *r, const uint8_t *record, uint16_t size)
{
	const struct event *ev = event_of_record(r->events, record);
	const struct sample_layout *l = ev ? &r->recorded[ev->number] : NULL;
	struct stack_hole none = {0};
	struct sample sample = {0};
	uint32_t stack, valid;
	struct wire w;

	if (!l || !(l->type & PERF_SAMPLE_STACK_USER))
		return none;
	w = wire_reader(record + sizeof(struct record_header), size - sizeof(struct record_header));
	if (sample_pass(&w, l, &sample) || sample.stack_size < BACKLOG_HOLE_LEAST ||
	    sample.stack_dyn_size > sample.stack_size - BACKLOG_HOLE_LEAST)
		return none;
	stack = (uint32_t)((const uint8_t *)sample.stack - record);
	/* A sample with an empty copy has no valid size after it. */
	valid = (uint32_t)MAX(round_up(sample.stack_dyn_size, 8), r->cuts_stacks ? 8 : 0);
	return (struct stack_hole){
		.size_at = stack - (uint32_t)sizeof(uint64_t), .from = stack + valid,
		.to = stack + (uint32_t)sample.stack_size,
	};
}

/* A record that wraps around in the ring buffer counts as one without a hole. */
static struct stack_hole hole_at(const struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t at, struct record_header h)
{
	struct stack_hole none = {0};

	if (h.type != PERF_RECORD_SAMPLE || h.size < BACKLOG_HOLE_LEAST || h.size > mask + 1 - (at & mask))
		return none;
	return stack_hole_of(&b->layouts, data + (at & mask), h.size);
}

static uint8_t *memory_at(const struct backlog *b, uint64_t position)
{
	return b->memory + ((b->base + position) & (b->size - 1));
}

/* Copies bytes [@from, @to) of the ring buffer to position @out. Returns the position after them. */
static uint64_t copy(const struct backlog *b, uint64_t out, const uint8_t *data, uint64_t mask, uint64_t from, uint64_t to)
{
	uint64_t first = MIN(to - from, mask + 1 - (from & mask));

	memcpy(memory_at(b, out), data + (from & mask), first);
	memcpy(memory_at(b, out) + first, data, to - from - first);
	return out + (to - from);
}

/* Makes the record at position @at as long as it is without its hole. */
static void shorten(const struct backlog *b, uint64_t at, struct record_header h, struct stack_hole hole)
{
	uint64_t stack_size = hole.from - hole.size_at - sizeof(stack_size);

	h.size = (uint16_t)(h.size - (hole.to - hole.from));
	memcpy(memory_at(b, at), &h, sizeof(h));
	memcpy(memory_at(b, at + hole.size_at), &stack_size, sizeof(stack_size));
}

bool backlog_put(struct backlog *b, const uint8_t *data, uint64_t mask, uint64_t to)
{
	uint64_t out = atomic_load_explicit(&b->head, memory_order_relaxed);
	uint64_t most = atomic_load_explicit(&b->tail, memory_order_acquire) + b->size;
	uint64_t begin = atomic_load(&b->ring_at), at, copied = begin;
	struct record_header h;

	if (out + b->size == most)
		b->base = -out & (b->size - 1);
	atomic_store(&b->is_large, false);
	for (at = begin; to - at >= sizeof(h); at += h.size) {
		struct stack_hole hole;

		memcpy(&h, data + (at & mask), sizeof(h));
		if (h.size < sizeof(h) || h.size > to - at)
			break;
		hole = hole_at(b, data, mask, at, h);
		if (out + (at - copied) + h.size - (hole.to - hole.from) > most) {
			atomic_store(&b->is_large, true);
			break;
		}
		if (hole.from == hole.to)
			continue;
		out = copy(b, out, data, mask, copied, at + hole.from);
		copied = at + hole.to;
		if (b->layouts.cuts_stacks)
			shorten(b, out - hole.from, h, hole);
		else
			out += hole.to - hole.from;
	}
	out = copy(b, out, data, mask, copied, at);
	atomic_store(&b->ring_at, at);
	atomic_store_explicit(&b->head, out, memory_order_release);
	return at != begin;
}
