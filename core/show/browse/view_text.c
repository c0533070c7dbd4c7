/* Views of text: annotate, findings, header, processes, help. Layer: browse */
#include <stdlib.h>
#include <string.h>

#include "core/show/browse/command.h"
#include "core/ui/terminal.h"
#include "core/show/browse/function_samples.h"
#include "core/show/browse/views.h"

struct hot_line { size_t line; double percent; };

struct lines {			/* a view's state */
	struct buf text;		/* owned */
	VEC(size_t) starts;	/* of lines in .text; one more than there are */
	VEC(struct hot_line) hot;	/* of annotate: the hottest first */
	size_t hot_at;			/* the one in .hot that was gone to last */
	uint32_t lead;			/* of annotate: the function that Enter leads to; PROFILE_NONE: none */
};

static void find_lines(struct lines *l)
{
	l->starts.nr = 0;
	vec_push(&l->starts, 0);
	for (size_t i = 0; i < l->text.len; i++)
		if (l->text.data[i] == '\n')
			vec_push(&l->starts, i + 1);
	if (l->text.len && l->text.data[l->text.len - 1] != '\n')
		vec_push(&l->starts, l->text.len + 1);
}

static void set_text(struct view *v, const struct buf *text)
{
	struct lines *l = v->state;

	l->text.len = 0;
	if (text)
		buf_put(&l->text, text->data, text->len);
	find_lines(l);
}

static void release(struct view *v)
{
	struct lines *l = v->state;

	buf_release(&l->text);
	vec_free(&l->starts);
	vec_free(&l->hot);
}

static size_t count(struct browser *b, const struct view *v)
{
	const struct lines *l = v->state;

	(void)b;
	return l->starts.nr ? l->starts.nr - 1 : 0;
}

static const char *line_at(const struct lines *l, size_t line, size_t *len)
{
	*len = l->starts.v[line + 1] - 1 - l->starts.v[line];
	return l->text.data + l->starts.v[line];
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	const char *found = NULL, *text;
	size_t len;

	text = line_at(v->state, row, &len);
	if (b->search.len)
		found = memmem(text, len, b->search.data, b->search.len);
	canvas_put(c, y, 0, c->width, v->left, found ? LOOK_FOUND : LOOK_PLAIN, text, len);
}

static bool search(struct browser *b, struct view *v, bool next)
{
	size_t nr = count(b, v), len;

	for (size_t i = next; i < nr + next; i++) {
		size_t line = (v->cursor + i) % nr;
		const char *text = line_at(v->state, line, &len);

		if (memmem(text, len, b->search.data, b->search.len)) {
			v->cursor = line;
			return true;
		}
	}
	return false;
}

/* ---- annotate ---- */

/* The first number of a line, its percent; below 0: it has none. */
static double percent_of_line(const char *text, size_t len)
{
	char number[16] = "", *end;
	double percent;

	memcpy(number, text, MIN(len, sizeof(number) - 1));
	percent = strtod(number, &end);
	return strspn(number, " ") < 8 && end > number && *end == ' ' ? percent : -1;
}

/* "   12.59 :   13d6:> shrl $0xd, %eax"; a line of source has "demo.c:37" there. */
static bool is_instruction(const char *text, size_t len)
{
	const char *at = memmem(text, len, " : ", 3), *end = text + len;

	if (!at)
		return false;
	for (at += 3; at < end && *at == ' ';)
		at++;
	while (at < end && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')))
		at++;
	return end - at > 1 && at[0] == ':' && (at[1] == ' ' || at[1] == '>');
}

static int by_percent(const void *pa, const void *pb)
{
	const struct hot_line *a = pa, *b = pb;

	if (a->percent != b->percent)
		return a->percent < b->percent ? 1 : -1;
	return compare_numbers(a->line, b->line);
}

/* Fills .hot: the source lines that have a share of the samples, hottest first; instructions if there is no source. */
static void find_hot(struct lines *l)
{
	bool below_source = false;

	l->hot.nr = l->hot_at = 0;
	for (size_t i = 0; i + 1 < l->starts.nr; i++) {
		size_t len;
		const char *text = line_at(l, i, &len);
		double percent = percent_of_line(text, len);
		bool is_source = memmem(text, len, " : ", 3) && !is_instruction(text, len);

		below_source |= is_source;
		if (percent > 0 && (is_source || !below_source))
			vec_push(&l->hot, ((struct hot_line){ i, percent }));
	}
	if (l->hot.nr)
		qsort(l->hot.v, l->hot.nr, sizeof(*l->hot.v), by_percent);
}

static void go_to_hot(struct view *v, size_t at)
{
	struct lines *l = v->state;

	if (!l->hot.nr)
		return;
	l->hot_at = at;
	v->cursor = l->hot.v[at].line;
	v->top = v->cursor > v->page / 3 ? v->cursor - v->page / 3 : 0;	/* with what stands above it */
}

/* True if filters leave out samples. A text filter only hides rows. */
static bool filters_samples(const struct browser *b)
{
	vec_for(f, &b->filters.list)
		if (f->kind != FILTER_TEXT)
			return true;
	return false;
}

/* Why there is nothing to annotate, and what there is instead. */
static void explain_nothing(struct browser *b, struct view *v)
{
	struct samples_below most = samples_below_of(&b->model, &b->selection, v->chosen);
	struct lines *l = v->state;
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
	set_text(v, &text);
	l->lead = most.function;
	buf_release(&text);
}

/* Text made for another function or with other filters is not shown. */
static void make_annotated(struct browser *b, struct view *v)
{
	bool is_it = b->annotated.function == v->chosen && b->annotated.selected == b->selected;

	((struct lines *)v->state)->lead = PROFILE_NONE;
	set_text(v, is_it ? &b->annotated.text : NULL);
	if (is_it && !b->annotated.text.len)
		explain_nothing(b, v);
	find_hot(v->state);
	go_to_hot(v, 0);
	if (!is_it && !b->is_annotating && v->chosen != PROFILE_NONE) {
		b->request = REQUEST_ANNOTATE;
		b->is_annotating = true;
	}
}

static bool follow_lead(struct browser *b, struct view *v)
{
	const struct lines *l = v->state;

	if (l->lead == PROFILE_NONE)
		return false;
	v->chosen = l->lead;
	v->cursor = v->top = 0;
	make_annotated(b, v);
	return true;
}

static void edit_line(struct browser *b, const struct view *v)
{
	uint32_t line;
	const char *path = code_lines_place(&b->annotated.lines, v->cursor, &line);

	if (!path) {
		browser_say(b, "no line of source is known there");
		return;
	}
	b->edit.path.len = 0;
	buf_puts(&b->edit.path, path);
	b->edit.line = line;
	b->request = REQUEST_EDIT;
}

static bool act_annotated(struct browser *b, struct view *v, enum action action)
{
	const struct lines *l = v->state;
	size_t last = l->hot.nr - 1;

	if (action == ACTION_ENTER)
		return follow_lead(b, v);
	if (action == ACTION_EDIT) {
		edit_line(b, v);
		return true;
	}
	if (action != ACTION_HOTTEST && action != ACTION_COOLER && action != ACTION_HOTTER)
		return false;
	if (!l->hot.nr)
		browser_say(b, "no line has samples");
	else if (action == ACTION_HOTTEST)
		go_to_hot(v, 0);
	else if (action == ACTION_COOLER)
		go_to_hot(v, l->hot_at < last ? l->hot_at + 1 : 0);
	else
		go_to_hot(v, l->hot_at ? l->hot_at - 1 : last);
	return true;
}

/* How the percent at the beginning of a line is shown: the hotter, the more it stands out. */
static unsigned look_of_percent(const char *text, size_t len)
{
	enum style style = style_of_share(percent_of_line(text, len));

	return style == STYLE_HOT ? LOOK_HOT : style == STYLE_WARM ? LOOK_WARM : LOOK_PLAIN;
}

static void draw_instruction(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	size_t len;
	const char *text = line_at(v->state, row, &len);
	unsigned look = look_of_percent(text, len);

	draw_row(b, v, c, y, row);
	if (look != LOOK_PLAIN && !v->left)
		canvas_put(c, y, 0, 8, 0, look, text, len);
}

static void annotate_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	command_put_annotate(b, out);
}

const struct view_ops view_annotate = {
	.name = "annotate", .state_size = sizeof(struct lines), .make = make_annotated, .release = release, .count = count,
	.draw_row = draw_instruction, .act = act_annotated, .search = search, .command = annotate_command,
};

/* ---- findings and header ---- */

static void make_findings(struct browser *b, struct view *v)
{
	static const char none[] = "Nothing is known to be wrong with this profile.\n";

	set_text(v, b->input.findings && b->input.findings->len ? b->input.findings :
	     &(struct buf){ .data = (char *)(uintptr_t)none, .len = sizeof(none) - 1 });
}

static void findings_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	command_put_recording(b, b->input.compared ? "verify" : "summary", out);
}

const struct view_ops view_findings = {
	.name = "findings", .state_size = sizeof(struct lines), .make = make_findings, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = findings_command,
};

static void make_header(struct browser *b, struct view *v)
{
	struct buf text = {0};

	if (!b->input.compared) {
		set_text(v, b->input.header);
		return;
	}
	buf_puts(&text, b->difference ? b->difference->all : "");
	set_text(v, &text);
	buf_release(&text);
}

static void header_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	if (b->input.compared)
		command_put_functions(b, false, PROFILE_NONE, out);
	else
		command_put_recording(b, "report --header-only -I", out);
}

const struct view_ops view_header = {
	.name = "header", .state_size = sizeof(struct lines), .make = make_header, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = header_command,
};

static void make_processes(struct browser *b, struct view *v)
{
	set_text(v, b->input.processes);
}

static void processes_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	command_put_recording(b, "report --tasks", out);
}

const struct view_ops view_processes = {
	.name = "processes", .state_size = sizeof(struct lines), .make = make_processes, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = processes_command,
};

/* ---- help ---- */

#define HELP_INDENT	14u

/* "  Enter       the menu of the row", in lines of @width columns. */
static void put_help(const struct keymap_row *row, unsigned width, struct buf *out)
{
	size_t room = MAX(width, HELP_INDENT + 20) - HELP_INDENT;
	const char *at = row->help;

	buf_printf(out, "  %-11s ", row->shown);
	while (strlen(at) > room) {
		size_t n = room;

		while (n && at[n] != ' ')
			n--;
		n = n ? n : room;
		buf_printf(out, "%.*s\n%*s", (int)n, at, (int)HELP_INDENT, "");
		at += n + (at[n] == ' ');
	}
	buf_printf(out, "%s\n", at);
}

static void put_help_of(const struct browser *b, enum view_id view, bool general, struct buf *out)
{
	size_t nr;
	const struct keymap_row *rows = keymap(&nr);

	for (size_t i = 0; i < nr; i++)
		if (!rows[i].views == general && keymap_applies(&rows[i], view, browser_kind(b)))
			put_help(&rows[i], b->width, out);
}

/* The keys of the view that one came from, those of all views, and then those of others alone. */
static void make_help(struct browser *b, struct view *v)
{
	enum view_id from = b->before.nr ? b->before.v[b->before.nr - 1] : VIEW_FUNCTIONS;
	struct buf text = {0};
	size_t nr;
	const struct keymap_row *rows = keymap(&nr);

	buf_printf(&text, "In this view: %s\n", b->views[from].ops->name);
	put_help_of(b, from, false, &text);
	buf_puts(&text, "\nIn all views\n");
	put_help_of(b, from, true, &text);
	buf_puts(&text, "\nIn other views\n");
	for (size_t i = 0; i < nr; i++)
		if (keymap_has(&rows[i], browser_kind(b)) && !keymap_applies(&rows[i], from, browser_kind(b)))
			put_help(&rows[i], b->width, &text);
	set_text(v, &text);
	buf_release(&text);
}

static void draw_help(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	size_t len;
	const char *text = line_at(v->state, row, &len);

	draw_row(b, v, c, y, row);
	if (!v->left && len && *text != ' ')
		canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text, len);
	else if (!v->left)
		canvas_put(c, y, 0, HELP_INDENT, 0, LOOK_TITLE, text, MIN(len, HELP_INDENT - 1));
}

static void help_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	buf_puts(out, b->opts->compares ? "man prec-diff" : b->opts->watches ? "man prec-top" : "man prec-report");
}

const struct view_ops view_help = {
	.name = "help", .state_size = sizeof(struct lines), .make = make_help, .release = release, .count = count,
	.draw_row = draw_help, .search = search, .command = help_command,
};
