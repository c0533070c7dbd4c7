/* Values encoded for Parquet, and decoded as in Encodings.md of parquet-format, are unchanged. */
#include "core/show/export/parquet_encoding.h"

#include "core/base/varint.h"
#include "tests/unit/check.h"

#define MOST 3000

static uint64_t seed = 88172645463325252ull;

/* ---- RLE/bit-packing hybrid, by a reader that goes bit by bit ---- */

static uint32_t bits_at(const uint8_t *p, size_t bit, unsigned width)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint32_t)(p[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
	return v;
}

static size_t read_hybrid(const struct buf *in, uint32_t *out, size_t nr, unsigned width)
{
	const uint8_t *at = (const uint8_t *)in->data, *end = at + in->len;
	size_t n = 0;

	while (at < end) {
		uint64_t head = read_varint(&at), count = head & 1 ? (head >> 1) * 8 : head >> 1;

		for (uint64_t i = 0; i < count; i++, n++)
			if (n < nr)
				out[n] = bits_at(at, head & 1 ? i * width : 0, width);
		at += head & 1 ? (head >> 1) * width : (width + 7) / 8;
	}
	CHECK(at == end, "width %u", width);
	return n;
}

static void hybrid_is_kept(const uint32_t *v, size_t nr, unsigned width)
{
	static uint32_t got[MOST];
	struct buf out = {0};
	size_t n;

	parquet_put_hybrid(&out, v, nr, width);
	n = read_hybrid(&out, got, nr, width);
	CHECK(n >= nr && n < nr + 8, "%zu numbers of width %u are %zu", nr, width, n);
	CHECK(!nr || !memcmp(got, v, nr * sizeof(*v)), "%zu numbers of width %u", nr, width);
	buf_release(&out);
}

/* Runs of all lengths beside single numbers. */
static void hybrids(void)
{
	static const unsigned widths[] = { 1, 8, 16, 24, 32 };
	static uint32_t v[MOST];

	for (unsigned round = 0; round < 2000; round++) {
		unsigned width = widths[round % ARRAY_SIZE(widths)];
		size_t nr = random_below(&seed, round < 200 ? 40 : MOST), i = 0;

		while (i < nr) {
			size_t run = random_below(&seed, 3) ? 1 : random_below(&seed, 60);
			uint32_t value = (uint32_t)(random_u64(&seed) >> (64 - width));

			while (run-- && i < nr)
				v[i++] = value;
		}
		hybrid_is_kept(v, nr, width);
	}
}

static void runs_are_short(void)
{
	static uint32_t v[MOST];
	struct buf out = {0};

	parquet_put_hybrid(&out, v, MOST, 16);
	CHECK(out.len == 4, "%zu bytes", out.len);
	buf_release(&out);
}

/* ---- DELTA_BINARY_PACKED ---- */

static uint64_t long_bits_at(const uint8_t *p, size_t bit, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)(p[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
	return v;
}

static size_t read_deltas(const struct buf *in, uint64_t *out)
{
	const uint8_t *at = (const uint8_t *)in->data, *end = at + in->len, *widths;
	uint64_t block = read_varint(&at), miniblocks = read_varint(&at), nr = read_varint(&at), last = unzigzag(read_varint(&at));
	uint64_t least, each = block / miniblocks;
	size_t n = 0;

	if (nr)
		out[n++] = last;
	while (n < nr) {
		least = unzigzag(read_varint(&at));
		widths = at;
		at += miniblocks;
		for (uint64_t m = 0; m < miniblocks && n < nr; m++) {
			for (uint64_t i = 0; i < each && n < nr; i++)
				out[n++] = last += least + long_bits_at(at, i * widths[m], widths[m]);
			at += each * widths[m] / 8;
		}
	}
	CHECK(at == end, "%" PRIu64 " numbers", nr);
	return n;
}

static void deltas_are_kept(const uint64_t *v, size_t nr)
{
	static uint64_t got[MOST];
	struct buf out = {0};

	parquet_put_deltas(&out, v, nr);
	CHECK(read_deltas(&out, got) == nr, "%zu", nr);
	CHECK(!nr || !memcmp(got, v, nr * sizeof(*v)), "%zu numbers", nr);
	buf_release(&out);
}

static void deltas(void)
{
	static uint64_t v[MOST];

	for (unsigned round = 0; round < 2000; round++) {
		size_t nr = random_below(&seed, round < 200 ? 200 : MOST);
		unsigned shift = (unsigned)random_below(&seed, 64);

		for (size_t i = 0; i < nr; i++)
			v[i] = (random_u64(&seed) >> shift) + (round % 3 ? 0 : i * 1000);
		deltas_are_kept(v, nr);
	}
	/* Deltas beyond the signed range. */
	deltas_are_kept((const uint64_t[]){ 0, UINT64_MAX, 1, INT64_MAX, (uint64_t)INT64_MIN, 0 }, 6);
}

int main(void)
{
	hybrids();
	runs_are_short();
	deltas();
	return checks_done();
}
