/*
 * What a backlog takes from a ring: each record is as it was, wherever the ring or the memory wraps, but for the part of a copy of
 * the stack that is not valid. That part is not touched, or the record is shorter without it.
 */
#include "core/record/open/backlog.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"

#define RING	(64u << 10)
#define MEMORY	(128u << 10)
#define STACK	16384u
#define ID	7u
#define MARK	0xeeu		/* in the ring, where the kernel wrote nothing */

static uint8_t ring[RING];
static int failures;

static void check(bool ok, const char *what, unsigned turn)
{
	if (ok)
		return;
	printf("turn %u: %s\n", turn, what);
	failures++;
}

static void put(uint64_t *at, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ring[(*at + i) % RING] = ((const uint8_t *)p)[i];
	*at += n;
}

static void put_word(uint64_t *at, uint64_t v)
{
	put(at, &v, sizeof(v));
}

/* A sample: id, ip, size of the stack, stack, its valid size. Returns where the stack begins. */
static uint64_t put_sample(uint64_t *at, unsigned turn, uint64_t valid)
{
	struct record_header h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(h) + 3 * 8 + STACK + 8 };
	uint64_t stack;

	put(at, &h, sizeof(h));
	put_word(at, ID);
	put_word(at, turn);
	put_word(at, STACK);
	stack = *at;
	for (uint64_t i = 0; i < STACK; i++)
		ring[(stack + i) % RING] = i < valid ? (uint8_t)(turn + i) : MARK;
	*at += STACK;
	put_word(at, valid);
	return stack;
}

static uint8_t *memory_at(const struct backlog *b, uint64_t at)
{
	return b->memory + ((b->base + at) & (b->size - 1));
}

static void test_turn(struct backlog *b, uint64_t *end, unsigned turn)
{
	const uint64_t from = *end, valid = 8 * (turn % 300);
	struct record_header h = { .type = PERF_RECORD_LOST, .size = 24 };
	uint64_t stack, other, got;
	bool touched = false, same = true;

	stack = put_sample(end, turn, valid);
	other = *end;
	put(end, &h, sizeof(h));
	put_word(end, turn);
	put_word(end, ~(uint64_t)turn);
	memset(b->memory, 0, MEMORY);
	check(backlog_put(b, ring, RING - 1, *end) && b->ring_at == *end, "not all was taken", turn);
	for (uint64_t at = from; at < *end; at++) {
		bool hole = at >= stack + valid && at < stack + STACK;

		if (!hole)
			same &= *memory_at(b, at) == ring[at % RING];
		else
			touched |= *memory_at(b, at) != 0;
	}
	check(same, "a record is not as it was", turn);
	memcpy(&got, memory_at(b, other + 8), sizeof(got));
	check(got == turn, "the next record", turn);
	/* One that wraps in the ring is copied whole. */
	check(!touched || (from % RING) + 32 + STACK + 8 > RING, "what is not valid was copied", turn);
	atomic_store(&b->tail, *end);
}

/* A record without the part of its stack that is not valid is a record of its own: only two sizes in it change. */
static void test_cut(struct backlog *b, uint64_t *end, unsigned turn)
{
	const uint64_t from = *end, valid = 8 + 8 * (turn % 300), head = b->head;
	bool wraps = from % RING + 32 + STACK + 8 > RING;
	const uint64_t size = wraps ? STACK : valid;
	struct record_header h;
	uint64_t stack = put_sample(end, turn, valid), word;
	bool same = true;

	check(backlog_put(b, ring, RING - 1, *end) && b->ring_at == *end, "not all was taken", turn);
	memcpy(&h, memory_at(b, head), sizeof(h));
	check(h.size == 8 + 3 * 8 + size + 8 && b->head == head + h.size, "the size of a shorter record", turn);
	memcpy(&word, memory_at(b, head + 24), sizeof(word));
	check(word == size, "the size of a shorter stack", turn);
	for (uint64_t i = 0; i < valid; i++)
		same &= *memory_at(b, head + 32 + i) == ring[(stack + i) % RING];
	check(same, "the valid part of a shorter stack", turn);
	memcpy(&word, memory_at(b, head + 32 + size), sizeof(word));
	check(word == valid, "the valid size", turn);
	atomic_store(&b->tail, b->head);
}

/* Records that have no room stay in the ring, and none is taken in part. */
static void test_room(struct backlog *b, uint64_t *end)
{
	uint64_t at = *end;

	for (unsigned i = 0; i < RING / (STACK + 40); i++)
		put_sample(end, i, STACK);
	atomic_store(&b->tail, b->head + 2 * (STACK + 40) - MEMORY);
	check(backlog_put(b, ring, RING - 1, *end) && b->is_large, "too little room was not seen", 0);
	check(b->ring_at == at + 2 * (STACK + 40), "other records than there was room for", 0);
	check(!backlog_put(b, ring, RING - 1, *end), "records without room were taken", 0);
	atomic_store(&b->tail, b->head);
	check(backlog_put(b, ring, RING - 1, *end) && b->ring_at == *end && !b->is_large, "the rest was not taken", 0);
	atomic_store(&b->tail, b->head);
}

/* The pages that are to be ready have memory before anything is copied, and only these. */
static void test_ready(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = MEMORY / page, ready = nr / 2;
	struct backlog *b = backlog_new((struct ring_layouts){0}, MEMORY, ready * page, 0);
	unsigned char resident[MEMORY / 4096];

	if (!b)
		return;
	/* Before Linux 5.14 no page is ready. */
	if (!mincore(b->memory, MEMORY, resident) && resident[0] & 1)
		for (size_t i = 0; i < nr; i++)
			check((resident[i] & 1) == (i < ready), "pages with memory", (unsigned)i);
	backlog_free(b);
}

int main(void)
{
	const struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER,
		.sample_stack_user = STACK,
	};
	struct event_table events = {0};
	uint64_t end = 5 * RING - 4096;
	struct backlog *b;
	struct event *ev;

	ev = event_table_add(&events, &attr);
	event_table_add_id(&events, ev, ID);
	event_table_finish(&events);
	b = backlog_new((struct ring_layouts){ &events, &ev->layout }, MEMORY, 0, end);
	if (!b)
		return 77;
	for (unsigned turn = 0; turn < 1000; turn++)
		test_turn(b, &end, turn);
	test_room(b, &end);
	backlog_free(b);
	b = backlog_new((struct ring_layouts){ &events, &ev->layout, .cuts_stacks = true }, MEMORY, 0, end);
	for (unsigned turn = 0; b && turn < 1000; turn++)
		test_cut(b, &end, turn);
	backlog_free(b);
	event_table_release(&events);
	test_ready();
	return failures != 0;
}
