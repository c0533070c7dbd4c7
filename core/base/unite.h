/*
 * Merges tables that worker threads have filled, such as tables of call chains, and gives equal items the same number.
 * core/model/chain_unite.c and core/hists/bucket_unite.c call it.
 */
#ifndef CORE_BASE_UNITE_H
#define CORE_BASE_UNITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unite_item { uint32_t table, place; };

struct unite_ops {		/* called from several threads */
	/* Called in order within a table; may change the item. @hashes: of earlier items, by place. A bad hash only costs time. */
	uint64_t (*hash)(void *ctx, struct unite_item item, const uint64_t *hashes);
	/* True if items with the same hash are equal; NULL: they always are. */
	bool (*equal)(const void *ctx, struct unite_item a, struct unite_item b);
	/* The memory that equal() looks at first; it is prefetched. */
	const void *(*address)(const void *ctx, struct unite_item item);
	/* Adds the sums of @item to those of @first, its equal. NULL: items have no sums. */
	void (*add)(void *ctx, struct unite_item first, struct unite_item item);
};

struct united {			/* united_release() */
	size_t nr_tables;
	uint32_t **numbers;	/* [table][place]: the item's number in the result; owned */
	/* The first items of numbers from[t] to from[t + 1] - 1 are in table t. from[nr_tables] is how many numbers there are. */
	uint32_t *from;
};

/*
 * Numbers the items of @nr_tables tables on @jobs threads: each merges one range of hashes, without locks. The first of equal
 * items, by table and place, represents all. Numbers ascend in that order, so earlier items of a table have lower ones.
 */
void unite(struct united *out, unsigned jobs, size_t nr_tables, const size_t *nr_items, const struct unite_ops *ops, void *ctx);
void united_release(struct united *u);

static inline uint32_t united_nr(const struct united *u) { return u->from[u->nr_tables]; }

/* True if the item is the first of number *next, which is advanced. Call it in order, at first with .from of the table. */
static inline bool united_is_first(const struct united *u, struct unite_item item, uint32_t *next)
{
	if (u->numbers[item.table][item.place] != *next || *next == u->from[item.table + 1])
		return false;
	++*next;
	return true;
}

#endif
