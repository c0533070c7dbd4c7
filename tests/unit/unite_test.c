/* Tables of several threads become one: equal items one number, whatever their hashes and the number of threads, and their sums. */
#include "core/base/unite.h"

#include "core/base/hash.h"
#include "tests/unit/check.h"

#define TABLES	5

struct item { uint64_t key, sum; };

struct tables {
	struct item *items[TABLES];
	size_t nr[TABLES];
	uint64_t (*hash)(uint64_t key);
};

static uint64_t good(uint64_t key) { return hash_u64(key); }
static uint64_t one_for_all(uint64_t key) { (void)key; return 0; }
static uint64_t same_low(uint64_t key) { return key << 32; }
static uint64_t same_high(uint64_t key) { return key & 0xffffffff; }

static struct item *item_at(const struct tables *t, struct unite_item item)
{
	return &t->items[item.table][item.place];
}

static uint64_t hash_item(void *ctx, struct unite_item item, const uint64_t *hashes)
{
	const struct tables *t = ctx;

	CHECK(!item.place || hashes[item.place - 1] == t->hash(t->items[item.table][item.place - 1].key), "hash of the one before");
	return t->hash(item_at(t, item)->key);
}

static bool same_item(const void *ctx, struct unite_item a, struct unite_item b)
{
	return item_at(ctx, a)->key == item_at(ctx, b)->key;
}

static const void *address_of_item(const void *ctx, struct unite_item item)
{
	return item_at(ctx, item);
}

static void add_item(void *ctx, struct unite_item first, struct unite_item item)
{
	item_at(ctx, first)->sum += item_at(ctx, item)->sum;
}

/* @nr_keys keys in tables of up to @most items. */
static void test(const char *what, uint64_t (*hash)(uint64_t), uint32_t nr_keys, uint32_t most, unsigned jobs)
{
	static const struct unite_ops ops = {
		.hash = hash_item, .equal = same_item, .address = address_of_item, .add = add_item,
	};
	struct tables t = { .hash = hash };
	uint64_t seed = 1 + jobs, *sums = xcalloc(nr_keys, sizeof(*sums));
	uint32_t *number_of = xcalloc(nr_keys, sizeof(*number_of)), distinct = 0, next;
	struct united u;

	for (uint32_t i = 0; i < TABLES; i++) {
		t.nr[i] = i == 2 ? 0 : random_below(&seed, most + 1);
		t.items[i] = xcalloc(t.nr[i] + 1, sizeof(*t.items[i]));
		for (size_t k = 0; k < t.nr[i]; k++) {
			struct item *item = &t.items[i][k];

			*item = (struct item){ random_below(&seed, nr_keys), random_below(&seed, 100) };
			sums[item->key] += item->sum;
			if (!number_of[item->key])
				number_of[item->key] = ++distinct;	/* in the order of the first ones */
		}
	}
	unite(&u, jobs, TABLES, t.nr, &ops, &t);
	CHECK(united_nr(&u) == distinct, "%s: %u, not %u", what, united_nr(&u), distinct);
	for (uint32_t i = 0; i < TABLES; i++) {
		next = u.from[i];
		for (uint32_t k = 0; k < t.nr[i]; k++) {
			const struct item *item = &t.items[i][k];
			uint32_t want = number_of[item->key] - 1, before = next;

			CHECK(u.numbers[i][k] == want, "%s: item %u of table %u: %u, not %u", what, k, i, u.numbers[i][k], want);
			if (!united_is_first(&u, (struct unite_item){ i, k }, &next))
				continue;
			CHECK(before == want && item->sum == sums[item->key], "%s: first of %u", what, want);
		}
		CHECK(next == u.from[i + 1], "%s: table %u has not all of its own", what, i);
		free(t.items[i]);
	}
	united_release(&u);
	free(number_of);
	free(sums);
}

int main(void)
{
	struct united none;

	for (unsigned jobs = 1; jobs <= 64; jobs *= 4) {
		test("many keys", good, 1000000, 60000, jobs);
		test("few keys", good, 7, 60000, jobs);
		test("one key", good, 1, 20000, jobs);
		test("one hash", one_for_all, 300, 3000, jobs);
		test("one hash in the index", same_low, 300, 30000, jobs);
		test("one range", same_high, 30000, 30000, jobs);
	}
	unite(&none, 4, 0, NULL, &(struct unite_ops){ .hash = hash_item }, NULL);
	CHECK(united_nr(&none) == 0, "no tables");
	united_release(&none);
	return checks_done();
}
