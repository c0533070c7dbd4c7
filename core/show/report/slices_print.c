/*
 * Prints the tables of prec report --slices, which compare slow requests with ordinary ones. A slice is one request, from its
 * begin event to its end event. slices.c computes the data.
 * Layer: report
 */
#include "core/show/report/slices_data.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/read/session.h"
#include "core/show/report/event_pairs.h"
#include "core/show/report/slices.h"

#define CELL		10u
#define MAX_NAMED	5u	/* requests that are listed one by one */
#define MAX_STACKS	20u
#define MAX_FRAMES	12u
#define WIDTH		80u

struct cells { double ns[NR_SLICE_GROUPS]; };	/* time in a slice, on average */

static struct cells average(const struct slices *s, const uint64_t *sums)
{
	struct cells c;

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		c.ns[g] = (double)sums[g] / (double)s->groups[g].nr;
	return c;
}

static double more(const struct cells *c)
{
	return c->ns[SLICES_SLOWEST] - c->ns[SLICES_MIDDLE];
}

/* ---- cells ---- */

static void put_cell(const struct slices *s, double ns, struct buf *out)
{
	struct buf text = {0};

	if (s->opts->separator) {
		buf_printf(out, "%.0f%s", ns, s->opts->separator);
		return;
	}
	if (ns <= -0.5)
		buf_putc(&text, '-');
	put_length(&text, (uint64_t)((ns < 0 ? -ns : ns) + 0.5));
	buf_printf(out, "%*s ", (int)CELL, buf_str(&text));
	buf_release(&text);
}

static void put_count(const struct slices *s, size_t nr, struct buf *out)
{
	if (s->opts->separator)
		buf_printf(out, "%zu%s", nr, s->opts->separator);
	else
		buf_printf(out, "%*zu ", (int)CELL, nr);
}

static void put_cells(const struct slices *s, const struct cells *c, struct buf *out)
{
	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		put_cell(s, c->ns[g], out);
	put_cell(s, more(c), out);
}

static void put_titles(const struct slices *s, const char *const *titles, size_t nr, const char *last, struct buf *out)
{
	for (size_t i = 0; i < nr; i++)
		if (s->opts->separator)
			buf_printf(out, "%s%s%s", i ? "" : "# ", titles[i], s->opts->separator);
		else
			buf_printf(out, "%s%*s ", i ? "" : "#", (int)CELL - !i, titles[i]);
	buf_printf(out, "%s\n", last);
}

static void put_group_titles(const struct slices *s, const char *last, struct buf *out)
{
	static const char *const titles[] = { "Middle", "Slowest", "More" };

	put_titles(s, titles, ARRAY_SIZE(titles), last, out);
}

static void put_phase(uint8_t phase, struct buf *out)
{
	const char *reason = phase < PHASE_OFF ? "" : wait_reason_name((enum wait_reason)(phase - PHASE_OFF));

	if (phase < PHASE_OFF)
		buf_puts(out, phase == PHASE_RUNNING ? "running" : "ready, without a CPU");
	else
		buf_printf(out, "off: %s", *reason ? reason : "[unknown]");
}

/* ---- the tables ---- */

static uint64_t length_at(const struct slices *s, size_t place)
{
	return s->list.v[place].to - s->list.v[place].from;
}

/* The least length that @permille of all slices do not exceed. */
static double percentile(const struct slices *s, unsigned permille)
{
	return (double)length_at(s, (s->list.nr * permille + 999) / 1000 - 1);
}

static void put_lengths(const struct slices *s, struct buf *out)
{
	static const char *const titles[] = { "Count", "Total", "p50", "p90", "p99", "Max" };
	double total = 0;

	vec_for(slice, &s->list)
		total += (double)(slice->to - slice->from);
	put_titles(s, titles, ARRAY_SIZE(titles), "", out);
	put_count(s, s->list.nr, out);
	put_cell(s, total, out);
	put_cell(s, percentile(s, 500), out);
	put_cell(s, percentile(s, 900), out);
	put_cell(s, percentile(s, 990), out);
	put_cell(s, (double)length_at(s, s->list.nr - 1), out);
	buf_puts(out, "\n\n");
}

static void put_slowest(const struct slices *s, struct buf *out)
{
	struct context_cache *cache = context_cache_new(session_machine(s->session));

	buf_puts(out, "# The slowest\n#\n#    Length              From  Thread\n");
	for (size_t i = 0; i < MIN(s->groups[SLICES_SLOWEST].nr, MAX_NAMED); i++) {
		const struct slice *slice = &s->list.v[s->list.nr - 1 - i];
		const struct task_context *context = machine_context(cache, UINT32_MAX, slice->from_tid, slice->from);

		put_cell(s, (double)(slice->to - slice->from), out);
		buf_printf(out, "%7" PRIu64 ".%09" PRIu64 "  %s/%" PRIu32 "\n", slice->from / 1000000000, slice->from % 1000000000,
			   context->comm, slice->from_tid);
	}
	buf_putc(out, '\n');
	context_cache_free(cache);
}

struct phase_row { struct cells cells; uint8_t phase; };

static int compare_phases(const void *a, const void *b)
{
	const struct phase_row *x = a, *y = b;
	double mx = more(&x->cells), my = more(&y->cells);

	return mx > my ? -1 : mx < my ? 1 : (int)x->phase - (int)y->phase;
}

static void put_phases(const struct slices *s, struct buf *out)
{
	struct phase_row rows[NR_SLICE_PHASES];
	uint64_t all[NR_SLICE_GROUPS];
	struct cells cells;
	size_t nr = 0;

	for (unsigned g = 0; g < NR_SLICE_GROUPS; g++)
		all[g] = s->groups[g].seen;
	for (unsigned p = 0; p < NR_SLICE_PHASES; p++)
		if (s->phases[p][SLICES_MIDDLE] || s->phases[p][SLICES_SLOWEST])
			rows[nr++] = (struct phase_row){ average(s, s->phases[p]), (uint8_t)p };
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_phases);
	cells = average(s, all);
	put_group_titles(s, "What", out);
	put_cells(s, &cells, out);
	buf_puts(out, "all\n");
	for (size_t i = 0; i < nr; i++) {
		put_cells(s, &rows[i].cells, out);
		put_phase(rows[i].phase, out);
		buf_putc(out, '\n');
	}
	buf_putc(out, '\n');
}

struct stack_row { double more; char *names; uint32_t at; };

ORDER(compare_stacks, struct stack_row, compare_numbers(b->more, a->more) ?: strcmp(a->names, b->names))

static void put_stack(const struct slices *s, const struct stack_sum *sum, const char *names, struct buf *out)
{
	struct cells cells = average(s, sum->sums);

	put_cells(s, &cells, out);
	put_phase(sum->phase, out);
	if (s->opts->separator) {
		buf_printf(out, "%s%s\n", s->opts->separator, names);
		return;
	}
	buf_putc(out, '\n');
	named_stack_print(&s->stacks, sum->stack, 3 * (CELL + 1) + 2, MAX_FRAMES, WIDTH, out);
}

/* Lists stacks that the slowest requests have more of, the largest difference first. */
static void put_stacks(const struct slices *s, struct buf *out)
{
	VEC(struct stack_row) rows = {0};
	size_t nr;

	for (uint32_t i = 0; i < s->sums.list.nr; i++) {
		struct cells cells = average(s, s->sums.list.v[i].sums);
		struct buf names = {0};

		if (cells.ns[SLICES_MIDDLE] + cells.ns[SLICES_SLOWEST] < 0.5)
			continue;
		named_stack_fold(&s->stacks, s->sums.list.v[i].stack, &names);
		vec_push(&rows, (struct stack_row){ more(&cells), xstrdup(buf_str(&names)), i });
		buf_release(&names);
	}
	vec_sort(&rows, compare_stacks);
	nr = s->opts->separator ? rows.nr : MIN(rows.nr, MAX_STACKS);
	put_group_titles(s, "What, and where", out);
	for (size_t i = 0; i < nr; i++)
		put_stack(s, &s->sums.list.v[rows.v[i].at], rows.v[i].names, out);
	if (nr < rows.nr)
		buf_printf(out, "# %zu stacks more: -t prints all\n", rows.nr - nr);
	vec_for(row, &rows)
		free(row->names);
	vec_free(&rows);
}

static void put_groups(const struct slices *s, struct buf *out)
{
	struct buf from = {0}, to = {0}, slow = {0};
	unsigned slowest = 1000 - s->opts->split;
	size_t first = s->groups[SLICES_MIDDLE].first;

	put_length(&from, length_at(s, first));
	put_length(&to, length_at(s, first + s->groups[SLICES_MIDDLE].nr - 1));
	put_length(&slow, length_at(s, s->groups[SLICES_SLOWEST].first));
	buf_printf(out, "# Time of a request on average: of the %zu in the middle (40 to 60 %%), %s to %s,\n"
		   "# and of the slowest %u.%u %%: %zu of %s and more\n#\n", s->groups[SLICES_MIDDLE].nr, buf_str(&from),
		   buf_str(&to), slowest / 10, slowest % 10, s->groups[SLICES_SLOWEST].nr, buf_str(&slow));
	buf_release(&from);
	buf_release(&to);
	buf_release(&slow);
}

/*
 * The first tables have the lengths of all slices and the slowest slices. The other tables compare the slowest slices with slices
 * of about median length: the average time in a slice for each thread state, and then for each call stack.
 */
void slices_put(struct slices *s, const struct event_pairs_sums *pairs, struct buf *out)
{
	buf_printf(out, "# Requests from '%s' to '%s'; without the other, and left out: %" PRIu64 "\n#\n", pairs->begin, pairs->end,
		   pairs->nr_alone);
	if (!s->list.nr) {
		buf_puts(out, "# none\n");
		return;
	}
	put_lengths(s, out);
	if (!s->opts->separator)
		put_slowest(s, out);
	put_groups(s, out);
	put_phases(s, out);
	put_stacks(s, out);
}
