/*
 * aux_stream: reads a recording of the test PMU (pmu/) from standard input, as `record -o -` writes it, without keeping
 * it: for more trace than memory holds. The PMU's chunks, and what it leaves out, must be multiples of 8. Checks that each
 * area's words are all there, once and in order, and prints a line an area, of the words and the zeros among them:
 *	cpu C bytes N skipped N pieces N
 * What is wrong goes to stderr; exit status 1 then.
 *
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/aux_words.h"

enum { RECORD_TRACING_DATA = 66, RECORD_AUXTRACE = 71 };

#define MAX_CPUS 64

struct area {
	uint64_t bytes, skipped, pieces;
};

static uint8_t bytes[1 << 20];

static int wrong(const char *what, uint64_t at)
{
	fprintf(stderr, "%s, at byte %" PRIu64 "\n", what, at);
	return -1;
}

/* The words of a piece, @n bytes of them, go on where the last piece ended. */
static int check_words(struct area *a, uint32_t cpu, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t w = u64_at(p + i);

		if (!w) {
			a->skipped += 8;
			continue;
		}
		if (!is_word(w) || word_cpu(w) != cpu || (uint32_t)w != (uint32_t)(a->bytes / 8))
			return wrong("another word", a->bytes);
		a->bytes += 8;
	}
	return 0;
}

static int read_piece(struct area *areas, const uint8_t *rec)
{
	uint64_t left = u64_at(rec + 8), offset = u64_at(rec + 16);
	uint32_t cpu = u32_at(rec + 40);
	struct area *a = &areas[cpu % MAX_CPUS];

	if (cpu >= MAX_CPUS || left % 8)
		return wrong("a piece of no CPU, or of no whole words", offset);
	if (offset != a->bytes + a->skipped)
		return wrong("a piece that does not follow the last one", offset);
	a->pieces++;
	while (left) {
		size_t n = left < sizeof(bytes) ? left : sizeof(bytes);

		if (fread(bytes, 1, n, stdin) != n)
			return wrong("the end within a piece", a->bytes);
		if (check_words(a, cpu, bytes, n))
			return -1;
		left -= n;
	}
	return 0;
}

/* Returns 1, 0 at the end, -1 where something is wrong. */
static int read_record(struct area *areas)
{
	static uint8_t rec[1 << 16];
	size_t size, n = fread(rec, 1, 8, stdin);

	if (!n)
		return 0;
	size = u32_at(rec + 4) >> 16;
	if (n < 8 || size < 8 || fread(rec + 8, 1, size - 8, stdin) != size - 8)
		return wrong("no record", 0);
	if (u32_at(rec) == RECORD_TRACING_DATA)
		return wrong("tracepoints, which are not expected", 0);
	return u32_at(rec) == RECORD_AUXTRACE && read_piece(areas, rec) ? -1 : 1;
}

int main(void)
{
	static struct area areas[MAX_CPUS];
	int status;

	if (fread(bytes, 1, 16, stdin) != 16 || memcmp(bytes, "PERFILE2", 8) || u64_at(bytes + 8) != 16) {
		fputs("not a stream\n", stderr);
		return 1;
	}
	do {
		status = read_record(areas);
	} while (status > 0);
	for (unsigned i = 0; i < MAX_CPUS; i++)
		if (areas[i].pieces)
			printf("cpu %u bytes %" PRIu64 " skipped %" PRIu64 " pieces %" PRIu64 "\n", i, areas[i].bytes,
			       areas[i].skipped, areas[i].pieces);
	return status < 0;
}
