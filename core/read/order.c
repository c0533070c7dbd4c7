/*
 * Sorts the times and positions of records, so that the records can be read in order of time. Finds the sequences that are
 * already in order, and merges neighbouring sequences in pairs on several threads.
 * Layer: read
 */
#include "core/read/order.h"

#include <string.h>

#include "core/base/pool.h"
#include "core/base/vec.h"

struct run { size_t from, to; };

struct merge_job {
	struct order_key *keys;
	const struct run *runs;
	size_t nr_runs;
};

static bool before(const struct order_key *a, const struct order_key *b)
{
	return (a->time < b->time) | ((a->time == b->time) & (a->position < b->position));
}

/* How many of the @nr ascending keys at @keys come before @key. */
static size_t count_before(const struct order_key *keys, size_t nr, const struct order_key *key)
{
	size_t lo = 0, hi = nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (before(&keys[mid], key))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Merge [from, mid) and [mid, to), both ascending, touching only where they overlap. */
static void merge(struct order_key *keys, size_t from, size_t mid, size_t to)
{
	struct order_key *left, *out;
	size_t nr_left, i = 0;

	if (before(&keys[mid - 1], &keys[mid]))
		return;
	from += count_before(keys + from, mid - from, &keys[mid]);
	to = mid + count_before(keys + mid, to - mid, &keys[mid - 1]);
	nr_left = mid - from;
	left = xmalloc(nr_left * sizeof(*left));
	memcpy(left, keys + from, nr_left * sizeof(*left));
	out = keys + from;
	while (i < nr_left && mid < to) {
		/* Branch-free, as the outcome is unpredictable. */
		bool right = before(&keys[mid], &left[i]);

		*out++ = right ? keys[mid] : left[i];
		mid += right;
		i += !right;
	}
	memcpy(out, left + i, (nr_left - i) * sizeof(*left));
	free(left);
}

static void merge_pair(void *arg, unsigned worker, size_t number)
{
	const struct merge_job *job = arg;
	const struct run *r = job->runs + 2 * number;

	(void)worker;
	if (2 * number + 1 < job->nr_runs)
		merge(job->keys, r[0].from, r[0].to, r[1].to);
}

void order_sort(struct order_key *keys, size_t nr, unsigned jobs)
{
	VEC(struct run) runs = {0};
	struct merge_job job = { .keys = keys };
	size_t from = 0, left;

	for (size_t i = 1; i <= nr; i++) {
		if (i < nr && before(&keys[i - 1], &keys[i]))
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
