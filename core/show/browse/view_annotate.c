/*
 * Draws the browser's annotate view: a function's source lines and instructions, each with its percentage of the samples.
 * core/show/report/annotate.c makes the text.
 */
#include <stdlib.h>
#include <string.h>

#include "core/show/browse/command.h"
#include "core/show/browse/function_samples.h"
#include "core/show/browse/text_lines.h"
#include "core/show/browse/views.h"
#include "core/ui/fit.h"
#include "core/ui/terminal.h"

#define BESIDE_COLUMNS 120u	/* a screen of this width or more has source to the left of the instructions */
#define INSN_COLUMNS 56u	/* the instructions' least width then; source takes no more columns than its longest line */

struct hot_line { size_t line; double percent; };

/* A row of the screen: one or two lines of the text, CODE_NO_LINE: none. With both, source is on the left. */
struct code_row { size_t source, insn; };

struct annotated {		/* the view's state */
	struct text_lines lines;
	VEC(struct code_row) rows;
	VEC(size_t) row_of;	/* by line: its row */
	unsigned beside;	/* source is to the left of the instructions, which begin at this column; 0: it is between them */
	uint64_t serial;	/* .annotated.serial of the browser when this text was made */
	VEC(struct hot_line) hot;	/* the hottest first */
	size_t hot_at;		/* index in .hot of the line that the cursor went to last */
	uint32_t lead;		/* nothing to annotate: the function that Enter annotates instead; PROFILE_NONE: none */
};

static const struct code_line *place_of(const struct browser *b, size_t line)
{
	return line < b->annotated.lines.list.nr ? &b->annotated.lines.list.v[line] : NULL;
}

static bool is_source(const struct browser *b, size_t line)
{
	const struct code_line *place = place_of(b, line);

	return place && place->file && !place->is_insn;
}

static bool is_instruction(const struct browser *b, size_t line)
{
	const struct code_line *place = place_of(b, line);

	return place && place->is_insn;
}

/* ---- rows ---- */

static void add_row(struct annotated *a, size_t source, size_t insn)
{
	vec_push(&a->rows, ((struct code_row){ source, insn }));
}

static unsigned column_beside(const struct browser *b, const struct annotated *a)
{
	unsigned longest = 0;

	for (size_t i = 0; i < text_lines_nr(&a->lines); i++) {
		size_t len;
		const char *text = text_lines_at(&a->lines, i, &len);

		if (is_source(b, i))
			longest = MAX(longest, (unsigned)MIN(text_columns(text, len), b->width));
	}
	return MIN(longest + 2, b->width - MAX(INSN_COLUMNS, b->width * 2 / 5));
}

static bool has_source(const struct browser *b)
{
	vec_for(place, &b->annotated.lines.list)
		if (place->file && !place->is_insn)
			return true;
	return false;
}

/* Makes the rows. On a wide screen a line of source is in the same row as its first instruction. */
static void lay_out(struct browser *b, struct annotated *a)
{
	size_t nr = text_lines_nr(&a->lines);

	a->beside = b->width >= BESIDE_COLUMNS && !b->source_between && has_source(b) ? column_beside(b, a) : 0;
	a->rows.nr = a->row_of.nr = 0;
	for (size_t i = 0; i < nr; i++) {
		bool insn = is_instruction(b, i), joins = false;

		if (a->beside && insn && a->rows.nr) {
			const struct code_row *last = &a->rows.v[a->rows.nr - 1];

			joins = last->insn == CODE_NO_LINE && is_source(b, last->source);
		}
		if (joins)
			a->rows.v[a->rows.nr - 1].insn = i;
		else
			add_row(a, insn ? CODE_NO_LINE : i, insn ? i : CODE_NO_LINE);
		vec_push(&a->row_of, a->rows.nr - 1);
	}
}

static size_t first_line(const struct code_row *row)
{
	return row->source != CODE_NO_LINE ? row->source : row->insn;
}

static size_t count(struct browser *b, const struct view *v)
{
	const struct annotated *a = v->state;

	return a->rows.nr;
}

static void release(struct view *v)
{
	struct annotated *a = v->state;

	text_lines_release(&a->lines);
	vec_free(&a->rows);
	vec_free(&a->row_of);
	vec_free(&a->hot);
}

static bool row_matches(const struct annotated *a, const struct code_row *row, const struct browser *b)
{
	return (row->source != CODE_NO_LINE && text_lines_match(&a->lines, row->source, b)) ||
	       (row->insn != CODE_NO_LINE && text_lines_match(&a->lines, row->insn, b));
}

static bool search(struct browser *b, struct view *v, bool next)
{
	const struct annotated *a = v->state;

	for (size_t i = next; i < a->rows.nr + next; i++) {
		size_t row = (v->cursor + i) % a->rows.nr;

		if (row_matches(a, &a->rows.v[row], b)) {
			v->cursor = row;
			return true;
		}
	}
	return false;
}

/* ---- the hottest lines ---- */

/* Returns the percentage at the beginning of a line; below 0: it has none. */
static double percent_of_line(const char *text, size_t len)
{
	char number[16] = "", *end;
	double percent;

	memcpy(number, text, MIN(len, sizeof(number) - 1));
	percent = strtod(number, &end);
	return strspn(number, " ") < 8 && end > number && *end == ' ' ? percent : -1;
}

ORDER(by_percent, struct hot_line, compare_numbers(b->percent, a->percent) ?: compare_numbers(a->line, b->line))

/* The hottest line is first: source lines, or without source instructions. */
static void find_hot(const struct browser *b, struct annotated *a)
{
	bool by_source = has_source(b);

	a->hot.nr = a->hot_at = 0;
	for (size_t i = 0; i < text_lines_nr(&a->lines); i++) {
		size_t len;
		const char *text = text_lines_at(&a->lines, i, &len);
		double percent = percent_of_line(text, len);

		if (percent > 0 && (by_source ? is_source(b, i) : is_instruction(b, i)))
			vec_push(&a->hot, ((struct hot_line){ i, percent }));
	}
	vec_sort(&a->hot, by_percent);
}

static void put_cursor(struct view *v, size_t row)
{
	v->cursor = row;
	v->top = row > v->page / 3 ? row - v->page / 3 : 0;	/* some lines above it are on the screen, too */
}

static void go_to_hot(struct view *v, size_t at)
{
	struct annotated *a = v->state;

	if (!a->hot.nr)
		return;
	a->hot_at = at;
	put_cursor(v, a->row_of.v[a->hot.v[at].line]);
}

/* ---- making ---- */

/* True if filters leave out samples. A text filter only hides rows. */
static bool filters_samples(const struct browser *b)
{
	vec_for(f, &b->filters.list)
		if (f->kind != FILTER_TEXT)
			return true;
	return false;
}

/* Explains why there is nothing to annotate, and which function can be annotated instead. */
static void explain_nothing(struct browser *b, struct view *v)
{
	struct function_samples most = function_samples_of(&b->model, &b->selection, v->chosen);
	struct annotated *a = v->state;
	struct buf text = {0};

	buf_printf(&text, "No sample%s was taken in the code of\n  ", filters_samples(b) ? " that passes the filters" : "");
	model_put_function(&b->model, v->chosen, &text);
	buf_puts(&text, " itself.\n");
	if (most.function != PROFILE_NONE) {
		buf_printf(&text, "Samples are in what it calls. The most, %.2f%%, are in\n  ",
			   browser_percent(b, most.sum.period));
		model_put_function(&b->model, most.function, &text);
		buf_puts(&text, "\nEnter annotates that.\n");
	}
	text_lines_set(&a->lines, &text);
	a->lead = most.function;
	buf_release(&text);
}

/* Lays out the same text for another size, and keeps the cursor on its line. */
static void lay_out_again(struct browser *b, struct view *v)
{
	struct annotated *a = v->state;
	size_t line = v->cursor < a->rows.nr ? first_line(&a->rows.v[v->cursor]) : 0;

	lay_out(b, a);
	if (line < a->row_of.nr)
		put_cursor(v, a->row_of.v[line]);
}

/* Takes the annotated text, if it is of this function and these filters. Otherwise requests a new one. */
static void make(struct browser *b, struct view *v)
{
	struct annotated *a = v->state;
	bool is_it = b->annotated.function == v->chosen && b->annotated.selected == b->selected;

	if (is_it && a->serial == b->annotated.serial && a->lines.text.len) {
		lay_out_again(b, v);
		return;
	}
	a->serial = is_it ? b->annotated.serial : 0;
	a->lead = PROFILE_NONE;
	text_lines_set(&a->lines, is_it ? &b->annotated.text : NULL);
	if (is_it && !b->annotated.text.len)
		explain_nothing(b, v);
	lay_out(b, a);
	find_hot(b, a);
	go_to_hot(v, 0);
	if (!is_it && !b->is_annotating && v->chosen != PROFILE_NONE) {
		b->request = REQUEST_ANNOTATE;
		b->is_annotating = true;
	}
}

/* ---- actions ---- */

static bool follow_lead(struct browser *b, struct view *v)
{
	const struct annotated *a = v->state;

	if (a->lead == PROFILE_NONE)
		return false;
	v->chosen = a->lead;
	v->cursor = v->top = 0;
	make(b, v);
	return true;
}

/* Returns the row to which the instruction at the cursor jumps; CODE_NO_LINE: it does not jump in this text. */
static size_t jump_target(const struct browser *b, const struct view *v)
{
	const struct annotated *a = v->state;
	const struct code_line *place = v->cursor < a->rows.nr ? place_of(b, a->rows.v[v->cursor].insn) : NULL;

	return place && place->target < a->row_of.nr ? a->row_of.v[place->target] : CODE_NO_LINE;
}

static bool follow(struct browser *b, struct view *v)
{
	size_t target = jump_target(b, v);

	if (target == CODE_NO_LINE)
		return follow_lead(b, v);
	v->cursor = target;
	return true;
}

static void edit_line(struct browser *b, const struct view *v)
{
	const struct annotated *a = v->state;
	const char *path = NULL;
	uint32_t line;

	if (v->cursor < a->rows.nr)
		path = code_lines_place(&b->annotated.lines, first_line(&a->rows.v[v->cursor]), &line);
	if (!path) {
		browser_say(b, "no line of source is known there");
		return;
	}
	b->edit.path.len = 0;
	buf_puts(&b->edit.path, path);
	b->edit.line = line;
	b->request = REQUEST_EDIT;
}

static void turn_source(struct browser *b, struct view *v)
{
	b->source_between = !b->source_between;
	if (b->width < BESIDE_COLUMNS)
		browser_say(b, "source stands between the instructions: beside them from %u columns on", BESIDE_COLUMNS);
	lay_out_again(b, v);
}

static void go_to_other_hot(struct browser *b, struct view *v, enum action action)
{
	const struct annotated *a = v->state;
	size_t last = a->hot.nr - 1;

	if (!a->hot.nr)
		browser_say(b, "no line has samples");
	else if (action == ACTION_HOTTEST)
		go_to_hot(v, 0);
	else if (action == ACTION_COOLER)
		go_to_hot(v, a->hot_at < last ? a->hot_at + 1 : 0);
	else
		go_to_hot(v, a->hot_at ? a->hot_at - 1 : last);
}

static bool act(struct browser *b, struct view *v, enum action action)
{
	switch (action) {
	case ACTION_ENTER:
		return follow(b, v);
	case ACTION_EDIT:
		edit_line(b, v);
		return true;
	case ACTION_BESIDE:
		turn_source(b, v);
		return true;
	case ACTION_HOTTEST: case ACTION_COOLER: case ACTION_HOTTER:
		go_to_other_hot(b, v, action);
		return true;
	default:
		return false;
	}
}

/* ---- drawing ---- */

static unsigned look_of_percent(const char *text, size_t len)
{
	double percent = percent_of_line(text, len);
	enum style style = style_of_share(percent);

	return style == STYLE_HOT ? LOOK_HOT : style == STYLE_WARM ? LOOK_WARM : percent == 0 ? LOOK_FAINT : LOOK_PLAIN;
}

static void draw_line(const struct browser *b, struct view *v, struct canvas *c, unsigned y, unsigned x, unsigned room, size_t line)
{
	const struct annotated *a = v->state;
	size_t len;
	const char *text = text_lines_at(&a->lines, line, &len);
	unsigned look = look_of_percent(text, len);

	if (look == LOOK_FAINT && a->row_of.v[line] == v->cursor)
		look = LOOK_PLAIN;	/* faint and reversed would be a grey patch */
	text_lines_draw(&a->lines, line, b, v, c, y, x, room);
	if (look != LOOK_PLAIN && !v->left)
		canvas_put(c, y, x, MIN(room, 8), 0, look, text, len);
}

/* Returns the column of the colon between numbers and code in the instruction at the cursor; 0: it has no colon. */
static unsigned colon_column(const struct view *v)
{
	const struct annotated *a = v->state;
	size_t len;
	const char *text = text_lines_at(&a->lines, a->rows.v[v->cursor].insn, &len), *colon = memmem(text, len, " : ", 3);

	return colon ? (unsigned)(colon - text) + 1 : 0;
}

/* Draws @row's part of the arrow from the cursor's jump to its target, in place of the colons, as in perf's browser. */
static void draw_jump(const struct browser *b, const struct view *v, struct canvas *c, unsigned y, unsigned x, size_t row)
{
	size_t target = jump_target(b, v);
	bool is_end = row == v->cursor || row == target, is_upper = row == MIN(v->cursor, target);
	unsigned column;

	if (target == CODE_NO_LINE || target == v->cursor || v->left || row < MIN(v->cursor, target) ||
	    row > MAX(v->cursor, target))
		return;
	column = colon_column(v);
	if (!column || x + column + 2 > c->width)
		return;
	x += column;
	if (!is_end)
		canvas_fill(c, y, x, 1, LOOK_FOUND, c->utf8 ? 0x2502 : '|');
	else
		canvas_fill(c, y, x, 1, LOOK_FOUND, !c->utf8 ? '+' : is_upper ? 0x250c : 0x2514);
	if (is_end)
		canvas_fill(c, y, x + 1, 1, LOOK_FOUND, row == target ? '>' : c->utf8 ? 0x2500 : '-');
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t number)
{
	const struct annotated *a = v->state;
	const struct code_row *row = &a->rows.v[number];
	unsigned half = row->insn != CODE_NO_LINE || is_source(b, row->source) ? a->beside : 0;

	if (row->source != CODE_NO_LINE)
		draw_line(b, v, c, y, 0, half ? half - 1 : c->width, row->source);
	if (row->insn != CODE_NO_LINE)
		draw_line(b, v, c, y, half, c->width - half, row->insn);
	draw_jump(b, v, c, y, half, number);
}

const struct view_ops view_annotate = {
	.name = "annotate", .state_size = sizeof(struct annotated), .make = make, .release = release, .count = count,
	.draw_row = draw_row, .act = act, .search = search, .command = command_put_annotate,
	.hints = "H hottest\0Tab next\0O editor\0Enter jump\0/ search\0t thread\0T time\0n next\0y command\0",
};
