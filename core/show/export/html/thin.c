/*
 * Merges samples that have the same call stack and are close in time, until the profile fits into an HTML page. If that is not
 * enough, it also merges the CPUs, call stacks (thin_stacks.c) and threads (thin_threads.c).
 *
 * A level says how coarsely samples are merged. Samples are added in order of time and merged as the current level says. If there
 * are too many, all samples so far are merged again at the next, coarser level.
 */
#include "core/show/export/html/thin.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/buf.h"

#define ALL		UINT32_MAX
#define FEWEST_STACKS	50000u
#define FEWEST_THREADS	10u

struct level {
	unsigned stretches_log2;	/* log2 of the number of stretches of the recording's time */
	bool no_cpus;
	uint32_t threads;		/* number of the busiest threads, which are not merged */
	double least;			/* see thin_stacks() */
	enum thin_leaf leaf;
};

/* No level is finer than the one before it in any respect, so samples that were merged never have to be split again. */
static const struct level levels[] = {
	{ 20, false, ALL, 0, THIN_FRAME }, { 18, false, ALL, 0, THIN_FRAME }, { 16, false, ALL, 0, THIN_FRAME },
	{ 14, false, ALL, 0, THIN_FRAME }, { 12, false, ALL, 0, THIN_FRAME }, { 10, false, ALL, 0, THIN_FRAME },
	{ 10, true, ALL, 0, THIN_FRAME }, { 9, true, 4000, 1e-6, THIN_FRAME }, { 9, true, 1000, 1e-5, THIN_FRAME },
	{ 8, true, 400, 5e-5, THIN_FRAME }, { 8, true, 150, 2e-4, THIN_FRAME }, { 7, true, 80, 5e-4, THIN_FRAME },
	{ 6, true, 50, 1e-3, THIN_FUNCTION }, { 5, true, 20, 4e-3, THIN_FUNCTION }, { 4, true, 10, 1e-2, THIN_FUNCTION },
	{ 3, true, 5, 3e-2, THIN_FUNCTION }, { 2, true, 2, 2, THIN_FUNCTION }, { 2, true, 2, 2, THIN_NOTHING },
	{ 0, true, 1, 2, THIN_NOTHING },
};

#define LAST_LEVEL (sizeof(levels) / sizeof(*levels) - 1)

struct seen { uint64_t stretch, at; };	/* the last row of a class: its stretch and its number */

struct thinning {
	struct thin *t;
	const struct profile *p;
	const struct profile_data *d;
	float *shares, *heat;		/* thin_shares(), thin_heat() */
	uint64_t rows, span;		/* .rows: at most this many; .span: ns of the recording */
	uint32_t most_stacks, most_threads;
	unsigned level;
	uint32_t *class_of;		/* by weight of the profile: its class */
	struct seen *seen;		/* by class: its last row */
	struct index by_class;
};

/* ---- resolution ---- */

static void find_stacks(struct thinning *g, double least, enum thin_leaf leaf)
{
	struct thin *t = g->t;

	thin_stacks_release(&t->stacks);
	t->leaf = leaf;
	for (t->least = MAX(least, t->least); ; t->least = MAX(4 * t->least, 1e-8)) {
		thin_stacks(&t->stacks, g->p, g->shares, t->least, leaf);
		if (t->stacks.nodes.nr <= g->most_stacks || t->least > 1)
			return;
		thin_stacks_release(&t->stacks);
	}
}

static struct page_class class_of_weight(const struct thinning *g, const struct profile_weight *w)
{
	return (struct page_class){
		.event = w->event, .thread = w->thread == PROFILE_NONE ? PROFILE_NONE : g->t->threads.of[w->thread],
		.cpu = g->t->no_cpus ? PROFILE_NONE : w->cpu, .stack = g->t->stacks.of[w->stack],
	};
}

static uint32_t add_class(struct thinning *g, struct page_class c)
{
	uint64_t h = hash_pair((uint64_t)c.event << 32 | c.thread, (uint64_t)c.cpu << 32 | c.stack);
	uint32_t pos;

	index_for(at, &g->by_class, h)
		if (!memcmp(&g->t->classes.v[at], &c, sizeof(c)))
			return at;
	pos = (uint32_t)g->t->classes.nr;
	index_add(&g->by_class, h, pos);
	vec_push(&g->t->classes, c);
	return pos;
}

static void find_classes(struct thinning *g)
{
	const struct profile_data *d = g->d;

	g->t->classes.nr = 0;
	for (size_t i = 0; i < d->weights.nr; i++)
		g->class_of[i] = add_class(g, class_of_weight(g, &d->weights.v[i]));
	index_release(&g->by_class);
	free(g->seen);
	g->seen = xmalloc(MAX(g->t->classes.nr, 1) * sizeof(*g->seen));
}

static void set_level(struct thinning *g, unsigned level)
{
	const struct level *l = &levels[level], *last = &levels[g->level];
	struct thin *t = g->t;
	bool others = l->threads != last->threads, less = l->least > last->least || l->leaf != last->leaf;

	if (others) {
		thin_threads_release(&t->threads);
		thin_threads(&t->threads, g->p, g->heat, MIN(l->threads, g->most_threads));
	}
	if (less)
		find_stacks(g, l->least, l->leaf);
	if (!level || l->no_cpus != last->no_cpus || others || less) {
		t->no_cpus = l->no_cpus;
		find_classes(g);
	}
	memset(g->seen, 0xff, MAX(t->classes.nr, 1) * sizeof(*g->seen));
	t->stretch = MAX(1, ((g->span - 1) >> levels[0].stretches_log2) + 1) << (levels[0].stretches_log2 - l->stretches_log2);
	g->level = level;
}

/* ---- rows; until the end .class is a weight, the first that was seen of its class ---- */

static void add_period(struct thinning *g, uint64_t since, uint64_t period, uint64_t nr, uint32_t weight)
{
	struct thin *t = g->t;
	uint64_t stretch = since / t->stretch;
	struct seen *seen = &g->seen[g->class_of[weight]];

	if (seen->stretch == stretch) {
		add_saturated(&t->samples.v[seen->at].period, period);
		t->samples.v[seen->at].nr += nr;
		return;
	}
	*seen = (struct seen){ stretch, t->samples.nr };
	vec_push(&t->samples, ((struct page_sample){ stretch * t->stretch, period, nr, weight }));
}

/* Merges all rows to the next level. This can be done in place, because a row is never written beyond the row that was read. */
static void coarsen(struct thinning *g)
{
	size_t nr = g->t->samples.nr;

	set_level(g, g->level + 1);
	g->t->samples.nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct page_sample s = g->t->samples.v[i];

		add_period(g, s.time, s.period, s.nr, s.class);
	}
}

static void add_joined(struct thinning *g)
{
	struct profile_cursor c;
	struct profile_sample s;

	set_level(g, 0);
	for (profile_cursor_init(&c, g->p); profile_cursor_next(&c, &s); ) {
		add_period(g, s.time - g->d->info.first_time, s.period, 1, s.weight);
		while (g->t->samples.nr > g->rows && g->level < LAST_LEVEL)
			coarsen(g);
	}
	profile_cursor_release(&c);
	for (size_t i = 0; !g->d->nr_samples && i < g->d->weights.nr; i++) {
		add_period(g, 0, g->d->weights.v[i].period, g->d->weights.v[i].nr, (uint32_t)i);
		while (g->t->samples.nr > g->rows && g->level < LAST_LEVEL)
			coarsen(g);
	}
	vec_for(row, &g->t->samples)
		row->class = g->class_of[row->class];
}

/* Adds all samples unmerged: every sample is a row, and every weight is a class. */
static void add_all(struct thinning *g)
{
	const struct profile_data *d = g->d;
	struct profile_cursor c;
	struct profile_sample s;

	vec_reserve(&g->t->classes, d->weights.nr);
	vec_for(w, &d->weights)
		vec_push(&g->t->classes, class_of_weight(g, w));
	vec_reserve(&g->t->samples, d->nr_samples ? d->nr_samples : d->weights.nr);
	for (profile_cursor_init(&c, g->p); profile_cursor_next(&c, &s); )
		vec_push(&g->t->samples, ((struct page_sample){ s.time - d->info.first_time, s.period, 1, s.weight }));
	profile_cursor_release(&c);
	for (uint32_t i = 0; !d->nr_samples && i < d->weights.nr; i++)
		vec_push(&g->t->samples, ((struct page_sample){ 0, d->weights.v[i].period, d->weights.v[i].nr, i }));
}

/* Returns the thread and event of a row as one number. Rows without a thread come last. */
static size_t owner_of(const struct thinning *g, const struct page_sample *s)
{
	const struct page_class *c = &g->t->classes.v[s->class];

	return MIN(c->thread, g->t->threads.list.nr) * g->d->events.nr + c->event;
}

/* Sorts the rows by thread and event, keeping their order in time, because similar rows side by side compress better. */
static void sort_by_owner(struct thinning *g)
{
	size_t nr = (g->t->threads.list.nr + 1) * g->d->events.nr, sum = 0, *at = xcalloc(nr + 1, sizeof(*at));
	struct page_sample *sorted = xmalloc(MAX(g->t->samples.nr, 1) * sizeof(*sorted));

	vec_for(s, &g->t->samples)
		at[owner_of(g, s)]++;
	for (size_t i = 0; i < nr; i++) {
		size_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	vec_for(s, &g->t->samples)
		sorted[at[owner_of(g, s)]++] = *s;
	free(g->t->samples.v);
	g->t->samples.v = sorted;
	g->t->samples.cap = g->t->samples.nr;
	free(at);
}

void thin_profile(struct thin *t, const struct profile *p, uint64_t rows)
{
	const struct profile_data *d = profile_data(p);
	struct thinning g = { .t = t, .p = p, .d = d, .rows = MAX(rows, 1), .shares = thin_shares(p), .heat = thin_heat(p) };
	bool fits = (d->nr_samples ? d->nr_samples : d->weights.nr) <= g.rows;

	g.span = d->nr_samples ? d->info.last_time - d->info.first_time + 1 : 1;
	g.most_stacks = (uint32_t)MIN(MAX(rows / 4, FEWEST_STACKS), UINT32_MAX);
	g.most_threads = (uint32_t)MIN(MAX(rows / 100, FEWEST_THREADS), UINT32_MAX);
	*t = (struct thin){0};
	thin_threads(&t->threads, p, g.heat, g.most_threads);
	find_stacks(&g, 0, THIN_FRAME);
	g.class_of = fits ? NULL : xmalloc(d->weights.nr * sizeof(*g.class_of));
	if (fits)
		add_all(&g);
	else
		add_joined(&g);
	if (!d->nr_samples)
		t->stretch = 0;
	sort_by_owner(&g);
	free(g.shares);
	free(g.heat);
	free(g.class_of);
	free(g.seen);
}

void thin_release(struct thin *t)
{
	thin_stacks_release(&t->stacks);
	thin_threads_release(&t->threads);
	vec_free(&t->classes);
	vec_free(&t->samples);
}

/* ---- in words ---- */

static void separate(struct buf *out, size_t begin)
{
	if (out->len > begin)
		buf_puts(out, "; ");
}

void thin_sentence(const struct thin *t, const struct profile *p, struct buf *out)
{
	static const char *const below[] = { "the frame that ran", "the function that ran", "one frame" };
	size_t begin = out->len;

	if (t->stretch)
		buf_printf(out, "%" PRIu64 " samples are summed up to %zu, in stretches of %.6f s: no time is finer than that",
			   profile_data(p)->nr_samples, t->samples.nr, (double)t->stretch / 1e9);
	if (t->no_cpus) {
		separate(out, begin);
		buf_puts(out, "CPUs are not told apart");
	}
	if (t->threads.nr_merged) {
		separate(out, begin);
		buf_printf(out, "%u of the %zu threads, the least busy, are one with others", t->threads.nr_merged,
			   profile_data(p)->threads.nr);
	}
	if (t->stacks.nr_merged) {
		separate(out, begin);
		buf_printf(out, "%u stacks with less than %.6f %% of an event each are %s below (merged)", t->stacks.nr_merged,
			   100 * t->least, below[t->leaf]);
	}
}
