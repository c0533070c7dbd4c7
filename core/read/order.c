/*
 * Sorts records, or their times and positions, in order of time. Finds the sequences that are already in order, and merges
 * neighbouring sequences in pairs on several threads.
 */
#include "core/read/order.h"

#include <string.h>

#include "core/base/pool.h"
#include "core/base/vec.h"

struct run { size_t from, to; };

struct merge_job {
	uint8_t *items;
	size_t size;		/* bytes of an item */
	const struct run *runs;
	size_t nr_runs;
};

static inline bool before(const uint8_t *x, const uint8_t *y)
{
	struct order_key a, b;

	memcpy(&a, x, sizeof(a));
	memcpy(&b, y, sizeof(b));
	return (a.time < b.time) | ((a.time == b.time) & (a.position < b.position));
}

/* How many of the @nr sorted items at @items come before @key. */
static inline size_t count_before(const uint8_t *items, size_t size, size_t nr, const uint8_t *key)
{
	return bisect(i, 0, nr, before(items + i * size, key));
}

/* Merges [from, mid) and [mid, to), both ascending, touching only where they overlap. */
static inline __attribute__((always_inline)) void merge(uint8_t *items, size_t size, size_t from, size_t mid, size_t to)
{
	uint8_t *left, *next, *end, *right = items + mid * size, *right_end, *out;

	if (!before(right, right - size))
		return;
	from += count_before(items + from * size, size, mid - from, right);
	out = items + from * size;
	right_end = right + count_before(right, size, to - mid, right - size) * size;
	next = left = xmalloc_huge((mid - from) * size);
	end = left + (mid - from) * size;
	memcpy(left, out, (mid - from) * size);
	for (; next < end && right < right_end; out += size) {
		/* Branch-free, as the outcome is unpredictable. */
		bool is_right = before(right, next);

		memcpy(out, is_right ? right : next, size);
		right += is_right ? size : 0;
		next += is_right ? 0 : size;
	}
	memcpy(out, next, (size_t)(end - next));
	free(left);
}

static void merge_pair(void *arg, unsigned worker, size_t number)
{
	const struct merge_job *job = arg;
	const struct run *r = job->runs + 2 * number;

	if (2 * number + 1 == job->nr_runs)
		return;
	/* Copies of a constant size are inline. */
	if (job->size == sizeof(struct order_key))
		merge(job->items, sizeof(struct order_key), r[0].from, r[0].to, r[1].to);
	else if (job->size == 2 * sizeof(struct order_key))
		merge(job->items, 2 * sizeof(struct order_key), r[0].from, r[0].to, r[1].to);
	else
		merge(job->items, job->size, r[0].from, r[0].to, r[1].to);
}

void order_sort(void *items, size_t nr, size_t size, unsigned jobs)
{
	VEC(struct run) runs = {0};
	struct merge_job job = { .items = items, .size = size };
	size_t from = 0, left;

	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && !before(job.items + i * size, job.items + (i - 1) * size))
			continue;
		vec_push(&runs, (struct run){ from, i });
		from = i;
	}
	while (runs.nr > 1) {
		job.runs = runs.v;
		job.nr_runs = runs.nr;
		pool_run(jobs, (runs.nr + 1) / 2, merge_pair, &job);
		left = 0;
		for (size_t i = 0; i < runs.nr; i += 2)
			runs.v[left++] = (struct run){ runs.v[i].from, runs.v[MIN(i + 1, runs.nr - 1)].to };
		runs.nr = left;
	}
	vec_free(&runs);
}
