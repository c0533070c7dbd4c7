/*
 * Packs the integers of a Parquet column into few bits: in the RLE/bit-packing hybrid encoding, or as differences
 * (DELTA_BINARY_PACKED). parquet.c calls it.
 */
#include "core/show/export/parquet_encoding.h"

#include <endian.h>

#include "core/base/varint.h"

/* ---- RLE/bit-packing hybrid ---- */

#define GROUP		8u	/* numbers are bit-packed in groups of this many */
#define SHORT_RUN	(2 * GROUP)	/* shorter runs of one value are bit-packed with their neighbours */

static void put_number(struct buf *out, uint32_t v, unsigned width)
{
	for (unsigned at = 0; at < width; at += 8)
		buf_putc(out, (char)(v >> at));
}

static void put_bits(struct buf *out, const uint32_t *v, size_t nr)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < nr; i++)
		bits |= (v[i] & 1u) << i;
	buf_putc(out, (char)bits);
}

/* Appends numbers of whole bytes. Stores four bytes for each, and the next number overwrites the excess. */
static void put_numbers(struct buf *out, const uint32_t *v, size_t nr, size_t groups, unsigned width)
{
	unsigned bytes = width / 8;
	size_t all = groups * GROUP * bytes;
	char *to = buf_room(out, all + sizeof(*v));

	for (size_t i = 0; i < nr; i++, to += bytes) {
		uint32_t little = htole32(v[i]);

		memcpy(to, &little, sizeof(little));
	}
	memset(to, 0, all - nr * bytes);
	out->len += all;
}

/* Appends whole groups. Missing numbers of the last group become zeros. */
static void put_packed(struct buf *out, const uint32_t *v, size_t nr, unsigned width)
{
	size_t groups = (nr + GROUP - 1) / GROUP;

	buf_varint(out, groups << 1 | 1);
	if (width > 1) {
		put_numbers(out, v, nr, groups, width);
		return;
	}
	for (size_t i = 0; i < nr; i += GROUP)
		put_bits(out, v + i, MIN(nr - i, GROUP));
}

static void put_run(struct buf *out, uint32_t v, size_t nr, unsigned width)
{
	buf_varint(out, nr << 1);
	put_number(out, v, width);
}

static size_t run_at(const uint32_t *v, size_t nr)
{
	size_t n = 1;

	while (n < nr && v[n] == v[0])
		n++;
	return n;
}

void parquet_put_hybrid(struct buf *out, const uint32_t *v, size_t nr, unsigned width)
{
	size_t packed = 0, at = 0;	/* from packed to at nothing was written yet */

	while (at < nr) {
		size_t run = run_at(v + at, nr - at), whole = (at - packed + GROUP - 1) / GROUP * GROUP;

		/* Groups packed before a run are complete: the run provides the missing values. */
		if (run < SHORT_RUN) {
			at += run;
			continue;
		}
		if (at > packed)
			put_packed(out, v + packed, whole, width);
		run -= packed + whole - at;
		put_run(out, v[at], run, width);
		packed = at = packed + whole + run;
	}
	if (at > packed)
		put_packed(out, v + packed, at - packed, width);
}

/* ---- DELTA_BINARY_PACKED ---- */

#define BLOCK		128u
#define MINIBLOCKS	4u
#define MINIBLOCK	(BLOCK / MINIBLOCKS)

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* MINIBLOCK numbers of @width bits, the lowest bits first. */
static void put_miniblock(struct buf *out, const uint64_t *v, unsigned width)
{
	unsigned __int128 bits = 0;
	char bytes[MINIBLOCK * sizeof(*v)], *to = bytes;
	unsigned nr = 0;

	for (unsigned i = 0; i < MINIBLOCK; i++) {
		bits |= (unsigned __int128)v[i] << nr;
		for (nr += width; nr >= 8; nr -= 8, bits >>= 8)
			*to++ = (char)bits;
	}
	buf_put(out, bytes, (size_t)(to - bytes));
}

/* @delta: BLOCK of them, @nr of which count; they become differences to the least. */
static void put_block(struct buf *out, uint64_t *delta, size_t nr)
{
	uint8_t widths[MINIBLOCKS] = {0};
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < nr; i++)
		least = MIN(least, (int64_t)delta[i]);
	for (size_t i = 0; i < BLOCK; i++) {
		delta[i] = i < nr ? delta[i] - (uint64_t)least : 0;
		widths[i / MINIBLOCK] = (uint8_t)MAX(widths[i / MINIBLOCK], bits_of(delta[i]));
	}
	buf_varint(out, zigzag((uint64_t)least));
	buf_put(out, widths, sizeof(widths));
	for (unsigned m = 0; m < MINIBLOCKS && m * MINIBLOCK < nr; m++)
		put_miniblock(out, delta + m * MINIBLOCK, widths[m]);
}

void parquet_put_deltas(struct buf *out, const uint64_t *v, size_t nr)
{
	uint64_t delta[BLOCK];

	buf_varint(out, BLOCK);
	buf_varint(out, MINIBLOCKS);
	buf_varint(out, nr);
	buf_varint(out, nr ? zigzag(v[0]) : 0);
	for (size_t at = 1; at < nr; at += BLOCK) {
		size_t here = MIN(nr - at, BLOCK);

		for (size_t i = 0; i < here; i++)
			delta[i] = v[at + i] - v[at + i - 1];
		put_block(out, delta, here);
	}
}
