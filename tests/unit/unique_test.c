/* Rows come into the order of their words, whatever bits of them tell rows apart; equal ones stay in theirs. */
#include "core/hists/unique.h"

#include "core/base/util.h"
#include "tests/unit/check.h"

#define WORDS 4

struct row { uint64_t words[WORDS]; uint32_t number; };

static void row_words(const void *row, uint64_t *out)
{
	memcpy(out, ((const struct row *)row)->words, WORDS * sizeof(*out));
}

static int compare(const struct row *a, const struct row *b)
{
	for (unsigned w = 0; w < WORDS; w++)
		if (a->words[w] != b->words[w])
			return a->words[w] < b->words[w] ? -1 : 1;
	return compare_numbers(a->number, b->number);
}

/* @masks: of each word the bits that differ; the others are those of @rest. */
static void sorted(size_t nr, const uint64_t *masks, uint64_t rest, uint64_t seed)
{
	static const struct unique_kind kind = { sizeof(struct row), WORDS, row_words };
	struct unique u = { .kind = &kind };
	uint32_t *map;

	for (uint32_t i = 0; i < nr; i++) {
		struct row row = { .number = i };

		for (unsigned w = 0; w < WORDS; w++)
			row.words[w] = (hash_pair(seed + i, w) & masks[w]) | (rest & ~masks[w]);
		CHECK(unique_append(&u, &row) == i);
	}
	map = unique_sort(&u);
	CHECK(u.nr == nr);
	for (size_t i = 0; i < nr; i++) {
		const struct row *row = unique_at(&u, i);

		CHECK(map[row->number] == i, "row %" PRIu32 " of %zu", row->number, nr);
		CHECK(!i || compare(unique_at(&u, i - 1), row) < 0, "%zu of %zu, seed %" PRIu64, i, nr, seed);
	}
	free(map);
	unique_release(&u);
}

int main(void)
{
	static const uint64_t masks[][WORDS] = {
		{ 0, 0, 0, 0 },
		{ 1, 0, 0, 0 },
		{ 0, 0, 0, UINT64_MAX },
		{ UINT64_MAX, 0, 0, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX, 0, 1 },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
		{ 0x100000003, 0xff00000000, 0x1ff000001ffff, 0x30 },
		{ 0x7fffffff00000001, 0x8000000000000000, 0x80000000, 0xffff0000ffff },
		{ 0, 0xffffffff80000000, 0x1ffffffff, 0x3ffffffff },
		{ 3, 3, 3, 3 },
	};
	static const size_t sizes[] = { 0, 1, 2, 50, 3000 };

	for (size_t m = 0; m < ARRAY_SIZE(masks); m++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			sorted(sizes[i], masks[m], 0, m);
			sorted(sizes[i], masks[m], 0x5aa5a55a12345678, 100 + m);
		}
	return checks_done();
}
