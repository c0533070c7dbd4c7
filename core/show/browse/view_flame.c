/*
 * Draws the browser's flame graph. Each function is a bar below the bar of its caller, as wide as its share of the samples. tree.h
 * computes the rows that become bars.
 */
#include <stdlib.h>
#include <string.h>

#include "core/ui/fit.h"
#include "core/base/printable.h"
#include "core/show/browse/command.h"
#include "core/show/browse/diff_columns.h"
#include "core/show/browse/reload.h"
#include "core/show/browse/views.h"

#define MOST_LEVELS 1024u
#define LEAST_FITTED 12u	/* columns of a bar, below which fit_name() leaves only the beginning of a name */

struct bar { struct tree_row *row; unsigned x, width, level; };

/* In the inverted graph, each bar is below the bar of its callee. */
struct flame {
	struct tree_rows roots;
	VEC(struct bar) bars;		/* depth-first: each bar, then the bars below it */
	struct tree_row *zoomed;	/* the row that is as wide as the screen; NULL: no zoom */
	size_t cursor;			/* index in .bars */
	unsigned top;			/* the first level on the screen */
	/* During a reload: the functions from the root to .zoomed and to the cursor, with their numbers in the new profile. */
	struct functions { VEC(uint32_t) list; } zoomed_before, cursor_before;
};

/* ---- layout ---- */

static void add_bar(struct flame *f, struct browser *b, struct tree_row *row, unsigned x, unsigned width, unsigned level);

/* Adds bars from column @x on. @width columns stand for @all. Bars narrower than a column are left out. */
static void add_bars(struct flame *f, struct browser *b, struct tree_row *const *rows, size_t nr, uint64_t all, unsigned x,
		     unsigned width, unsigned level)
{
	uint64_t before = 0;

	for (size_t i = 0; i < nr && all; i++) {
		unsigned from = (unsigned)((double)before / (double)all * width), to;

		add_saturated(&before, sum_width(&rows[i]->sum, b->selection.shown));
		to = (unsigned)((double)MIN(before, all) / (double)all * width + 1e-9);
		if (to > from)
			add_bar(f, b, rows[i], x + from, to - from, level);
	}
}

static void add_bar(struct flame *f, struct browser *b, struct tree_row *row, unsigned x, unsigned width, unsigned level)
{
	if (level >= MOST_LEVELS)
		return;
	vec_push(&f->bars, ((struct bar){ row, x, width, level }));
	tree_make_rows(row, &b->model, &b->selection, 0);
	add_bars(f, b, row->rows.v, row->rows.nr, sum_width(&row->sum, b->selection.shown), x, width, level + 1);
}

/* Adds the zoomed row below its ancestors, each as wide as the screen, and the rows below it. */
static void add_zoomed(struct flame *f, struct browser *b)
{
	unsigned level = f->zoomed->depth;

	for (struct tree_row *row = f->zoomed->parent; row; row = row->parent)
		vec_push(&f->bars, ((struct bar){ row, 0, b->width, --level }));
	for (size_t i = 0; i < f->bars.nr / 2; i++) {
		struct bar other = f->bars.v[i];

		f->bars.v[i] = f->bars.v[f->bars.nr - 1 - i];
		f->bars.v[f->bars.nr - 1 - i] = other;
	}
	add_bar(f, b, f->zoomed, 0, b->width, f->zoomed->depth);
}

static void put_cursor_on(struct flame *f, const struct tree_row *row)
{
	f->cursor = 0;
	for (size_t i = 0; i < f->bars.nr; i++)
		if (f->bars.v[i].row == row)
			f->cursor = i;
}

static void lay_out(struct flame *f, struct browser *b)
{
	const struct tree_row *row = f->cursor < f->bars.nr ? f->bars.v[f->cursor].row : NULL;

	f->bars.nr = 0;
	if (f->zoomed)
		add_zoomed(f, b);
	else
		add_bars(f, b, f->roots.list.v, f->roots.list.nr, sum_width(&b->selection.total, b->selection.shown), 0,
			 b->width, 0);
	put_cursor_on(f, row);
}

static void clear(struct flame *f)
{
	tree_rows_release(&f->roots);
	f->bars.nr = f->cursor = 0;
	f->zoomed = NULL;
	f->top = 0;
}

/* ---- from one profile to the next ---- */

static void keep_path(struct functions *out, const struct tree_row *row, const struct renumbering *r)
{
	out->list.nr = 0;
	for (; row; row = row->parent)
		vec_push(&out->list, renumbered(r, row->function));
}

static void carry(struct view *v, const struct renumbering *r)
{
	struct flame *f = v->state;

	keep_path(&f->zoomed_before, f->zoomed, r);
	keep_path(&f->cursor_before, f->cursor < f->bars.nr ? f->bars.v[f->cursor].row : NULL, r);
}

/* Returns the last row of the path that still exists, or NULL if no row does. Empties the path. */
static struct tree_row *follow_path(const struct flame *f, struct browser *b, struct functions *path)
{
	const struct tree_rows *roots = &f->roots;
	struct tree_row *const *rows = roots->list.v, *at = NULL;
	size_t nr = roots->list.nr;

	for (size_t i = path->list.nr; i-- > 0;) {
		size_t row = 0;

		while (row < nr && rows[row]->function != path->list.v[i])
			row++;
		if (row == nr)
			break;
		at = rows[row];
		tree_make_rows(at, &b->model, &b->selection, 0);
		rows = at->rows.v;
		nr = at->rows.nr;
	}
	path->list.nr = 0;
	return at;
}

static void make(struct browser *b, struct view *v)
{
	struct flame *f = v->state;
	struct tree_row *cursor;

	clear(f);
	tree_roots(&f->roots, &b->model, &b->selection, b->inverted ? CALLERS : CALLEES);
	f->zoomed = follow_path(f, b, &f->zoomed_before);
	cursor = follow_path(f, b, &f->cursor_before);
	lay_out(f, b);
	if (cursor)
		put_cursor_on(f, cursor);
}

static void release(struct view *v)
{
	struct flame *f = v->state;

	clear(f);
	vec_free(&f->zoomed_before.list);
	vec_free(&f->cursor_before.list);
	vec_free(&f->bars);
}

/* ---- moving ---- */

static const struct bar *bar_at_cursor(const struct flame *f)
{
	return f->cursor < f->bars.nr ? &f->bars.v[f->cursor] : NULL;
}

static void go_sideways(struct flame *f, bool right)
{
	unsigned level = f->bars.v[f->cursor].level;

	for (size_t i = f->cursor; right ? ++i < f->bars.nr : i-- > 0;)
		if (f->bars.v[i].level == level) {
			f->cursor = i;
			return;
		}
}

static void go_up(struct flame *f)
{
	unsigned level = f->bars.v[f->cursor].level;

	for (size_t i = f->cursor; level && i-- > 0;)
		if (f->bars.v[i].level == level - 1) {
			f->cursor = i;
			return;
		}
}

static void go_down(struct flame *f)
{
	size_t next = f->cursor + 1;

	if (next < f->bars.nr && f->bars.v[next].level > f->bars.v[f->cursor].level)
		f->cursor = next;
}

static void zoom(struct flame *f, struct browser *b, struct tree_row *row)
{
	f->zoomed = row;
	lay_out(f, b);
}

static bool move(struct flame *f, enum action action)
{
	if (!f->bars.nr)
		return false;
	switch (action) {
	case ACTION_LEFT: case ACTION_RIGHT:
		go_sideways(f, action == ACTION_RIGHT);
		return true;
	case ACTION_UP:
		go_up(f);
		return true;
	case ACTION_DOWN:
		go_down(f);
		return true;
	case ACTION_HOME: case ACTION_END:
		f->cursor = action == ACTION_HOME ? 0 : f->bars.nr - 1;
		return true;
	case ACTION_PAGE_UP:
		for (unsigned i = 0; i < 10; i++)
			go_up(f);
		return true;
	case ACTION_PAGE_DOWN:
		for (unsigned i = 0; i < 10; i++)
			go_down(f);
		return true;
	default:
		return false;
	}
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	struct flame *f = v->state;
	const struct bar *bar = bar_at_cursor(f);

	if (move(f, action))
		return true;
	if (action == ACTION_ENTER && bar) {
		zoom(f, b, bar->row == f->zoomed ? NULL : bar->row);
		return true;
	}
	if ((action == ACTION_UNDO || action == ACTION_BACK) && f->zoomed) {
		zoom(f, b, f->zoomed->parent);
		return true;
	}
	if (action == ACTION_SIDES) {
		tree_sort(&f->roots, &b->model, &b->selection);
		lay_out(f, b);
		return true;
	}
	if (action != ACTION_TURN)
		return false;
	b->inverted = !b->inverted;
	b->views[VIEW_TREE].generation = 0;
	make(b, v);
	return true;
}

static uint32_t function(struct browser *b, const struct view *v)
{
	const struct bar *bar = bar_at_cursor(v->state);

	return bar ? bar->row->function : PROFILE_NONE;
}

static bool is_found(const struct browser *b, const struct bar *bar)
{
	const char *name = model_function_name(&b->model, bar->row->function);

	return b->search.len && name && memmem(name, strlen(name), b->search.data, b->search.len);
}

static bool search(struct browser *b, struct view *v, bool next)
{
	struct flame *f = v->state;

	for (size_t i = next; i < f->bars.nr + next; i++)
		if (is_found(b, &f->bars.v[(f->cursor + i) % f->bars.nr])) {
			f->cursor = (f->cursor + i) % f->bars.nr;
			return true;
		}
	return false;
}

/* ---- drawing ---- */

/* Draws the details of the bar under the cursor: "45.20%  1.02 s  [.] main  libc.so.6". */
static void draw_details(const struct browser *b, const struct flame *f, struct canvas *c, unsigned y)
{
	const struct bar *bar = bar_at_cursor(f);
	struct buf text = {0};

	if (bar && b->input.compared) {
		diff_columns_put_numbers(b, &bar->row->sum, &text);
		diff_columns_put_name(b, bar->row, false, &text);
		buf_puts(&text, "  ");
		buf_put_printable(&text, model_function_dso(&b->model, bar->row->function));
	} else if (bar) {
		buf_printf(&text, "%7.2f%%  ", browser_percent(b, bar->row->sum.period));
		browser_put_amount(b, bar->row->sum.period, &text);
		buf_puts(&text, "  ");
		model_put_function(&b->model, bar->row->function, &text);
		buf_puts(&text, "  ");
		buf_put_printable(&text, model_function_dso(&b->model, bar->row->function));
	}
	canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text.data, text.len);
	buf_release(&text);
}

/* Appends the name that prec report prints, without its "[.] ", or the file's name if there is no symbol. */
static void put_label(const struct browser *b, const struct bar *bar, struct buf *out)
{
	const char *name = model_function_name(&b->model, bar->row->function);

	if (name)
		buf_put_printable(out, name);
	else
		buf_put_printable(out, model_function_dso(&b->model, bar->row->function));
}

static unsigned look_of(const struct browser *b, const struct flame *f, const struct bar *bar)
{
	bool other = ((size_t)(bar - f->bars.v) + bar->level) % 2;

	if (is_found(b, bar))
		return LOOK_FOUND;
	if (b->selection.shown == SHOWN_DIFFERENCE)
		return diff_columns_bar_look(&bar->row->sum);
	if (model_is_wait(&b->model, bar->row->function))
		return LOOK_FAINT;
	if (model_is_kernel(&b->model, bar->row->function))
		return other ? LOOK_KERNEL_BAR : LOOK_OTHER_KERNEL_BAR;
	return other ? LOOK_BAR : LOOK_OTHER_BAR;
}

static void draw_bar(const struct browser *b, const struct bar *bar, struct canvas *c, unsigned y, unsigned look)
{
	struct buf name = {0}, text = {0};
	size_t skip = 0;

	canvas_fill(c, y, bar->x, bar->width, look, ' ');
	canvas_fill(c, y, bar->x, 1, look, c->utf8 ? 0x258f : '|');	/* LEFT ONE EIGHTH BLOCK */
	put_label(b, bar, &name);
	if (bar->width <= LEAST_FITTED && model_is_wait(&b->model, bar->row->function)) {
		/* Waits differ at the end: "[released by worker-1]". */
		buf_put(&text, name.data, bar->width > 2 ? name.len - (name.len && name.data[name.len - 1] == ']') : 0);
		skip = text_columns(text.data, text.len);
		skip -= MIN(skip, bar->width - 1);
	} else if (bar->width > 2) {
		fit_name(name.data, name.len, bar->width - 1, &text);
	}
	canvas_put(c, y, bar->x + 1, bar->width - 1, (unsigned)skip, look, text.data, text.len);
	buf_release(&name);
	buf_release(&text);
}

static void follow(struct flame *f, unsigned page)
{
	unsigned level = f->cursor < f->bars.nr ? f->bars.v[f->cursor].level : 0;

	if (level < f->top)
		f->top = level;
	if (level >= f->top + page)
		f->top = level - page + 1;
}

static void draw(struct browser *b, struct view *v, struct canvas *c, unsigned y, unsigned end)
{
	struct flame *f = v->state;
	unsigned page = end > y + 1 ? end - y - 1 : 1;

	draw_details(b, f, c, y++);
	follow(f, page);
	for (size_t i = 0; i < f->bars.nr; i++) {
		const struct bar *bar = &f->bars.v[i];
		unsigned look = look_of(b, f, bar);

		if (bar->level < f->top || bar->level - f->top >= page || y + bar->level - f->top >= end)
			continue;
		draw_bar(b, bar, c, y + bar->level - f->top, look | LOOK_FILLED | (i == f->cursor ? LOOK_REVERSED : 0));
	}
	if (!f->bars.nr)
		canvas_puts(c, y, 2, LOOK_FAINT, "nothing is here: no sample passes the filters, or none has a call chain");
}

const struct view_ops view_flame = {
	.name = "flame graph", .state_size = sizeof(struct flame), .make = make, .release = release, .draw = draw, .act = act,
	.function = function, .search = search, .carry = carry, .command = command_put_stacks,
	.hints = "Enter zoom\0Backspace out\0r inverted\0/ search\0b callers\0t thread\0T time\0a annotate\0",
	.diff_hints = "Enter zoom\0Backspace out\0x A, B\0r inverted\0/ search\0",
};
