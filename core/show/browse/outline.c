/*
 * Draws the rows of the browser's functions view, sandwich view and call tree view, and opens or closes a row when the user
 * presses a key. tree.c computes the callers or callees below an opened row.
 */
#include "core/show/browse/outline.h"

#include <string.h>

#include "core/ui/fit.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/show/browse/diff_columns.h"
#include "core/show/browse/reload.h"

#define PERCENT_WIDTH	9u	/* "  99.95% " */
#define AMOUNT_WIDTH	11u
#define MOST_OPENED	50000u	/* stack nodes that one key press may look at, which takes about 15 ms */

void outline_clear(struct outline *o)
{
	tree_rows_release(&o->roots);
	o->hottest = NULL;
	vec_free(&o->lines);
}

void outline_release(struct view *v)
{
	tree_rows_release(&((struct outline *)v->state)->kept);
	outline_clear(v->state);
}

/* ---- from one profile to the next ---- */

static void renumber(struct tree_row *row, const struct renumbering *r)
{
	if (!row->open)
		return;
	row->function = renumbered(r, row->function);
	vec_for(below, &row->rows)
		renumber(*below, r);
}

void outline_carry(struct view *v, const struct renumbering *r)
{
	struct outline *o = v->state;

	tree_rows_release(&o->kept);
	o->kept = o->roots;
	o->roots = (struct tree_rows){0};
	outline_clear(o);
	vec_for(row, &o->kept.list)
		renumber(*row, r);
}

static void reopen(struct browser *b, struct tree_row *const *rows, size_t nr, struct tree_row *const *kept, size_t nr_kept)
{
	for (size_t k = 0; k < nr_kept; k++)
		for (size_t i = 0; kept[k]->open && i < nr; i++)
			if (rows[i]->function == kept[k]->function && rows[i]->direction == kept[k]->direction) {
				rows[i]->open = true;
				tree_make_rows(rows[i], &b->model, &b->selection, 0);
				reopen(b, rows[i]->rows.v, rows[i]->rows.nr, kept[k]->rows.v, kept[k]->rows.nr);
			}
}

void outline_reopen(struct outline *o, struct browser *b)
{
	reopen(b, o->roots.list.v, o->roots.list.nr, o->kept.list.v, o->kept.list.nr);
	tree_rows_release(&o->kept);
}

/* ---- which rows ---- */

static bool is_hidden(const struct browser *b, const struct tree_row *row)
{
	const struct browse_filter *text = filters_find(&b->filters, FILTER_TEXT);
	const char *name = model_function_name(&b->model, row->function);

	if (row->sum.period < browser_least(b) || (b->input.compared && diff_columns_hide(b, row)))
		return true;
	return !row->parent && text && (!name || !strstr(name, text->text));
}

void outline_add(struct outline *o, struct browser *b, struct tree_row *row)
{
	if (row->open)
		tree_make_rows(row, &b->model, &b->selection, 0);
	vec_push(&o->lines, ((struct outline_line){ .row = row }));
	for (size_t i = 0; row->open && i < row->rows.nr; i++)
		if (!is_hidden(b, row->rows.v[i]))
			outline_add(o, b, row->rows.v[i]);
}

void outline_list(struct browser *b, struct view *v)
{
	struct outline *o = v->state;

	o->lines.nr = 0;
	vec_for(row, &o->roots.list)
		if (!is_hidden(b, *row))
			outline_add(o, b, *row);
}

size_t outline_count(struct browser *b, const struct view *v)
{
	return ((const struct outline *)v->state)->lines.nr;
}

static struct tree_row *row_at(const struct view *v, size_t line)
{
	const struct outline *o = v->state;

	return line < o->lines.nr ? o->lines.v[line].row : NULL;
}

uint32_t outline_function(struct browser *b, const struct view *v)
{
	const struct tree_row *row = row_at(v, v->cursor);

	return row ? row->function : PROFILE_NONE;
}

/* ---- opening ---- */

/* Opens @row and all rows below it, until *left, the number of stack nodes that may still be looked at, is 0. */
static void open_below(struct browser *b, struct tree_row *row, size_t *left)
{
	if (!*left)
		return;
	row->open = true;
	tree_make_rows(row, &b->model, &b->selection, 0);
	*left -= MIN(*left, row->nodes.nr + row->rows.nr + 1);
	vec_for(below, &row->rows)
		if ((*below)->sum.period >= browser_least(b))
			open_below(b, *below, left);
}

void outline_open_hottest(struct browser *b, struct tree_row *row, unsigned lines)
{
	for (; lines; row = row->rows.v[0]) {
		tree_make_rows(row, &b->model, &b->selection, 0);
		lines -= (unsigned)MIN(lines, row->rows.nr);
		if (!row->rows.nr || !lines || row->rows.v[0]->sum.period < row->sum.period / 2)
			return;
		row->open = true;
	}
}

static void close_below(struct tree_row *row)
{
	row->open = false;
	vec_for(below, &row->rows)
		close_below(*below);
}

static void say_if_too_many(struct browser *b, size_t left)
{
	if (!left)
		browser_say(b, "there are very many rows: the first were opened, 'e' opens what is below one");
}

static void open_all(struct browser *b, struct outline *o)
{
	size_t left = MOST_OPENED;

	vec_for(row, &o->roots.list)
		if (!is_hidden(b, *row))
			open_below(b, *row, &left);
	say_if_too_many(b, left);
}

/* "in " if the function of the row above is inlined into @row's, for a row among callers: f is "in g", and h calls g. */
static const char *word_before(const struct model *m, const struct tree_row *row)
{
	if (row->direction != CALLERS || !row->parent)
		return "";
	return model_is_inlined(m, row->parent->function) ? "in " : "";
}

static void explain_words(struct browser *b, struct tree_row *row)
{
	if (!row || !row->open)
		return;
	tree_make_rows(row, &b->model, &b->selection, 0);
	vec_for(below, &row->rows)
		if (*word_before(&b->model, *below)) {
			browser_say(b, "\"in f\": the function above is inlined into f");
			return;
		}
}

/* Makes the lines again, and keeps the cursor on its row. */
static void list_again(struct browser *b, struct view *v, void (*list)(struct browser *b, struct view *v))
{
	struct outline *o = v->state;
	const struct tree_row *row = row_at(v, v->cursor);

	list(b, v);
	for (size_t i = 0; row && i < o->lines.nr; i++)
		if (o->lines.v[i].row == row)
			v->cursor = i;
}

bool outline_act(struct browser *b, struct view *v, enum action action, void (*list)(struct browser *b, struct view *v))
{
	struct tree_row *row = row_at(v, v->cursor);
	size_t left = MOST_OPENED;

	switch (action) {
	case ACTION_OPEN:
		if (row)
			row->open = !row->open;
		explain_words(b, row);
		break;
	case ACTION_OPEN_BELOW:
		if (row && row->open)
			close_below(row);
		else if (row)
			open_below(b, row, &left);
		say_if_too_many(b, left);
		break;
	case ACTION_OPEN_ALL:
		open_all(b, v->state);
		break;
	case ACTION_CLOSE_ALL:
		while (row && row->parent)
			v->cursor--, row = row_at(v, v->cursor);
		vec_for(root, &((struct outline *)v->state)->roots.list)
			close_below(*root);
		break;
	case ACTION_SIDES:
		vec_for(root, &((struct outline *)v->state)->roots.list)
			tree_sort_below(*root, &b->model, &b->selection);
		break;
	default:
		return false;
	}
	list_again(b, v, list);
	return true;
}

/* ---- drawing ---- */

static unsigned look_of(double percent)
{
	enum style style = style_of_share(percent);

	return style == STYLE_HOT ? LOOK_HOT : style == STYLE_WARM ? LOOK_WARM : LOOK_PLAIN;
}

static unsigned draw_percent(struct browser *b, struct canvas *c, unsigned y, unsigned x, uint64_t period)
{
	double percent = browser_percent(b, period);
	struct buf text = {0};

	buf_printf(&text, "%7.2f%%", percent);
	canvas_put(c, y, x, PERCENT_WIDTH, 0, look_of(percent), text.data, text.len);
	buf_release(&text);
	return x + PERCENT_WIDTH;
}

static unsigned draw_amount(struct browser *b, struct canvas *c, unsigned y, unsigned x, uint64_t period)
{
	struct buf text = {0};
	unsigned width;

	browser_put_amount(b, period, &text);
	width = (unsigned)MIN(text.len, AMOUNT_WIDTH - 1);
	canvas_put(c, y, x + AMOUNT_WIDTH - 1 - width, width, 0, LOOK_PLAIN, text.data, text.len);
	buf_release(&text);
	return x + AMOUNT_WIDTH + 1;
}

static void draw_dso(struct browser *b, struct canvas *c, unsigned y, unsigned x, unsigned width, uint32_t function)
{
	struct buf name = {0}, text = {0};

	buf_put_printable(&name, model_function_dso(&b->model, function));
	fit_file_name(name.data, name.len, width, &text);
	canvas_put(c, y, x, width, 0, LOOK_PLAIN, text.data, text.len);
	buf_release(&name);
	buf_release(&text);
}

/* True if no rows are below @row, as far as this is known before the row is opened. */
static bool is_end(const struct browser *b, const struct tree_row *row)
{
	if (row->is_made)
		return !row->rows.nr;
	if (!row->parent && !row->nodes.nr)
		return !b->input.has_chains;
	vec_for(n, &row->nodes)
		if (row->direction == CALLERS ? n->node != PROFILE_ROOT : b->model.d->stacks.v[n->node].nr_children)
			return false;
	return true;
}

/* Appends "[.] main". The word "in" goes after the level: "[.] in main". */
static void put_function(const struct browser *b, const struct outline *o, const struct tree_row *row, struct buf *out)
{
	struct buf name = {0};
	size_t level;

	if (b->input.compared)
		diff_columns_put_name(b, row, o->differences, &name);
	else
		model_put_function(&b->model, row->function, &name);
	level = name.len > 4 && name.data[0] == '[' && name.data[3] == ' ' ? 4 : 0;
	buf_put(out, name.data, level);
	buf_puts(out, word_before(&b->model, row));
	buf_put(out, name.data + level, name.len - level);
	buf_release(&name);
}

static void put_name(const struct browser *b, const struct outline *o, const struct tree_row *row, struct buf *out)
{
	put_function(b, o, row, out);
	if (!b->verbose || !row->parent)
		return;
	buf_puts(out, "  ");
	buf_put_printable(out, model_function_dso(&b->model, row->function));
}

/* Draws "  + [.] main", shortened to the room in the line, or if it was scrolled sideways, its part that is visible. */
static void draw_name(struct browser *b, const struct view *v, struct canvas *c, unsigned y, unsigned x, const struct tree_row *row,
		      unsigned look)
{
	struct buf name = {0}, text = {0};
	unsigned indent = MIN(2 * row->depth, c->width / 2), room;
	const char *mark = is_end(b, row) ? "  " : row->open ? "- " : "+ ";

	x += indent + canvas_puts(c, y, x + indent, LOOK_FAINT, mark);
	room = x < c->width ? c->width - x : 0;
	put_name(b, v->state, row, &name);
	if (!v->left && room)
		fit_name(name.data, name.len, room, &text);
	else
		buf_put(&text, name.data, name.len);
	canvas_put(c, y, x, room, v->left, look, text.data, text.len);
	buf_release(&name);
	buf_release(&text);
}

void outline_draw_titles(struct browser *b, struct view *v, struct canvas *c, unsigned y)
{
	const struct outline *o = v->state;
	unsigned x = 0;

	if (b->input.compared) {
		diff_columns_draw_titles(b, c, y, o->differences);
		return;
	}
	canvas_puts(c, y, x, LOOK_TITLE, o->both ? "Children" : "Overhead");
	x += PERCENT_WIDTH;
	if (o->both) {
		canvas_puts(c, y, x, LOOK_TITLE, "    Self");
		x += PERCENT_WIDTH;
	}
	canvas_puts(c, y, x, LOOK_TITLE, browser_event(b)->unit == PROFILE_NS ? "      Time" : "    Period");
	x += AMOUNT_WIDTH + 1;
	if (o->dso_width) {
		canvas_puts(c, y, x, LOOK_TITLE, o->dso_width < OUTLINE_DSO_TITLE ? "File" : "Shared object");
		x += o->dso_width + 2;
	}
	canvas_puts(c, y, x + 2, LOOK_TITLE, "Symbol");
}

static unsigned draw_numbers(struct browser *b, const struct outline *o, struct canvas *c, unsigned y, const struct tree_row *row)
{
	unsigned x = 0;

	x = draw_percent(b, c, y, x, row->sum.period);
	if (o->both && !row->parent)
		draw_percent(b, c, y, x, b->selection.self[row->function].period);
	x += o->both ? PERCENT_WIDTH : 0;
	x = draw_amount(b, c, y, x, row->sum.period);
	if (o->dso_width && !row->parent)
		draw_dso(b, c, y, x, o->dso_width, row->function);
	return x + (o->dso_width ? o->dso_width + 2 : 0);
}

void outline_draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t line)
{
	const struct outline *o = v->state;
	const struct tree_row *row = o->lines.v[line].row;
	unsigned x, look = LOOK_PLAIN;

	if (!row) {
		canvas_puts(c, y, 0, LOOK_TITLE, o->lines.v[line].title);
		return;
	}
	x = b->input.compared ? diff_columns_draw_numbers(b, c, y, row, o->differences, &look) : draw_numbers(b, o, c, y, row);
	draw_name(b, v, c, y, x, row, look);
}
