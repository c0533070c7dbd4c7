/*
 * Prints how long the calls of each function took, for prec report --durations. Each function is one row, with percentiles of the
 * durations of its calls, which lengths.c computes.
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/read/filter.h"
#include "core/model/dso.h"
#include "core/profile/call_walk.h"
#include "core/code/code_places.h"
#include "core/show/report/lengths.h"

struct spread {
	uint64_t calls, partial;	/* .calls: begin and end were seen; .partial: one of them is inferred */
	uint64_t total_ns, self_ns, total_insns, self_insns;
	struct lengths lengths;		/* times of .calls */
};

struct durations {
	const struct own_table_opts *opts;
	bool insns;
	VEC(struct spread) spreads;	/* by function */
};

/* ---- gathering ---- */

static struct spread *spread_of(struct durations *d, uint32_t function)
{
	while (d->spreads.nr <= function)
		vec_push(&d->spreads, (struct spread){0});
	return &d->spreads.v[function];
}

static void on_call(void *ctx, const struct call_walk *w, const struct walked_call *c)
{
	struct spread *s = spread_of(ctx, c->function);

	if (c->flags & CALL_OUTERMOST) {
		s->total_ns += c->alone_ns;
		s->total_insns += c->alone_insns;
	}
	if (c->flags & (CALL_BEGIN_INFERRED | CALL_END_INFERRED)) {
		s->partial++;
		return;
	}
	s->calls++;
	lengths_add(&s->lengths, c->end - c->begin);
}

static void on_self(void *ctx, uint32_t function, uint64_t ns, uint64_t insns)
{
	struct spread *s = spread_of(ctx, function);

	s->self_ns += ns;
	s->self_insns += insns;
}

/* ---- showing ---- */

/* Appends a character for each bin, which is the darker the more of the calls are in the bin. */
static void put_histogram(const struct spread *s, struct buf *out)
{
	static const char marks[] = " .:-=+*#@";
	const uint64_t *bins = s->lengths.bins;
	size_t last = sizeof(marks) - 2;

	for (unsigned i = 0; i < LENGTH_BINS; i++)
		buf_putc(out, bins[i] ? marks[1 + bins[i] * (last - 1) / s->lengths.nr] : ' ');
}

static void put_bins(const struct spread *s, struct buf *out)
{
	for (unsigned i = 0; i < LENGTH_BINS; i++)
		buf_printf(out, "%s%" PRIu64, i ? " " : "", s->lengths.bins[i]);
}

/* Appends @text, right-aligned and without its blanks, and releases it. */
static void put_tight(struct buf *text, unsigned width, struct buf *out)
{
	struct buf tight = {0};

	for (const char *p = buf_str(text); *p; p++)
		if (*p != ' ')
			buf_putc(&tight, *p);
	buf_right(out, buf_str(&tight), width);
	buf_release(&tight);
	buf_release(text);
}

/* Appends "17ns" or "1.23ms": the text of put_duration() without the blank. */
static void put_time(uint64_t ns, unsigned width, struct buf *out)
{
	struct buf text = {0};

	if (ns < 1000)
		buf_printf(&text, "%" PRIu64 "ns", ns);
	else
		put_duration(&text, ns);
	put_tight(&text, width, out);
}

static void put_number(uint64_t n, unsigned width, struct buf *out)
{
	struct buf text = {0};

	put_amount(&text, n);
	put_tight(&text, width, out);
}

static void put_for_people(const struct durations *d, struct spread *s, struct buf *out)
{
	const uint64_t times[] = { s->total_ns, s->self_ns };
	const uint64_t lengths[] = {
		s->lengths.min, lengths_percentile(&s->lengths, 500), lengths_percentile(&s->lengths, 990), s->lengths.max,
	};

	put_number(s->calls, 6, out);
	put_number(s->partial, 5, out);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		put_time(times[i], 8, out);
	if (d->insns)
		put_number(s->self_insns, 7, out);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		if (s->lengths.nr)
			put_time(lengths[i], 7, out);
		else
			buf_right(out, "-", 7);
	}
	buf_putc(out, ' ');
	put_histogram(s, out);
	buf_putc(out, ' ');
}

static void put_for_programs(const struct durations *d, struct spread *s, struct buf *out)
{
	const uint64_t cells[] = {
		s->calls, s->partial, s->total_ns, s->self_ns, s->total_insns, s->self_insns,
		s->lengths.min, lengths_percentile(&s->lengths, 500), lengths_percentile(&s->lengths, 900),
		lengths_percentile(&s->lengths, 990), s->lengths.max,
	};

	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		buf_printf(out, "%" PRIu64 "%s", cells[i], d->opts->separator);
	put_bins(s, out);
	buf_puts(out, d->opts->separator);
}

static void put_name(const struct code_places *places, uint32_t function, struct buf *out)
{
	size_t start = out->len;

	code_function_put(places, function, out);
	buf_escape_from(out, start, "");
	buf_putc(out, '\n');
}

static void put_titles(const struct durations *d, const struct call_walk_seen *seen, struct buf *out)
{
	const char *sep = d->opts->separator;

	if (sep) {
		static const char *const titles[] = {
			"Calls", "Partial", "Total", "Self", "Insns", "Self insns", "Min", "p50", "p90", "p99", "Max", "Histogram",
		};

		buf_puts(out, "# ");
		for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
			buf_printf(out, "%s%s", titles[i], sep);
		buf_puts(out, "Function\n");
		return;
	}
	buf_printf(out, "# Durations of calls, from %" PRIu64 " %s", seen->branches ? seen->branches : seen->probes,
		   seen->branches ? "branches" : "entries and returns");
	if (seen->gaps)
		buf_printf(out, "; %" PRIu64 " gaps cut the calls that were open", seen->gaps);
	buf_puts(out, "\n# Part: calls of which one end was not seen; they are in Total and Self alone\n");
	buf_puts(out, "# Histogram: calls from 0, 10, 32, 100, 316 ns, 1, 3, 10, 32, 100 us, 1, 10 ms on\n#\n");
	buf_printf(out, "#Calls Part   Total    Self%s    Min    p50    p99    Max Histogram    Function\n",
		   d->insns ? "  Insns" : "");
}

struct row { struct spread *spread; uint32_t function; };

ORDER(compare_rows, struct row,
	compare_numbers(b->spread->total_ns, a->spread->total_ns) ?: compare_numbers(b->spread->calls, a->spread->calls) ?:
	compare_numbers(a->function, b->function))

static bool is_shown(const struct durations *d, const struct code_places *places, uint32_t function)
{
	const struct code_function *f = code_function(places, function);

	return !filter_has_names(d->opts->filter) || filter_names(d->opts->filter, f->dso, f->name);
}

static void put_rows(struct durations *d, const struct code_places *places, struct buf *out)
{
	VEC(struct row) rows = {0};

	for (uint32_t i = 0; i < d->spreads.nr; i++) {
		struct spread *s = &d->spreads.v[i];

		if (!(s->calls + s->partial) || !is_shown(d, places, i))
			continue;
		vec_push(&rows, (struct row){ s, i });
	}
	vec_sort(&rows, compare_rows);
	vec_for(r, &rows) {
		if (d->opts->separator)
			put_for_programs(d, r->spread, out);
		else
			put_for_people(d, r->spread, out);
		put_name(places, r->function, out);
	}
	vec_free(&rows);
}

int durations_print(struct session *s, const struct own_table_opts *o, bool insns, bool titles, struct buf *out)
{
	struct durations d = { .opts = o, .insns = insns };
	struct call_walk *w = call_walk_new(s, &(struct call_walk_opts){
		.filter = o->filter, .insns = insns, .call = on_call, .self = on_self, .ctx = &d,
	});
	struct call_walk_seen seen = call_walk_seen(w);
	int err = 0;

	if (!seen.branches && !seen.probes) {
		err = error("--durations needs calls: a hardware trace (Intel PT, CoreSight), or probes at the entry and the "
			    "return of functions (-e u:PATH:FUNCTION -e u:PATH:FUNCTION%%return)");
	} else {
		if (titles)
			put_titles(&d, &seen, out);
		put_rows(&d, call_walk_places(w), out);
	}
	vec_for(spread, &d.spreads)
		lengths_release(&spread->lengths);
	vec_free(&d.spreads);
	call_walk_free(w);
	return err;
}
