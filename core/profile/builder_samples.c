/*
 * Sorts the samples of a profile by time, and stores them as variable-length integers. If there are too many samples to sort in
 * memory, parts of them are sorted separately and then merged.
 */
#include "core/profile/builder_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/radix.h"
#include "core/base/varint.h"
#include "core/profile/profile_impl.h"

/* ---- order ---- */

struct sample_order { const uint64_t *values; size_t nr_columns; };

/* Orders samples so that only samples with equal members and values compare as equal. */
static int compare_samples(const void *pa, const void *pb, void *ctx)
{
	const struct builder_sample *a = pa, *b = pb;
	const struct sample_order *o = ctx;
	const uint64_t *x = o->values + a->number * o->nr_columns, *y = o->values + b->number * o->nr_columns;
	int order = compare_numbers(a->time, b->time) ?: compare_numbers(a->weight, b->weight) ?:
		    compare_numbers(a->period, b->period);

	for (size_t i = 0; i < o->nr_columns && !order; i++)
		order = compare_numbers(x[i], y[i]);
	return order;
}

/* Sorts the samples with equal times, which are few, by comparing them. */
static void sort_same_times(struct builder_sample *samples, size_t nr, struct sample_order *order)
{
	for (size_t from = 0, to; from < nr; from = to) {
		for (to = from + 1; to < nr && samples[to].time == samples[from].time; to++)
			;
		if (to > from + 1)
			qsort_r(samples + from, to - from, sizeof(*samples), compare_samples, order);
	}
}

static void sort_samples(struct builder_sample *samples, size_t nr, const uint32_t *weights, struct sample_order *order)
{
	struct radix_item *items = xmalloc(MAX(nr, 1) * sizeof(*items));
	struct builder_sample *sorted = xmalloc(MAX(nr, 1) * sizeof(*sorted));

	for (size_t i = 0; i < nr; i++)
		items[i] = (struct radix_item){ .low = samples[i].time, .number = (uint32_t)i };
	radix_sort(items, nr);
	for (size_t i = 0; i < nr; i++) {
		sorted[i] = samples[items[i].number];
		sorted[i].weight = weights[sorted[i].weight];
	}
	if (nr)
		memcpy(samples, sorted, nr * sizeof(*samples));
	free(items);
	free(sorted);
	sort_same_times(samples, nr, order);
}

/* ---- writing ---- */

struct sample_writing {
	struct profile *profile;
	const struct profile_builder *builder;
	uint64_t time, weight;		/* those of the last sample */
};

static void write_sample(struct sample_writing *w, const struct builder_sample *s)
{
	struct buf *out = spill_more(&w->profile->samples);
	size_t nr_columns = w->builder->columns.nr;

	buf_varint(out, s->time - w->time);
	buf_varint(out, zigzag(s->weight - w->weight));
	buf_varint(out, s->period);
	for (size_t i = 0; i < nr_columns; i++)
		buf_varint(out, column_code(w->builder->values.v[s->number * nr_columns + i]));
	w->time = s->time;
	w->weight = s->weight;
}

/* ---- more samples than are sorted in memory ---- */

struct sample_run { const struct builder_sample *at, *end; const uint8_t *passed; };

struct sample_runs {
	struct spill sorted;
	VEC(struct sample_run) heap;	/* a heap; the run with the earliest sample is at the top */
	struct sample_order *order;
};

static void sort_runs(struct profile_builder *b, const uint32_t *weights, struct sample_runs *r)
{
	struct builder_sample *run = xmalloc(SAMPLES_A_RUN * sizeof(*run));
	uint64_t size, bytes = SAMPLES_A_RUN * sizeof(*run);
	const uint8_t *all = spill_all(&b->runs, &size), *passed = all;

	for (uint64_t at = 0; at < size; at += bytes) {
		memcpy(run, all + at, bytes);
		spill_passed(&b->runs, &passed, all + at);
		sort_samples(run, SAMPLES_A_RUN, weights, r->order);
		buf_put(spill_more(&r->sorted), run, bytes);
	}
	spill_release(&b->runs);
	free(run);
}

static void list_runs(const struct profile_builder *b, struct sample_runs *r)
{
	uint64_t size;
	const struct builder_sample *all = (const struct builder_sample *)spill_all(&r->sorted, &size);

	for (uint64_t i = 0; i < size / sizeof(*all); i += SAMPLES_A_RUN)
		vec_push(&r->heap, (struct sample_run){ all + i, all + i + SAMPLES_A_RUN, (const uint8_t *)(all + i) });
	vec_push(&r->heap, (struct sample_run){ b->samples.v, b->samples.v + b->samples.nr, NULL });
}

static bool is_first(const struct sample_runs *r, size_t a, size_t b)
{
	return compare_samples(r->heap.v[a].at, r->heap.v[b].at, r->order) < 0;
}

static void sink_run(struct sample_runs *r, size_t i)
{
	for (size_t child; child = 2 * i + 1, child < r->heap.nr; i = child) {
		struct sample_run moved = r->heap.v[i];

		if (child + 1 < r->heap.nr && is_first(r, child + 1, child))
			child++;
		if (!is_first(r, child, i))
			return;
		r->heap.v[i] = r->heap.v[child];
		r->heap.v[child] = moved;
	}
}

/* The first sample of all runs except the top one; NULL: there is none. */
static const struct builder_sample *second_sample(const struct sample_runs *r)
{
	if (r->heap.nr < 2)
		return NULL;
	return r->heap.v[r->heap.nr > 2 && is_first(r, 2, 1) ? 2 : 1].at;
}

/* Merges all runs. The last run, which is not empty, is in memory. */
static void merge_runs(struct profile_builder *b, const uint32_t *weights, struct sample_writing *w, struct sample_order *order)
{
	struct sample_runs r = { .order = order };

	sort_runs(b, weights, &r);
	list_runs(b, &r);
	for (size_t i = r.heap.nr; i-- > 0;)
		sink_run(&r, i);
	while (r.heap.nr) {
		struct sample_run *first = r.heap.v;
		const struct builder_sample *other = second_sample(&r);

		/*
		 * A run covers a part of the recording, so usually many of its samples come before the next one of any other run.
		 */
		do
			write_sample(w, first->at++);
		while (first->at != first->end && (!other || compare_samples(first->at, other, order) <= 0));
		if (first->passed)
			spill_passed(&r.sorted, &first->passed, (const uint8_t *)first->at);
		if (first->at == first->end)
			*first = r.heap.v[--r.heap.nr];
		sink_run(&r, 0);
	}
	vec_free(&r.heap);
	spill_release(&r.sorted);
}

void builder_write_samples(struct profile_builder *b, struct profile *p, const uint32_t *weights)
{
	struct sample_writing w = { .profile = p, .builder = b };
	struct sample_order order = { b->values.v, b->columns.nr };

	sort_samples(b->samples.v, b->samples.nr, weights, &order);
	if (b->nr_samples > b->samples.nr)
		merge_runs(b, weights, &w, &order);
	else
		vec_for(s, &b->samples)
			write_sample(&w, s);
	p->first_sample = spill_all(&p->samples, &p->samples_size);
}
