/* The index finds what was added, whatever the order and the collisions, and grows. */
#include "core/base/hash.h"

#include "core/base/vec.h"
#include "tests/unit/check.h"

struct entry { uint64_t key, value; };
struct table { VEC(struct entry) entries; struct index by_key; };

static struct entry *find(struct table *t, uint64_t key, uint64_t hash)
{
	uint32_t pos;

	for (size_t i = hash; (pos = index_at(&t->by_key, i, hash)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && t->entries.v[pos].key == key)
			return &t->entries.v[pos];
	return NULL;
}

/* @hash: a good one, or one under which everything collides. */
static void found_again(uint64_t (*hash)(uint64_t), uint64_t nr)
{
	struct table t = {0};

	for (uint64_t k = 0; k < nr; k++) {
		uint64_t key = k * 977;

		CHECK(!find(&t, key, hash(key)), "key %" PRIu64, key);
		index_add(&t.by_key, hash(key), (uint32_t)t.entries.nr);
		vec_push(&t.entries, (struct entry){ key, k });
	}
	for (uint64_t k = 0; k < nr; k++) {
		struct entry *e = find(&t, k * 977, hash(k * 977));

		CHECK(e && e->value == k, "key %" PRIu64, k * 977);
		CHECK(!find(&t, k * 977 + 1, hash(k * 977 + 1)), "key %" PRIu64, k * 977 + 1);
	}
	index_release(&t.by_key);
	vec_free(&t.entries);
}

/* Reserved entries are filled in without a new table, and more can be added then. */
static void reserved(size_t nr)
{
	struct index t = {0};
	const struct index_slot *slots;

	index_add(&t, hash_u64(0), 0);
	index_reserve(&t, nr);
	slots = t.slots;
	for (uint32_t i = 1; i <= nr; i++)
		index_add(&t, hash_u64(i), i);
	CHECK(t.slots == slots && t.nr == nr + 1, "%zu", nr);
	for (uint32_t i = 0; i <= nr; i++) {
		uint32_t pos = INDEX_OTHER;

		for (size_t at = hash_u64(i); pos != i && pos != INDEX_END; at++)
			pos = index_at(&t, at, hash_u64(i));
		CHECK(pos == i, "%" PRIu32 " of %zu", i, nr);
	}
	index_release(&t);
}

static uint64_t constant(uint64_t key)
{
	(void)key;
	return UINT64_MAX;
}

static uint64_t identity(uint64_t key)
{
	return key;
}

/* Each bit of the input moves about half of the output's. */
static void mixes(void)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		unsigned moved = 0;

		for (uint64_t v = 1; v <= 256; v++)
			moved += (unsigned)__builtin_popcountll(hash_u64(v * 977) ^ hash_u64((v * 977) ^ 1ull << bit));
		CHECK(moved > 256 * 24 && moved < 256 * 40, "bit %u moves %u of %u", bit, moved, 256 * 64);
	}
}

static void bytes_count(void)
{
	uint8_t p[40] = {0};
	uint64_t h = hash_bytes(p, sizeof(p));

	for (size_t i = 0; i < sizeof(p); i++) {
		p[i] = 1;
		CHECK(hash_bytes(p, sizeof(p)) != h, "byte %zu", i);
		p[i] = 0;
		CHECK(hash_bytes(p, i) != h, "length %zu", i);
	}
	CHECK(hash_bytes(p, sizeof(p)) == h);
}

int main(void)
{
	found_again(hash_u64, 20000);
	found_again(identity, 20000);
	found_again(constant, 300);
	for (size_t nr = 0; nr < 400; nr++)
		reserved(nr);
	reserved(100000);
	mixes();
	bytes_count();
	return checks_done();
}
