/*
 * Shows the browser's four views that are plain text: the findings (problems of the recording), the recording's header, the
 * processes, and the help.
 */
#include <stdlib.h>
#include <string.h>

#include "core/show/browse/command.h"
#include "core/show/browse/text_lines.h"
#include "core/show/browse/views.h"

static void release(struct view *v)
{
	text_lines_release(v->state);
}

static size_t count(struct browser *b, const struct view *v)
{
	return text_lines_nr(v->state);
}

static void draw_row(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	text_lines_draw(v->state, row, b, v, c, y, 0, c->width);
}

static bool search(struct browser *b, struct view *v, bool next)
{
	size_t nr = count(b, v);

	for (size_t i = next; i < nr + next; i++) {
		size_t line = (v->cursor + i) % nr;

		if (text_lines_match(v->state, line, b)) {
			v->cursor = line;
			return true;
		}
	}
	return false;
}

static void make_findings(struct browser *b, struct view *v)
{
	static const char none[] = "Nothing is known to be wrong with this profile.\n";

	text_lines_set(v->state, b->input.findings && b->input.findings->len ? b->input.findings :
	     &(struct buf){ .data = (char *)(uintptr_t)none, .len = sizeof(none) - 1 });
}

static void findings_command(struct browser *b, struct view *v, struct buf *out)
{
	command_put_recording(b, b->input.compared ? "verify" : "summary", out);
}

const struct view_ops view_findings = {
	.name = "findings", .state_size = sizeof(struct text_lines), .make = make_findings, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = findings_command,
};

static void make_header(struct browser *b, struct view *v)
{
	struct buf text = {0};

	if (!b->input.compared) {
		text_lines_set(v->state, b->input.header);
		return;
	}
	buf_puts(&text, b->difference ? b->difference->all : "");
	text_lines_set(v->state, &text);
	buf_release(&text);
}

static void header_command(struct browser *b, struct view *v, struct buf *out)
{
	if (b->input.compared)
		command_put_functions(b, false, PROFILE_NONE, out);
	else
		command_put_recording(b, "report --header-only -I", out);
}

const struct view_ops view_header = {
	.name = "header", .state_size = sizeof(struct text_lines), .make = make_header, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = header_command,
};

static void make_processes(struct browser *b, struct view *v)
{
	text_lines_set(v->state, b->input.processes);
}

static void processes_command(struct browser *b, struct view *v, struct buf *out)
{
	command_put_recording(b, "report --tasks", out);
}

const struct view_ops view_processes = {
	.name = "processes", .state_size = sizeof(struct text_lines), .make = make_processes, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = processes_command,
};

/* ---- help ---- */

#define HELP_INDENT	14u

/* Appends "  Enter       the menu of the row, with its whole name", in lines of @width columns. */
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

/* Lists the keys of the view from which the help was opened, then the keys of all views, and then the keys of other views. */
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
	text_lines_set(v->state, &text);
	buf_release(&text);
}

static void draw_help(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	size_t len;
	const char *text = text_lines_at(v->state, row, &len);

	draw_row(b, v, c, y, row);
	if (!v->left && len && *text != ' ')
		canvas_put(c, y, 0, c->width, 0, LOOK_TITLE, text, len);
	else if (!v->left)
		canvas_put(c, y, 0, HELP_INDENT, 0, LOOK_TITLE, text, MIN(len, HELP_INDENT - 1));
}

static void help_command(struct browser *b, struct view *v, struct buf *out)
{
	buf_puts(out, b->opts->compares ? "man prec-diff" : b->opts->watches ? "man prec-top" : "man prec-report");
}

const struct view_ops view_help = {
	.name = "help", .state_size = sizeof(struct text_lines), .make = make_help, .release = release, .count = count,
	.draw_row = draw_help, .search = search, .command = help_command,
};
