/*
 * Prints percentiles and a histogram of the times that threads were off the CPU (prec report --latency-hist), or of the times
 * between two events (--pair). event_pairs.c finds the two events. latency_stacks.c prints the call stacks.
 * Layer: report
 */
#include "core/show/report/latency.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/hists/detail.h"
#include "core/hists/key.h"
#include "core/hists/key_table.h"
#include "core/hists/key_context.h"
#include "core/show/report/event_pairs.h"
#include "core/show/report/latency_stacks.h"

#define BAR		40u	/* columns of the longest bar */
#define CELL		10u

struct lengths { uint64_t key, ns; };

/* All times are kept until the end, so the percentiles are exact. */
struct distribution { VEC(struct lengths) list; };	/* sorted by key and length after the last was added */

struct latency {
	const struct latency_opts *opts;
	struct session *session;
	const struct event *event;		/* the event whose samples are waits */
	const struct key *key;			/* NULL: none */
	struct key_context view;
	struct distribution off, ready;
};

/* ---- gathering waits ---- */

struct wait_lengths { struct distribution off, ready; };

static uint64_t key_of(const struct latency *l, const struct item *item)
{
	const struct sample_view sample = { .item = item };
	const struct bucket_key bucket = {
		.comm = item->context->comm_number, .tid = sample_owner(item->sample), .cpu = item->sample->cpu,
	};

	if (!l->key)
		return 0;
	return l->key->word ? l->key->word(&sample) : key_value(l->key, &l->view, &bucket);
}

static bool passes(const struct latency *l, const struct item *item)
{
	const struct filter *f = l->opts->filter;

	return filter_is_open(f) || (filter_in_window(f, item) && filter_item(f, item));
}

static void on_wait(void *worker, void *ctx, const struct item *item)
{
	const struct latency *l = ctx;
	struct wait_lengths *w = worker;
	uint64_t key;

	/* Skips samples that are sums of waits, because the lengths of their waits are not known. */
	if (item->event != l->event || (item->sample->wait && item->sample->wait->wait->nr) || !passes(l, item))
		return;
	key = key_of(l, item);
	vec_push(&w->off.list, (struct lengths){ key, item_period(item) });
	if (item->sample->wait && item->sample->wait->wait->ready)
		vec_push(&w->ready.list, (struct lengths){ key, wait_delay(item->sample->wait->wait) });
}

static void merge_waits(void *worker, void *ctx)
{
	struct wait_lengths *w = worker;
	struct latency *l = ctx;

	vec_append(&l->off.list, &w->off.list);
	vec_append(&l->ready.list, &w->ready.list);
	vec_free(&w->off.list);
	vec_free(&w->ready.list);
}

/* ---- gathering pairs ---- */

static void on_pair(void *ctx, const struct event_pair *pair)
{
	struct latency *l = ctx;

	vec_push(&l->off.list, (struct lengths){ 0, pair->to - pair->from });
}

/* ---- showing ---- */

ORDER(compare_lengths, struct lengths, compare_numbers(a->key, b->key) ?: compare_numbers(a->ns, b->ns))

struct row { size_t from, nr; uint64_t sum; };

ORDER(compare_rows, struct row, compare_numbers(b->sum, a->sum) ?: compare_numbers(a->from, b->from))

static void put_cell(const struct latency *l, uint64_t ns, struct buf *out)
{
	struct buf text = {0};

	if (l->opts->separator) {
		buf_printf(out, "%" PRIu64 "%s", ns, l->opts->separator);
		return;
	}
	put_length(&text, ns);
	buf_printf(out, "%*s ", (int)CELL, buf_str(&text));
	buf_release(&text);
}

/* The smallest length that at least @permille of the lengths do not exceed. */
static uint64_t percentile(const struct lengths *sorted, size_t nr, unsigned permille)
{
	return sorted[(nr * permille + 999) / 1000 - 1].ns;
}

static void put_row(const struct latency *l, const struct distribution *d, const struct row *r, struct buf *out)
{
	const struct lengths *first = &d->list.v[r->from];

	if (l->opts->separator)
		buf_printf(out, "%zu%s", r->nr, l->opts->separator);
	else
		buf_printf(out, "%*zu ", (int)CELL, r->nr);
	put_cell(l, r->sum, out);
	put_cell(l, percentile(first, r->nr, 500), out);
	put_cell(l, percentile(first, r->nr, 900), out);
	put_cell(l, percentile(first, r->nr, 990), out);
	put_cell(l, first[r->nr - 1].ns, out);
	if (l->key)
		key_print(l->key, &l->view, first->key, out);
	buf_putc(out, '\n');
}

static void put_rows(const struct latency *l, const struct distribution *d, struct buf *out)
{
	VEC(struct row) rows = {0};

	for (size_t i = 0; i < d->list.nr; i++) {
		if (!i || d->list.v[i].key != d->list.v[i - 1].key)
			vec_push(&rows, (struct row){ .from = i });
		rows.v[rows.nr - 1].nr++;
		add_saturated(&rows.v[rows.nr - 1].sum, d->list.v[i].ns);
	}
	vec_sort(&rows, compare_rows);
	vec_for(r, &rows)
		put_row(l, d, r, out);
	vec_free(&rows);
}

/* The least length of a row of the histogram: 0, then 1, 2, 5, 10, 20, 50 ... ns. */
#define MAX_BINS	60u

struct bins { uint64_t from[MAX_BINS], counts[MAX_BINS]; unsigned nr; };

static void make_bins(struct bins *b)
{
	static const unsigned steps[] = { 1, 2, 5 };

	*b = (struct bins){ .nr = 1 };
	for (uint64_t ten = 1; b->nr + ARRAY_SIZE(steps) <= MAX_BINS && ten <= UINT64_MAX / 10; ten *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
			b->from[b->nr++] = ten * steps[i];
}

static unsigned bin_of(const struct bins *b, uint64_t ns)
{
	unsigned bin = b->nr - 1;

	while (b->from[bin] > ns)
		bin--;
	return bin;
}

static void put_bin(const struct bins *b, unsigned bin, uint64_t most, struct buf *out)
{
	struct buf from = {0}, below = {0};

	put_length(&from, b->from[bin]);
	if (bin + 1 < b->nr)
		put_length(&below, b->from[bin + 1]);
	buf_printf(out, "%*s %*s %*" PRIu64 " ", (int)CELL, buf_str(&from), (int)CELL, buf_str(&below), (int)CELL, b->counts[bin]);
	buf_fill(out, '#', (size_t)((double)b->counts[bin] * BAR / (double)most + 0.999));
	buf_putc(out, '\n');
	buf_release(&from);
	buf_release(&below);
}

static void put_histogram(const struct distribution *d, struct buf *out)
{
	unsigned first = MAX_BINS, last = 0;
	uint64_t most = 1;
	struct bins b;

	make_bins(&b);
	vec_for(l, &d->list) {
		unsigned bin = bin_of(&b, l->ns);

		b.counts[bin]++;
		most = MAX(most, b.counts[bin]);
		first = MIN(first, bin);
		last = MAX(last, bin);
	}
	buf_puts(out, "#\n#     From      Below      Count\n");
	for (unsigned bin = first; bin <= last; bin++)
		put_bin(&b, bin, most, out);
}

static void put_titles(const struct latency *l, struct buf *out)
{
	static const char *const titles[] = { "Count", "Total", "p50", "p90", "p99", "Max" };

	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		if (l->opts->separator)
			buf_printf(out, "%s%s%s", i ? "" : "# ", titles[i], l->opts->separator);
		else
			buf_printf(out, "%s%*s ", i ? "" : "#", (int)CELL - !i, titles[i]);
	buf_printf(out, "%s\n", l->key ? l->key->title : "");
}

static void put_distribution(const struct latency *l, struct distribution *d, const char *what, struct buf *out)
{
	buf_printf(out, "# %s\n#\n", what);
	if (!d->list.nr) {
		buf_puts(out, "# none\n\n");
		return;
	}
	vec_sort(&d->list, compare_lengths);
	put_titles(l, out);
	put_rows(l, d, out);
	if (!l->opts->separator)
		put_histogram(d, out);
	buf_putc(out, '\n');
}

/* ---- the whole ---- */

#define KNOWN_NEEDS ((unsigned)(NEED_COMM | NEED_TID | NEED_CPU | NEED_WORDS))

static int find_key(struct latency *l, const char *name)
{
	l->key = name ? key_find(name, strlen(name), false) : NULL;
	if (name && (!l->key || key_is_sum(l->key) || l->key->needs & ~KNOWN_NEEDS || l->key->flags & KEY_BY_ADDRESS))
		return error("--latency-hist: '%s' is no key of waits: comm, pid, tgid, cpu, state, reason, waker, lock, holder",
			     name);
	return 0;
}

static int compare_longest(const void *a, const void *b)
{
	return compare_numbers(((const struct lengths *)b)->ns, ((const struct lengths *)a)->ns);
}

/*
 * Prints the stacks of the longest hundredth of the waits (at least one), and of all waits that are as long as the shortest of
 * these.
 */
static void put_stacks(struct latency *l, struct buf *out)
{
	struct lengths *v = l->off.list.v;
	size_t nr = MAX(l->off.list.nr / 100, 1);

	if (!l->off.list.nr)
		return;
	qsort(v, l->off.list.nr, sizeof(*v), compare_longest);
	while (nr < l->off.list.nr && v[nr].ns == v[nr - 1].ns)
		nr++;
	latency_stacks_put(l->session, &(struct latency_stacks_opts){
		.filter = l->opts->filter, .separator = l->opts->separator, .max_depth = l->opts->max_depth, .nr = nr,
		.least = v[nr - 1].ns }, out);
}

static int print_waits(struct latency *l, struct buf *out)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct wait_lengths), .sample = on_wait, .merge = merge_waits,
	};

	if (find_key(l, l->opts->key))
		return -1;
	l->event = session_waits_event(l->session);
	session_samples(l->session, &pass, l);
	put_distribution(l, &l->off, "Time off the CPU, of waits", out);
	put_distribution(l, &l->ready, "Time ready without a CPU, of waits whose wake-up was seen", out);
	put_stacks(l, out);
	return 0;
}

static int print_pair(struct latency *l, struct buf *out)
{
	const struct event_pairs_opts o = {
		.option = "--pair", .words = l->opts->pair, .filter = l->opts->filter, .on_pair = on_pair, .ctx = l,
	};
	struct event_pairs_sums sums;
	char *what;

	if (event_pairs_find(l->session, &o, &sums))
		return -1;
	what = xasprintf("Time from '%s' to '%s'; without the other, and left out: %" PRIu64, sums.begin, sums.end, sums.nr_alone);
	put_distribution(l, &l->off, what, out);
	free(what);
	return 0;
}

int latency_print(struct session *s, const struct latency_opts *o, struct buf *out)
{
	const struct locations none = {0};
	struct latency l = { .opts = o, .session = s };
	int err;

	key_context_init(&l.view, session_machine(s), &none, 1);
	key_context_name_tasks(&l.view);
	l.view.features = session_features(s);
	l.view.session = s;
	err = o->pair ? print_pair(&l, out) : print_waits(&l, out);
	key_context_release(&l.view);
	vec_free(&l.off.list);
	vec_free(&l.ready.list);
	return err;
}
