/*
 * Prints percentiles and a histogram of the times that threads were off the CPU (prec report --latency-hist), or of the times
 * between two events (--pair). event_pairs.c finds the two events. The last table of --latency-hist compares the call stacks of the
 * longest waits with those of all waits.
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdlib.h>
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
#include "core/show/report/named_stacks.h"
#include "core/show/report/wait_cells.h"

#define BAR		40u	/* columns of the longest bar */
#define MAX_STACKS	10u

struct length { uint64_t key, ns; };

/* All times are kept until the end, so the percentiles are exact. */
struct distribution { VEC(struct length) list; };	/* sorted by key and length after the last was added */

struct latency {
	const struct own_table_opts *opts;
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

/* Skips samples that are sums of waits, because the lengths of their waits are not known. */
static bool is_wait(const struct latency *l, const struct item *item)
{
	return item->event == l->event && !(item->sample->wait && item->sample->wait->wait->nr) &&
	       filter_item(l->opts->filter, item);
}

static void on_wait(void *worker, void *ctx, const struct item *item)
{
	const struct latency *l = ctx;
	struct wait_lengths *w = worker;
	uint64_t key;

	if (!is_wait(l, item))
		return;
	key = key_of(l, item);
	vec_push(&w->off.list, (struct length){ key, item_period(item) });
	if (item->sample->wait && item->sample->wait->wait->ready)
		vec_push(&w->ready.list, (struct length){ key, wait_delay(item->sample->wait->wait) });
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

/* ---- showing ---- */

ORDER(compare_lengths, struct length, compare_numbers(a->key, b->key) ?: compare_numbers(a->ns, b->ns))

struct row { size_t from, nr; uint64_t sum; };

ORDER(compare_rows, struct row, compare_numbers(b->sum, a->sum) ?: compare_numbers(a->from, b->from))

static void put_row(const struct latency *l, const struct distribution *d, const struct row *r, struct buf *out)
{
	const struct length *v = &d->list.v[r->from];

	put_spread(l->opts->separator, &(struct spread){
		r->nr, r->sum, v[percentile_place(r->nr, 500)].ns, v[percentile_place(r->nr, 900)].ns,
		v[percentile_place(r->nr, 990)].ns, v[r->nr - 1].ns,
	}, out);
	if (l->key)
		key_print(l->key, &l->view, v->key, out);
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
	buf_printf(out, "%*s %*s ", (int)WAIT_CELL, buf_str(&from), (int)WAIT_CELL, buf_str(&below));
	put_count_cell(NULL, b->counts[bin], out);
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

static void put_distribution(const struct latency *l, struct distribution *d, const char *what, struct buf *out)
{
	buf_printf(out, "# %s\n#\n", what);
	if (!d->list.nr) {
		buf_puts(out, "# none\n\n");
		return;
	}
	vec_sort(&d->list, compare_lengths);
	put_spread_titles(l->opts->separator, l->key ? l->key->title : "", out);
	put_rows(l, d, out);
	if (!l->opts->separator)
		put_histogram(d, out);
	buf_putc(out, '\n');
}

/* ---- stacks ---- */

enum { GROUP_ALL, GROUP_LONGEST };

struct latency_stacks {
	const struct latency *latency;
	uint64_t least;			/* ns of the shortest of the longest waits */
	struct named_stacks stacks;	/* .phase of the sums: the reasons of the waits */
	uint64_t all[NR_STACK_GROUPS];
};

static void init_stacks(void *worker, void *ctx)
{
	named_stacks_init(worker, ((const struct latency_stacks *)ctx)->stacks.machine);
}

static void add_stack(void *worker, void *ctx, const struct item *item)
{
	const struct latency_stacks *s = ctx;
	struct stack_sum *sum;

	if (!item->sample->wait || !is_wait(s->latency, item))
		return;
	sum = named_stacks_sum(worker, item, s->latency->opts->max_depth, (uint8_t)item->sample->wait->reason);
	add_saturated(&sum->sums[GROUP_ALL], item_period(item));
	if (item_period(item) >= s->least)
		add_saturated(&sum->sums[GROUP_LONGEST], item_period(item));
}

static void merge_stacks(void *worker, void *ctx)
{
	struct latency_stacks *s = ctx;

	named_stacks_merge(&s->stacks, worker);
}

static void put_stack(const void *ctx, const struct stack_sum *sum, struct buf *out)
{
	const struct latency_stacks *s = ctx;
	const char *reason = wait_reason_name((enum wait_reason)sum->phase), *separator = s->latency->opts->separator;

	for (unsigned g = 0; g < NR_STACK_GROUPS; g++)
		if (separator)
			buf_printf(out, "%" PRIu64 "%s", sum->sums[g], separator);
		else
			buf_printf(out, "%9.2f%% ", s->all[g] ? 100.0 * (double)sum->sums[g] / (double)s->all[g] : 0);
	buf_puts(out, *reason ? reason : "[unknown]");
}

static void put_stack_table(struct latency_stacks *s, size_t nr, struct buf *out)
{
	const char *separator = s->latency->opts->separator;
	struct stack_table t = {
		.stacks = &s->stacks, .separator = separator, .most = MAX_STACKS, .indent = 24, .put = put_stack, .ctx = s,
	};
	struct buf length = {0};

	vec_for(sum, &s->stacks.sums) {
		for (unsigned g = 0; g < NR_STACK_GROUPS; g++)
			add_saturated(&s->all[g], sum->sums[g]);
		vec_push(&t.rows, ((struct stack_row){
			.sum = sum, .ranks = { (double)sum->sums[GROUP_LONGEST], (double)sum->sums[GROUP_ALL] } }));
	}
	put_length(&length, s->least);
	buf_printf(out, "# Stacks of all waits, and of the slowest 1 %%: %zu of %s and more\n#\n", nr, buf_str(&length));
	if (separator)
		buf_printf(out, "# All%sSlowest%sReason%sStack\n", separator, separator, separator);
	else
		buf_puts(out, "#      All    Slowest What, and where\n");
	stack_table_print(&t, out);
	buf_release(&length);
}

ORDER(compare_longest, struct length, compare_numbers(b->ns, a->ns))

/* Prints the stacks of the longest hundredth of the waits, and of those as long as its shortest. Reads the recording once more. */
static void put_stacks(struct latency *l, struct buf *out)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct named_stacks), .init = init_stacks, .sample = add_stack, .merge = merge_stacks,
	};
	size_t nr = MAX(l->off.list.nr / 100, 1);
	struct latency_stacks s = { .latency = l };
	const struct length *v = l->off.list.v;

	if (!l->off.list.nr)
		return;
	vec_sort(&l->off.list, compare_longest);
	while (nr < l->off.list.nr && v[nr].ns == v[nr - 1].ns)
		nr++;
	s.least = v[nr - 1].ns;
	named_stacks_init(&s.stacks, session_machine(l->session));
	session_samples(l->session, &pass, &s);
	put_stack_table(&s, nr, out);
	named_stacks_release(&s.stacks);
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

int latency_print(struct session *s, const struct own_table_opts *o, const char *key, struct buf *out)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct wait_lengths), .sample = on_wait, .merge = merge_waits,
	};
	const struct locations none = {0};
	struct latency l = { .opts = o, .session = s, .event = session_waits_event(s) };

	if (find_key(&l, key))
		return -1;
	key_context_init(&l.view, session_machine(s), &none, 1);
	key_context_name_tasks(&l.view);
	l.view.features = session_features(s);
	l.view.session = s;
	session_samples(s, &pass, &l);
	put_distribution(&l, &l.off, "Time off the CPU, of waits", out);
	put_distribution(&l, &l.ready, "Time ready without a CPU, of waits whose wake-up was seen", out);
	put_stacks(&l, out);
	key_context_release(&l.view);
	vec_free(&l.off.list);
	vec_free(&l.ready.list);
	return 0;
}

int pair_latency_print(struct session *s, const struct own_table_opts *o, const char *pair, struct buf *out)
{
	struct latency l = { .opts = o, .session = s };
	struct event_pairs pairs = {0};
	int err = event_pairs_find(&pairs, s, "--pair", pair, o->filter);

	if (!err) {
		char *what = xasprintf("Time from '%s' to '%s'; without the other, and left out: %" PRIu64, pairs.begin, pairs.end,
				       pairs.nr_alone);

		vec_for(p, &pairs.list)
			vec_push(&l.off.list, (struct length){ 0, p->to - p->from });
		put_distribution(&l, &l.off, what, out);
		free(what);
	}
	vec_free(&pairs.list);
	vec_free(&l.off.list);
	return err;
}
