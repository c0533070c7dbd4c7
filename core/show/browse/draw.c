/*
 * Draws the browser's screen on a canvas (canvas.h): the title, the active filters, the rows of the current view, and a last line
 * with keys, a message or a prompt. Each view draws its own rows (view_*.c).
 */
#include "core/show/browse/browser.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "core/perfdata/event_table.h"
#include "core/sched/wall.h"
#include "core/show/browse/diff_columns.h"
#include "core/ui/fit.h"

#define TITLE_LINES	2u	/* lines above the view in a file; on a terminal a finding may take a third */
#define LEAST_HEIGHT	4u	/* a lower screen has only the rows of the view */
#define LEAST_NAME	12u	/* columns, below which the title names no function */

/* ---- the lines above ---- */

/* Appends ": A 2.02 s, B 2.10 s", the amounts of both sides. */
static void put_sides(const struct browser *b, struct buf *out)
{
	const struct browse_compared *c = b->input.compared;

	buf_puts(out, ": A ");
	c->put_amount(c->ctx, b->event, sum_of_a(&b->selection.total), out);
	buf_puts(out, ", B ");
	c->put_amount(c->ctx, b->event, b->selection.total.of_b, out);
	if (b->selection.shown != SHOWN_DIFFERENCE)
		buf_printf(out, " (%s)", diff_columns_shown(b));
}

/* Appends "cpu-clock: 8093 samples, 2.02 s of CPU". With @brief it leaves out what "wall time" means. */
static void put_event(const struct browser *b, bool brief, struct buf *out)
{
	const struct profile_event *e = browser_event(b);
	const char *name = profile_string(b->model.profile, e->name);

	buf_put_printable(out, name);
	if (b->input.compared) {
		put_sides(b, out);
		return;
	}
	buf_printf(out, ": %llu sample%s, ", (unsigned long long)b->selection.total.nr, b->selection.total.nr == 1 ? "" : "s");
	browser_put_amount(b, b->selection.total.period, out);
	buf_puts(out, e->unit != PROFILE_NS ? " counted" : str_eq(name, OFF_CPU_NAME) ? " off the CPU" :
		 !str_eq(name, WALL_EVENT) ? " of CPU" : brief ? " of wall time" : " of wall time, running and waiting");
}

/* Appends the function whose code is shown, as the line of the text that names it is mostly scrolled away. */
static void put_annotated(const struct browser *b, unsigned room, struct buf *out)
{
	const char *name = b->view == VIEW_ANNOTATE && b->input.profile ?
			   model_function_name(&b->model, b->views[VIEW_ANNOTATE].chosen) : NULL;
	struct buf printable = {0};

	if (!name || out->len + LEAST_NAME > room)
		return;
	buf_put_printable(&printable, name);
	buf_puts(out, "  ");
	fit_name(printable.data, printable.len, room - out->len - 1, out);
	buf_release(&printable);
}

static void draw_title(const struct browser *b, struct canvas *c)
{
	struct buf right = {0}, left = {0};
	unsigned width;

	canvas_fill(c, 0, 0, c->width, LOOK_REVERSED, ' ');
	buf_puts(&left, b->opts->compares ? " prec diff  " : b->opts->watches ? " prec top  " : " prec report  ");
	buf_put_printable(&left, b->opts->title);
	if (b->input.profile)
		put_event(b, false, &right);
	if (right.len && left.len + right.len + 1 > c->width) {
		right.len = 0;
		put_event(b, true, &right);
	}
	if (b->age > 1)		/* normally the profile is read again each second */
		buf_printf(&right, ", read %u s ago", b->age);
	buf_putc(&right, ' ');
	width = (unsigned)MIN(canvas_columns(c, right.data, right.len), c->width);
	put_annotated(b, c->width - width, &left);
	canvas_put(c, 0, 0, c->width > width + 1 ? c->width - width - 1 : 0, 0, LOOK_TITLE | LOOK_REVERSED, left.data, left.len);
	canvas_put(c, 0, c->width - width, width, 0, LOOK_REVERSED, right.data, right.len);
	buf_release(&right);
	buf_release(&left);
}

#define WRAPS_FROM	12u	/* a terminal with this many lines has room for a finding in two lines */

/* Appends the filters and the answer of prec diff, else the worst finding, else the quality. Returns the text's look. */
static unsigned put_filters(const struct browser *b, const struct canvas *c, bool wraps, struct buf *out)
{
	filters_put(&b->filters, &b->model, out);
	if (b->difference) {
		buf_puts(out, out->len ? ": " : "");
		put_wrapped(out, b->difference->answer, out->len, 0, wraps ? c->width - 1 : SIZE_MAX);
	}
	if (out->len)
		return LOOK_TITLE;
	if (b->input.worst && b->input.worst->len) {
		put_wrapped(out, buf_str(b->input.worst), 0, 0, wraps ? c->width - 1 : SIZE_MAX);
		return LOOK_ALERT;
	}
	if (b->input.quality)
		buf_put(out, b->input.quality->data, b->input.quality->len);
	return 0;
}

/* Draws the text of put_filters() in one line, or with @wraps in up to two. Returns the number of lines. */
static unsigned draw_filters(const struct browser *b, struct canvas *c, bool wraps)
{
	struct buf text = {0};
	unsigned look = put_filters(b, c, wraps, &text), lines = 0;
	const char *line = buf_str(&text), *end = line;

	while (lines < 1 || (lines < 2 && *end)) {
		line = lines ? end + 1 : line;
		end = line + strcspn(line, "\n");
		canvas_put(c, 1 + lines++, 1, c->width - 1, 0, look, line, (size_t)(end - line));
	}
	if (c->width > 3 && (*end || canvas_columns(c, line, (size_t)(end - line)) > c->width - 1))
		canvas_puts(c, lines, c->width - 3, look, "...");
	buf_release(&text);
	return lines;
}

/* ---- the line below ---- */

/* Appends "Tab offcpu-time  " if another event has samples and Tab means the next event in this view. */
static void put_next_event(const struct browser *b, struct buf *out)
{
	uint32_t next = b->input.profile && b->view != VIEW_ANNOTATE ? browser_next_event(b, false) : b->event;

	if (next == b->event)
		return;
	buf_puts(out, "Tab ");
	buf_put_printable(out, profile_string(b->model.profile, b->model.d->events.v[next].name));
	buf_puts(out, "  ");
}

/* Appends the most useful keys of the view as far as @room columns allow. The last two are always there. */
static void put_hints(const struct browser *b, size_t room, struct buf *out)
{
	static const char others[] = "/ search\0n next\0y command\0", of_top[] = "w write  ";
	const struct view_ops *ops = b->views[b->view].ops;
	const char *last = b->view == VIEW_FUNCTIONS ? "? help  q quit" : "? help  q back";
	const char *words = b->opts->compares ? ops->diff_hints : ops->hints;
	size_t before = out->len;

	put_next_event(b, out);
	buf_puts(out, b->opts->watches ? of_top : "");
	room -= MIN(room, strlen(last) + out->len - before);
	for (const char *word = words ? words : others; *word; word += strlen(word) + 1) {
		if (strlen(word) + 2 > room || (b->opts->watches && str_starts(word, "y ")))
			continue;
		buf_printf(out, "%s  ", word);
		room -= strlen(word) + 2;
	}
	buf_puts(out, last);
}

/* Appends how many rows the typed filter keeps: "3 of 412 functions, 12.50% own time in them". */
static void put_left(const struct browser *b, struct buf *out)
{
	uint64_t total = b->selection.total.period;

	buf_printf(out, "%u of %u function%s, %.2f%% own %s in them", b->nr_shown, b->nr_functions,
		   b->nr_functions == 1 ? "" : "s",
		   total ? 100.0 * (double)(total - MIN(b->hidden, total)) / (double)total : 0,
		   browser_event(b)->unit == PROFILE_NS ? "time" : "samples");
}

static void draw_prompt(struct browser *b, struct canvas *c, unsigned y)
{
	const char *before = b->prompt.kind == PROMPT_LIMIT ? "leave out rows below this percentage: " :
			     b->prompt.kind == PROMPT_TIME ? "only seconds from,to since the first sample: " :
			     browser_view(b)->ops->search ? "search: " : "only functions with: ";
	unsigned x = canvas_puts(c, y, 0, LOOK_TITLE, before), room = x + 1 < c->width ? c->width - x - 1 : 0;
	size_t columns = canvas_columns(c, b->prompt.text.data, b->prompt.text.len);

	x += canvas_put(c, y, x, room, columns > room ? (unsigned)(columns - room) : 0, LOOK_PLAIN, b->prompt.text.data,
			b->prompt.text.len);
	c->cursor_x = (int)x;
	c->cursor_y = (int)y;
	if (browser_filters_typed(b) && b->prompt.text.len) {
		struct buf left = {0};

		put_left(b, &left);
		if (x + 2 + left.len < c->width)
			canvas_puts(c, y, c->width - (unsigned)left.len, LOOK_FAINT, buf_str(&left));
		buf_release(&left);
	}
}

static void draw_status(struct browser *b, struct canvas *c, unsigned y, const char *doing)
{
	const struct view *v = browser_view(b);
	struct buf text = {0};
	size_t nr = v->ops->count && b->input.profile ? v->ops->count(b, v) : 0;

	if (b->prompt.kind != PROMPT_NONE) {
		draw_prompt(b, c, y);
		return;
	}
	canvas_fill(c, y, 0, c->width, LOOK_REVERSED, ' ');
	if (doing)
		buf_printf(&text, " %s", doing);
	else if (b->message.len)
		buf_printf(&text, " %s", buf_str(&b->message));
	else if (nr)
		buf_printf(&text, " %s %zu/%zu  ", v->ops->name, v->cursor + 1, nr);
	else
		buf_printf(&text, " %s  ", v->ops->name);
	if (!doing && !b->message.len)
		put_hints(b, c->width - MIN(text.len, c->width), &text);
	buf_escape_from(&text, 0, "");
	canvas_put(c, y, 0, c->width, 0, LOOK_REVERSED | (b->message.len || doing ? LOOK_TITLE : LOOK_PLAIN), text.data, text.len);
	buf_release(&text);
}

/* ---- above the view: prompt, menu, command ---- */

static const char *menu_text(const struct browser *b, const struct keymap_row *row)
{
	switch (row->action) {
	case ACTION_OPEN:
		if (b->view == VIEW_SANDWICH)
			return "open or close the row";
		if (b->view == VIEW_TREE ? b->inverted : b->direction == CALLERS)
			return "open or close the row: its callers";
		return "open or close the row: its callees";
	case ACTION_THREAD:
		return filters_find(&b->filters, FILTER_THREAD) ? "all threads again" :
		       "only one thread: choose it in the list of all";
	case ACTION_TIMELINE:
		return "only a range of time: choose it in the timeline";
	default:
		return row->help;
	}
}

/* Draws the menu of the row below the row's whole name, which the views shorten. */
static void draw_menu(const struct browser *b, struct canvas *c)
{
	unsigned width, inner, x, y, lines, room = c->height - MIN(c->height, (unsigned)b->menu.rows.nr + 2);
	struct buf name = {0};
	size_t columns;

	model_put_function(&b->model, b->menu.function, &name);
	columns = canvas_columns(c, name.data, name.len);
	width = (unsigned)MIN(columns, c->width) + 2;
	vec_for(row, &b->menu.rows)
		width = MAX(width, (unsigned)strlen(menu_text(b, *row)) + 13);
	width = MIN(width, c->width);
	inner = MAX(width, 3) - 2;
	lines = (unsigned)MIN((columns + inner - 1) / inner, room);
	x = (c->width - width) / 2;
	y = MAX((room - lines) / 2, 1);
	for (unsigned i = 0; i < lines; i++, y++) {
		canvas_fill(c, y, x, width, LOOK_BAR, ' ');
		canvas_put(c, y, x + 1, inner, i * inner, LOOK_BAR | LOOK_TITLE, name.data, name.len);
	}
	buf_release(&name);
	for (size_t i = 0; i < b->menu.rows.nr; i++, y++) {
		unsigned look = LOOK_BAR | LOOK_FILLED | (i == b->menu.cursor ? LOOK_REVERSED : 0);

		canvas_fill(c, y, x, width, look, ' ');
		canvas_put(c, y, x + 1, MIN(10, width), 0, look, b->menu.rows.v[i]->shown, strlen(b->menu.rows.v[i]->shown));
		canvas_put(c, y, x + 12, width > 13 ? width - 13 : 0, 0, look, menu_text(b, b->menu.rows.v[i]),
			   strlen(menu_text(b, b->menu.rows.v[i])));
	}
}

/* Draws the command in the last lines, wrapped at the edge, and without a frame so that the user can select it with the mouse. */
static void draw_command(struct browser *b, struct canvas *c)
{
	const char *text = buf_str(&b->command);
	size_t columns = canvas_columns(c, text, b->command.len);
	unsigned lines = (unsigned)MIN((columns + c->width - 1) / c->width, c->height), y = c->height - MIN(lines + 1, c->height);

	canvas_fill(c, y, 0, c->width, LOOK_REVERSED, ' ');
	canvas_puts(c, y, 0, LOOK_TITLE | LOOK_REVERSED, " This prints the same; it was copied, where the terminal can:");
	for (unsigned i = 0; i < lines; i++) {
		canvas_fill(c, y + 1 + i, 0, c->width, LOOK_PLAIN, ' ');
		canvas_put(c, y + 1 + i, 0, c->width, i * c->width, LOOK_PLAIN, text, b->command.len);
	}
}

/* ---- the view ---- */

static void draw_rows(struct browser *b, struct canvas *c, unsigned y, unsigned end)
{
	struct view *v = browser_view(b);
	size_t nr = v->ops->count(b, v);

	if (v->ops->draw_titles && !b->no_titles && y + 1 < end)
		v->ops->draw_titles(b, v, c, y++);
	view_follow(b, v, end > y ? end - y : 1);
	for (size_t i = v->top; i < nr && y < end; i++, y++) {
		v->ops->draw_row(b, v, c, y, i);
		if (i == v->cursor)
			canvas_add_look(c, y, 0, c->width, LOOK_REVERSED);
	}
	if (!nr && !b->is_annotating)
		canvas_puts(c, y, 2, LOOK_FAINT, "nothing is here: no sample passes the filters");
}

static void draw_view(struct browser *b, struct canvas *c, unsigned y, unsigned end)
{
	struct view *v = browser_view(b);

	if (!b->input.profile && b->view != VIEW_HELP)
		return;
	if (v->ops->draw)
		v->ops->draw(b, v, c, y, end);
	else
		draw_rows(b, c, y, end);
}

void browser_draw(struct browser *b, struct canvas *c, const char *doing)
{
	bool small = c->height < LEAST_HEIGHT;
	unsigned y = 0;

	canvas_clear(c);
	if (!small) {
		draw_title(b, c);
		y = 1 + draw_filters(b, c, c->height >= WRAPS_FROM);
	}
	draw_view(b, c, y, small ? c->height : c->height - 1);
	if (!small || b->prompt.kind != PROMPT_NONE)
		draw_status(b, c, c->height - 1, doing);
	if (b->menu.is_open)
		draw_menu(b, c);
	if (b->command.len)
		draw_command(b, c);
}

/* ---- as text ---- */

#define PRINT_WIDTH	400u
#define PRINT_ROWS	20000u

static void put_line(struct buf *out, const struct canvas *c, unsigned y)
{
	const struct cell *cells = c->cells + (size_t)y * c->width;
	unsigned n = c->width;

	while (n && cells[n - 1].character == ' ')
		n--;
	for (unsigned x = 0; x < n; x++)
		if (cells[x].character)
			utf8_put(out, cells[x].character);
	buf_putc(out, '\n');
}

void browser_print(struct browser *b, struct buf *out)
{
	struct view *v = browser_view(b), before = *v;
	size_t nr = v->ops->count ? MIN(v->ops->count(b, v), PRINT_ROWS) : b->height;
	struct canvas c = { .utf8 = true };

	canvas_resize(&c, PRINT_WIDTH, (unsigned)nr + 1 + TITLE_LINES);
	draw_title(b, &c);
	draw_filters(b, &c, false);
	v->top = 0;
	draw_view(b, &c, TITLE_LINES, c.height);
	v->top = before.top;
	v->page = before.page;
	for (unsigned y = 0; y < c.height; y++)
		put_line(out, &c, y);
	canvas_release(&c);
}
