/*
 * Reading of rings, with a writer that plays the kernel: across the wrap nothing is lost, doubled or torn, and the
 * tail moves only when the read is done.
 */
#include "core/record/open/ring.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/perfdata/record.h"

#define SIZE	4096u
#define WORDS	2000000u

static struct perf_event_mmap_page page;
static uint8_t data[SIZE];
static int failures;

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	printf("%s\n", what);
	failures++;
}

static struct ring fake_ring(uint64_t at)
{
	memset(&page, 0, sizeof(page));
	page.data_head = page.data_tail = at;
	return (struct ring){ .page = &page, .data = data, .size = SIZE, .tail = at, .head = at, .fd = -1 };
}

static void test_spans(void)
{
	struct ring r = fake_ring(3 * SIZE - 16);
	struct iovec parts[2];
	struct ring_span s = ring_read(&r);
	uint64_t word = 0, want = 0x1122334455667788;

	check(ring_pieces(&s, parts) == 0, "an empty ring has pieces");
	ring_done(&r);
	page.data_head += 40;
	memcpy(data + SIZE - 8, &want, 8);
	s = ring_read(&r);
	check(ring_pieces(&s, parts) == 2, "a span across the end is not in two pieces");
	check(parts[0].iov_base == data + SIZE - 16 && parts[0].iov_len == 16, "first piece");
	check(parts[1].iov_base == data && parts[1].iov_len == 24, "second piece");
	ring_copy(&s, s.from + 8, &word, 8);
	check(word == want, "a word at the end");
	memcpy(data + SIZE - 4, &want, 4);
	memcpy(data, (char *)&want + 4, 4);
	ring_copy(&s, s.from + 12, &word, 8);
	check(word == want, "a word across the end");
	check(page.data_tail == 3 * SIZE - 16, "the tail moved before the read was done");
	ring_done(&r);
	check(page.data_tail == 3 * SIZE + 24, "the tail is not where the read ended");
	page.data_head = page.data_tail + SIZE;
	s = ring_read(&r);
	check(s.to - s.from == SIZE && ring_pieces(&s, parts) == 2 && parts[0].iov_len + parts[1].iov_len == SIZE, "a full ring");
}

/* A peek takes nothing, sees each word once, and begins at the reader's position. */
static void test_peek(void)
{
	struct ring r = fake_ring(2 * SIZE - 8);
	uint64_t words[3] = { 1, 2, 3 }, at = 0;
	struct buf b = {0};

	memcpy(data + SIZE - 8, &words[0], 8);
	memcpy(data, &words[1], 8);
	page.data_head += 16;
	ring_peek(&r, &at, &b);
	check(b.len == 16 && !memcmp(b.data, words, 16) && at == 2 * SIZE + 8, "a peek across the end");
	check(ring_fill(&r) == 16 && page.data_tail == 2 * SIZE - 8, "a peek took something");
	ring_peek(&r, &at, &b);
	check(b.len == 16, "a word was seen twice");
	memcpy(data + 8, &words[2], 8);
	page.data_head += 8;
	ring_read(&r);
	ring_done(&r);
	at -= 8;
	ring_peek(&r, &at, &b);
	check(b.len == 16 && at == page.data_head && !ring_fill(&r), "what the reader took was seen");
	r.overwrite = true;
	page.data_head += 8;
	ring_peek(&r, &at, &b);
	check(b.len == 16, "an overwrite ring was peeked into");
	buf_release(&b);
}

/* Positions may wrap around 2^64 too. */
static void test_position_wrap(void)
{
	struct ring r = fake_ring((uint64_t)-8);
	struct iovec parts[2];
	struct ring_span s;

	page.data_head = 16;
	s = ring_read(&r);
	check(s.to - s.from == 24, "positions around 2^64");
	check(ring_pieces(&s, parts) == 2 && parts[0].iov_len == 8 && parts[1].iov_len == 16, "pieces around 2^64");
}

static void *writer(void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < WORDS; i++) {
		uint64_t head = 8 * i;

		while (head + 8 - atomic_load_explicit((_Atomic __u64 *)&page.data_tail, memory_order_acquire) > SIZE)
			sched_yield();
		memcpy(data + (head & (SIZE - 1)), &i, 8);
		atomic_store_explicit((_Atomic __u64 *)&page.data_head, head + 8, memory_order_release);
	}
	return NULL;
}

static void test_stream(void)
{
	struct ring r = fake_ring(0);
	pthread_t thread;
	uint64_t next = 0, wrong = 0;

	pthread_create(&thread, NULL, writer, NULL);
	while (next < WORDS) {
		struct ring_span s = ring_read(&r);

		for (uint64_t at = s.from; at != s.to; at += 8, next++) {
			uint64_t v;

			ring_copy(&s, at, &v, 8);
			wrong += v != next;
		}
		ring_done(&r);
		if (s.from == s.to)
			sched_yield();
	}
	pthread_join(thread, NULL);
	check(!wrong, "words were lost, doubled or torn");
}

/* Records of 16, 24 ... bytes, each with its number, as the kernel writes them: the newest in front. */
static void test_turn_round(void)
{
	uint8_t newest_first[512];
	struct buf out = {0};
	size_t n = 0, at = 0, nr = 0;
	bool right = true;

	for (uint32_t i = 10; i-- > 0; n += 16 + 8 * (i % 3)) {
		struct record_header h = { .type = i, .size = (uint16_t)(16 + 8 * (i % 3)) };

		memset(newest_first + n, 0, h.size);
		memcpy(newest_first + n, &h, sizeof(h));
	}
	ring_turn_round(newest_first, n, &out);
	for (struct record_header h; at + sizeof(h) <= out.len; at += h.size, nr++) {
		memcpy(&h, out.data + at, sizeof(h));
		right = right && h.type == nr && h.size == 16 + 8 * (nr % 3);
	}
	check(right && nr == 10 && out.len == n, "records are not in the order in which they were written");
	out.len = 0;
	/* The oldest was overwritten in part; what is not written yet is zero. */
	ring_turn_round(newest_first, n - 8, &out);
	check(out.len == n - 16, "a record that is not whole is there");
	out.len = 0;
	memset(newest_first + 48, 0, sizeof(newest_first) - 48);
	ring_turn_round(newest_first, sizeof(newest_first), &out);
	check(out.len == 48, "zeros are taken for records");
	out.len = 0;
	ring_turn_round(newest_first, 0, &out);
	check(!out.len, "nothing gives something");
	buf_release(&out);
}

int main(void)
{
	test_turn_round();
	test_spans();
	test_peek();
	test_position_wrap();
	test_stream();
	return failures != 0;
}
