/*
 * Lengths are gathered one by one, so percentiles are exact: the least length that so much of all do not exceed.
 * Layer: report
 */
#include "core/report/latency.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/fit.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/flow/filter.h"
#include "core/flow/session.h"
#include "core/flow/waits.h"
#include "core/format/tracing_data.h"
#include "core/profile/key.h"
#include "core/profile/key_table.h"
#include "core/profile/view.h"

#define BAR		40u	/* columns of the longest bar */
#define CELL		10u

struct lengths { uint64_t key, ns; };

struct distribution { VEC(struct lengths) list; };	/* unsorted, then by key and length */

struct latency {
	const struct latency_opts *opts;
	struct session *session;
	const struct event *event;		/* of waits */
	const struct key *key;			/* NULL: none */
	struct view view;
	struct distribution off, ready;
};

/* ---- gathering waits ---- */

struct wait_lengths { struct distribution off, ready; };

static uint64_t key_of(const struct latency *l, const struct item *item)
{
	const struct sample_view sample = { .item = item };
	const struct bucket_key bucket = {
		.comm = item->where->comm_number, .tid = sample_owner(item->sample), .cpu = item->sample->cpu,
	};

	if (!l->key)
		return 0;
	return l->key->word ? l->key->word(&sample) : l->key->value(&l->view, &bucket, 0);
}

static bool passes(const struct latency *l, const struct item *item)
{
	const struct filter *f = l->opts->filter;

	return filter_is_open(f) || (filter_in_window(f, item) && filter_item(f, item));
}

static void take_wait(void *worker, void *ctx, const struct item *item)
{
	const struct latency *l = ctx;
	struct wait_lengths *w = worker;
	uint64_t key;

	if (item->event != l->event || !passes(l, item))
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

struct pair_event { const struct event *event; const struct trace_field *field; };

struct open_pair { uint64_t key, time; bool open; };

struct pairs {
	const struct latency *latency;
	struct pair_event begin, end;
	enum { PAIR_BY_TID, PAIR_BY_PID, PAIR_BY_CPU, PAIR_BY_FIELD } by;
	VEC(struct open_pair) open;
	struct index by_key;
	struct distribution *out;
	uint64_t nr_alone;		/* of either event, without the other */
};

static struct open_pair *find_pair(struct pairs *p, uint64_t key)
{
	uint64_t hash = hash_u64(key);
	uint32_t pos;

	for (size_t i = index_first(&p->by_key, hash); (pos = index_at(&p->by_key, i, hash)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && p->open.v[pos].key == key)
			return &p->open.v[pos];
	index_add(&p->by_key, hash, (uint32_t)p->open.nr);
	vec_push(&p->open, (struct open_pair){ .key = key });
	return &p->open.v[p->open.nr - 1];
}

static uint64_t pair_key(const struct pairs *p, const struct pair_event *e, const struct item *item)
{
	const struct trace_data d = session_trace_data(p->latency->session, item->sample);

	switch (p->by) {
	case PAIR_BY_TID: return sample_owner(item->sample);
	case PAIR_BY_PID: return item->sample->pid;
	case PAIR_BY_CPU: return item->sample->cpu;
	case PAIR_BY_FIELD: break;
	}
	return trace_field_number(&d, e->field);
}

/* An event may be both: it ends what it began before. */
static void take_in_order(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	struct pairs *p = ctx;
	bool begins = item->sample && item->event == p->begin.event, ends = item->sample && item->event == p->end.event;
	struct open_pair *pair;

	(void)worker, (void)out;
	if ((!begins && !ends) || !passes(p->latency, item))
		return;
	pair = find_pair(p, pair_key(p, begins ? &p->begin : &p->end, item));
	if (ends && pair->open)
		vec_push(&p->out->list, (struct lengths){ 0, item->at - pair->time });
	else if (ends && !begins)
		p->nr_alone++;
	p->nr_alone += begins && !ends && pair->open;
	pair->open = begins;
	pair->time = item->at;
}

static bool wants_samples(void *ctx, const struct record_header *header)
{
	(void)ctx;
	return header->type == PERF_RECORD_SAMPLE;
}

static int find_event(struct pair_event *out, const struct session *s, const char *name)
{
	struct buf names = {0};

	vec_for(ev, &session_events(s)->events) {
		if (str_eq((*ev)->name, name))
			out->event = *ev;
		buf_printf(&names, "%s%s", names.len ? ", " : "", (*ev)->name);
	}
	if (!out->event)
		error("--pair: there is no event '%s': the recording has %s", name, buf_str(&names));
	buf_release(&names);
	return out->event ? 0 : -1;
}

static int find_field(struct pair_event *e, const struct session *s, const char *name)
{
	const struct event_attr *a = &e->event->attr;
	const struct trace_event *t = a->type == PERF_TYPE_TRACEPOINT ? tracing_data_event(session_tracing(s), a->config) : NULL;

	e->field = t ? trace_event_field(t, name) : NULL;
	return e->field ? 0 : error("--pair: event '%s' has no field '%s' (nor is it tid, pid or cpu)", e->event->name, name);
}

/* @words are cut where the commas are. */
static int parse_pair(struct pairs *p, struct session *s, char *words)
{
	char *rest, *begin = strtok_r(words, ",", &rest), *end = strtok_r(NULL, ",", &rest), *key = strtok_r(NULL, ",", &rest);

	if (!begin || !end || strtok_r(NULL, ",", &rest))
		return error("--pair needs two events and, if not tid, what they have in common: begin,end,key");
	if (find_event(&p->begin, s, begin) || find_event(&p->end, s, end))
		return -1;
	p->by = !key || str_eq(key, "tid") ? PAIR_BY_TID : str_eq(key, "pid") ? PAIR_BY_PID :
		str_eq(key, "cpu") ? PAIR_BY_CPU : PAIR_BY_FIELD;
	return p->by == PAIR_BY_FIELD && (find_field(&p->begin, s, key) || find_field(&p->end, s, key)) ? -1 : 0;
}

/* ---- showing ---- */

static int compare_lengths(const void *a, const void *b)
{
	const struct lengths *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

struct row { size_t from, nr; uint64_t sum; };

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void put_cell(const struct latency *l, uint64_t ns, struct buf *out)
{
	struct buf text = {0};

	if (l->opts->separator) {
		buf_printf(out, "%" PRIu64 "%s", ns, l->opts->separator);
		return;
	}
	put_duration(&text, ns);
	buf_printf(out, "%*s ", (int)CELL, buf_str(&text));
	buf_release(&text);
}

/* @permille of the lengths are no longer than that. */
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
		l->key->print(&l->view, first->key, out);
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
	if (rows.nr)
		qsort(rows.v, rows.nr, sizeof(*rows.v), compare_rows);
	vec_for(r, &rows)
		put_row(l, d, r, out);
	vec_free(&rows);
}

/* 0, then 1, 2, 5, 10, 20, 50 ... ns: the least length of a row. */
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

	put_duration(&from, b->from[bin]);
	if (bin + 1 < b->nr)
		put_duration(&below, b->from[bin + 1]);
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
	qsort(d->list.v, d->list.nr, sizeof(*d->list.v), compare_lengths);
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
	if (name && (!l->key || l->key->sum || l->key->needs & ~KNOWN_NEEDS || l->key->flags & KEY_BY_ADDRESS))
		return error("--latency-hist: '%s' is no key of waits: comm, pid, tgid, cpu, state, reason, waker", name);
	return 0;
}

static int print_waits(struct latency *l, struct buf *out)
{
	static const struct sample_pass pass = {
		.worker_size = sizeof(struct wait_lengths), .sample = take_wait, .merge = merge_waits,
	};

	if (find_key(l, l->opts->key))
		return -1;
	l->event = session_waits_event(l->session);
	session_samples(l->session, &pass, l);
	put_distribution(l, &l->off, "Time off the CPU, of waits", out);
	put_distribution(l, &l->ready, "Time ready without a CPU, of waits whose wake-up was seen", out);
	return 0;
}

static int print_pair(struct latency *l, struct buf *out)
{
	static const struct ordered_pass pass = {
		.worker_size = 1, .wants = wants_samples, .item = take_in_order, .one_worker = true,
	};
	struct pairs p = { .latency = l, .out = &l->off };
	char *words = xstrdup(l->opts->pair), *what;
	int err = parse_pair(&p, l->session, words);

	if (!err) {
		session_ordered(l->session, &pass, &p, -1);
		what = xasprintf("Time from '%s' to '%s', %" PRIu64 " of which had no other", p.begin.event->name,
				 p.end.event->name, p.nr_alone);
		put_distribution(l, &l->off, what, out);
		free(what);
	}
	vec_free(&p.open);
	index_release(&p.by_key);
	free(words);
	return err;
}

int latency_print(struct session *s, const struct latency_opts *o, struct buf *out)
{
	const struct locations none = {0};
	struct latency l = { .opts = o, .session = s };
	int err;

	view_init(&l.view, session_machine(s), &none, 1);
	l.view.features = session_features(s);
	err = o->pair ? print_pair(&l, out) : print_waits(&l, out);
	view_release(&l.view);
	vec_free(&l.off.list);
	vec_free(&l.ready.list);
	return err;
}
