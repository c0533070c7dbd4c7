/*
 * Sorts the browser's rows in prec diff: significant changes first, or by the samples of one recording (A or B). Also draws the
 * columns before the name. outline.c, view_functions.c and view_flame.c call it.
 */
#include "core/show/browse/diff_columns.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/show/browse/compared.h"

#define LEAST_MOVED	200	/* a change of less than 1 / this of the whole is faint; 0.5 %, as in diff --tree */
#define VERDICT_WIDTH	6u

/* ---- which rows ---- */

void diff_columns_turn(struct browser *b)
{
	enum shown *shown = &b->selection.shown;

	*shown = *shown == SHOWN_B ? SHOWN_DIFFERENCE : *shown + 1;
	browser_view(b)->generation = ++b->made;	/* the view handles ACTION_SIDES itself and is not made again */
	browser_say(b, "shown: %s", diff_columns_shown(b));
}

const char *diff_columns_shown(const struct browser *b)
{
	static const char *const texts[] = {
		[SHOWN_ALL] = "", [SHOWN_DIFFERENCE] = "the difference of A and B", [SHOWN_A] = "A alone", [SHOWN_B] = "B alone",
	};

	return texts[b->selection.shown];
}

/* NULL: there is no such row. */
static const struct browse_difference_row *row_of(const struct browser *b, uint32_t function)
{
	uint32_t number = b->difference ? b->difference_rows[function] : 0;

	return number ? &b->difference->rows[number - 1] : NULL;
}

static int by_rank(const void *pa, const void *pb, void *arg)
{
	struct tree_row *const *a = pa, *const *b = pb;
	const struct browser *browser = arg;

	return compare_numbers(browser->difference_rows[(*a)->function], browser->difference_rows[(*b)->function]);
}

void diff_columns_order(struct tree_rows *rows, struct browser *b)
{
	if (b->selection.shown != SHOWN_DIFFERENCE)
		tree_sort(rows, &b->model, &b->selection);
	else if (rows->list.nr && b->difference)
		qsort_r(rows->list.v, rows->list.nr, sizeof(*rows->list.v), by_rank, b);
}

void diff_columns_functions(struct tree_rows *out, struct browser *b)
{
	for (size_t i = 0; b->difference && i < b->difference->nr; i++) {
		uint32_t function = MIN(b->difference->rows[i].function, b->model.unknown);

		vec_push(&out->list, tree_function(&b->selection, function, true, CALLERS));
	}
	if (b->selection.shown != SHOWN_DIFFERENCE)
		tree_sort(out, &b->model, &b->selection);
}

bool diff_columns_hide(const struct browser *b, const struct tree_row *row)
{
	return b->selection.shown != SHOWN_DIFFERENCE && !sum_width(&row->sum, b->selection.shown);
}

/* ---- looks ---- */

static unsigned look_of(const struct sum *s)
{
	return s->of_b > sum_of_a(s) ? LOOK_MORE : LOOK_LESS;
}

static unsigned look_of_node(const struct browser *b, const struct sum *s)
{
	const struct sum *all = &b->selection.total;
	uint64_t change = sum_difference(s), least = MAX(sum_of_a(all), all->of_b) / LEAST_MOVED;

	if (b->selection.shown != SHOWN_DIFFERENCE)
		return LOOK_PLAIN;
	return change < least || !change ? LOOK_FAINT : change / 4 < least ? LOOK_PLAIN : look_of(s);
}

static unsigned look_of_row(const struct browser *b, const struct browse_difference_row *row)
{
	return b->selection.shown != SHOWN_DIFFERENCE ? LOOK_PLAIN : !row || !row->changed ? LOOK_FAINT :
	       row->more ? LOOK_MORE : LOOK_LESS;
}

unsigned diff_columns_bar_look(const struct sum *s)
{
	return sum_difference(s) <= MAX(sum_of_a(s), s->of_b) / LEAST_MOVED ? LOOK_FAINT : look_of(s);
}

/* ---- numbers ---- */

/* Appends "     105 ms  77.78%" for the side that is shown. */
static void put_side(const struct browser *b, const struct sum *s, struct buf *out)
{
	const struct browse_compared *c = b->input.compared;
	uint64_t of = sum_width(s, b->selection.shown), all = sum_width(&b->selection.total, b->selection.shown);
	struct buf amount = {0};

	c->put_amount(c->ctx, b->event, of, &amount);
	buf_printf(out, "%10s %7.2f%%  ", buf_str(&amount), all ? 100.0 * (double)of / (double)all : 0);
	buf_release(&amount);
}

void diff_columns_put_numbers(const struct browser *b, const struct sum *s, struct buf *out)
{
	const struct browse_compared *c = b->input.compared;

	if (b->selection.shown == SHOWN_DIFFERENCE)
		c->put_numbers(c->ctx, b->event, sum_of_a(s), s->of_b, out);
	else
		put_side(b, s, out);
}

/* Whether B takes more. A question mark means that the difference may be chance. */
static const char *verdict(const struct browse_difference_row *row)
{
	return row->more ? row->changed ? "more" : "more?" : row->less ? row->changed ? "less" : "less?" : "same";
}

void diff_columns_draw_titles(struct browser *b, struct canvas *c, unsigned y, bool functions)
{
	struct buf text = {0};

	if (b->selection.shown != SHOWN_DIFFERENCE)
		buf_printf(&text, "%10s   share  ", b->selection.shown == SHOWN_A ? "A" : "B");
	else if (functions && b->difference)
		buf_printf(&text, "%s%-*s", b->difference->titles, (int)VERDICT_WIDTH, "B is");
	else
		buf_puts(&text, b->input.compared->titles);
	buf_puts(&text, "  function");
	canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text.data, text.len);
	buf_release(&text);
}

unsigned diff_columns_draw_numbers(struct browser *b, struct canvas *c, unsigned y, const struct tree_row *row, bool functions,
					  unsigned *look)
{
	const struct browse_difference_row *of = functions && !row->parent ? row_of(b, row->function) : NULL;
	struct buf text = {0};
	unsigned x = 0;

	*look = of ? look_of_row(b, of) : look_of_node(b, &row->sum);
	if (of && b->selection.shown == SHOWN_DIFFERENCE)
		buf_printf(&text, "%s%-*s", of->numbers, (int)VERDICT_WIDTH, verdict(of));
	else
		diff_columns_put_numbers(b, &row->sum, &text);
	if (functions && b->selection.shown == SHOWN_DIFFERENCE && b->difference)
		x = (unsigned)canvas_columns(c, b->difference->titles, strlen(b->difference->titles)) + VERDICT_WIDTH;
	canvas_fill(c, y, 0, c->width, *look, ' ');	/* all of the row, so that the cursor has one colour */
	canvas_put(c, y, 0, c->width, 0, *look, text.data, text.len);
	x = MAX(x, (unsigned)canvas_columns(c, text.data, text.len));
	buf_release(&text);
	return x;
}

void diff_columns_put_name(const struct browser *b, const struct tree_row *row, bool functions, struct buf *out)
{
	const struct browse_difference_row *of = functions && !row->parent ? row_of(b, row->function) : NULL;
	struct buf name = {0};

	if (of)
		buf_puts(&name, of->name);
	else if (row->function < b->model.unknown)
		profile_put_function(b->model.profile, row->function, &name);
	else
		buf_puts(&name, "[unknown]");
	buf_put_printable(out, buf_str(&name));
	buf_release(&name);
}
