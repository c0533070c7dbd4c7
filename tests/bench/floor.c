/*
 * floor FILE [BYTES]: what it takes at least to read a recording: walk its records, unpack what is packed, count each sample by its
 * address and thread, or by its whole call chain, in one table; and with BYTES, fill so many with text. Nothing is named, sorted or
 * printed but the number of samples, of keys and of seconds of CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/perfdata/data_file.h"
#include "core/perfdata/record.h"
#include "core/compression/zstd.h"

struct slot { uint64_t key, nr; };

struct table { struct slot *slots; size_t mask, nr; uint64_t samples; };

static struct slot *slot_of(const struct table *t, uint64_t key)
{
	size_t i = hash_u64(key) & t->mask;

	while (t->slots[i].nr && t->slots[i].key != key)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static void grow(struct table *t)
{
	struct table bigger = { .mask = 2 * t->mask + 1, .nr = t->nr };

	bigger.slots = xcalloc(bigger.mask + 1, sizeof(*bigger.slots));
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i].nr)
			*slot_of(&bigger, t->slots[i].key) = t->slots[i];
	free(t->slots);
	t->slots = bigger.slots;
	t->mask = bigger.mask;
}

static void count(struct table *t, uint64_t key)
{
	struct slot *s;

	if (2 * t->nr >= t->mask)
		grow(t);
	s = slot_of(t, key);
	t->nr += !s->nr++;
	s->key = key;
	t->samples++;
}

static uint64_t word_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void count_sample(struct table *t, const struct sample_layout *l, const uint8_t *body, size_t size)
{
	uint64_t key = 0;

	if (l->only_fixed) {
		if (l->ip_at >= 0 && l->tid_at >= 0)
			key = word_at(body + l->ip_at) ^ word_at(body + l->tid_at) << 20;
	} else {
		for (size_t at = l->fixed_size; at + 8 <= size; at += 8)
			key = hash_pair(key, word_at(body + at));
	}
	count(t, key);
}

/* Returns the bytes of whole records. */
static size_t walk(struct data_file *f, const uint8_t *p, size_t size, struct table *t);

static void unpack(struct data_file *f, const uint8_t *data, size_t size, struct table *t)
{
	static struct zstd_reader *reader;
	static struct buf text;

	if (!reader)
		reader = zstd_reader_new();
	while (reader && size && !zstd_read(reader, &data, &size, &text)) {
		size_t done = walk(f, (const uint8_t *)text.data, text.len, t);

		memmove(text.data, text.data + done, text.len - done);
		text.len -= done;
	}
}

static size_t walk(struct data_file *f, const uint8_t *p, size_t size, struct table *t)
{
	struct event_memo memo = {0};
	struct record_header h;
	size_t at = 0;

	for (; size - at >= sizeof(h); at += h.size) {
		const struct event *ev;

		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - at)
			break;
		if (h.type == RECORD_COMPRESSED)
			unpack(f, p + at + sizeof(h), h.size - sizeof(h), t);
		else if (h.type == RECORD_COMPRESSED2)
			unpack(f, p + at + sizeof(h) + 8, MIN(word_at(p + at + sizeof(h)), h.size - sizeof(h) - 8), t);
		if (h.type != PERF_RECORD_SAMPLE)
			continue;
		ev = event_of_sample(&memo, &f->events, p + at, h.size);
		if (ev && h.size >= sizeof(h) + ev->layout.fixed_size)
			count_sample(t, &ev->layout, p + at + sizeof(h), h.size - sizeof(h));
	}
	return at;
}

static void fill(uint64_t bytes)
{
	static char block[1 << 16];
	volatile char *seen = block;

	for (; bytes > sizeof(block); bytes -= sizeof(block)) {
		memset(block, (int)bytes, sizeof(block));
		(void)*seen;
	}
}

int main(int argc, char **argv)
{
	struct table t = {0};
	struct data_file *f;
	struct rusage u;

	if (argc < 2 || argc > 3)
		die("usage: floor FILE [BYTES]");
	if (data_file_open(&f, argv[1]))
		return 1;
	vec_for(part, &f->parts)
		walk(f, part->data, part->size, &t);
	if (argc > 2)
		fill(strtoull(argv[2], NULL, 0));
	getrusage(RUSAGE_SELF, &u);
	printf("%" PRIu64 " %zu %.3f\n", t.samples, t.nr,
	       (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
	data_file_close(f);
	free(t.slots);
	return 0;
}
