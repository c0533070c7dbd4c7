/* Views of text: annotate, findings, header, help. Layer: browse */
#include <string.h>

#include "core/browse/command.h"
#include "core/base/terminal.h"
#include "core/browse/views.h"

struct lines {			/* a view's state */
	struct buf text;		/* owned */
	VEC(size_t) starts;	/* of lines in .text; one more than there are */
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

static void take(struct view *v, const struct buf *text)
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

static void make_annotated(struct browser *b, struct view *v)
{
	take(v, &b->annotated);
	/* The filters are others now: so are the numbers. */
	if (!b->annotated.len && !b->is_annotating && v->chosen != PROFILE_NONE) {
		b->wish = WISH_ANNOTATE;
		b->is_annotating = true;
	}
}

/* A line's first number: its percent. */
static unsigned look_of_line(const char *text, size_t len)
{
	char number[16] = "";
	enum style style;

	memcpy(number, text, MIN(len, sizeof(number) - 1));
	style = strspn(number, " ") < 8 ? style_of_share(strtod(number, NULL)) : STYLE_PLAIN;
	return style == STYLE_HOT ? LOOK_HOT : style == STYLE_WARM ? LOOK_WARM : LOOK_PLAIN;
}

static void draw_instruction(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	size_t len;
	const char *text = line_at(v->state, row, &len);
	unsigned look = look_of_line(text, len);

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
	.draw_row = draw_instruction, .search = search, .command = annotate_command,
};

/* ---- findings and header ---- */

static void make_findings(struct browser *b, struct view *v)
{
	static const char none[] = "Nothing is known to be wrong with this profile.\n";

	take(v, b->input.findings && b->input.findings->len ? b->input.findings :
	     &(struct buf){ .data = (char *)(uintptr_t)none, .len = sizeof(none) - 1 });
}

static void findings_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	command_put_recording(b, "summary", out);
}

const struct view_ops view_findings = {
	.name = "findings", .state_size = sizeof(struct lines), .make = make_findings, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = findings_command,
};

static void make_header(struct browser *b, struct view *v)
{
	take(v, b->input.header);
}

static void header_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)v;
	command_put_recording(b, "report --header-only -I", out);
}

const struct view_ops view_header = {
	.name = "header", .state_size = sizeof(struct lines), .make = make_header, .release = release, .count = count,
	.draw_row = draw_row, .search = search, .command = header_command,
};

/* ---- help ---- */

static size_t count_help(struct browser *b, const struct view *v)
{
	size_t nr;

	(void)b, (void)v;
	keymap(&nr);
	return nr;
}

static void draw_help(struct browser *b, struct view *v, struct canvas *c, unsigned y, size_t row)
{
	size_t nr;
	const struct keymap_row *k = &keymap(&nr)[row];

	(void)b;
	canvas_put(c, y, 2, 12, 0, LOOK_TITLE, k->shown, strlen(k->shown));
	if (c->width > 14)
		canvas_put(c, y, 14, c->width - 14, v->left, LOOK_PLAIN, k->help, strlen(k->help));
}

static bool search_help(struct browser *b, struct view *v, bool next)
{
	size_t nr;
	const struct keymap_row *rows = keymap(&nr);

	for (size_t i = next; i < nr + next; i++)
		if (strstr(rows[(v->cursor + i) % nr].help, buf_str(&b->search))) {
			v->cursor = (v->cursor + i) % nr;
			return true;
		}
	return false;
}

static void help_command(struct browser *b, struct view *v, struct buf *out)
{
	(void)b, (void)v;
	buf_puts(out, "man prec-report");
}

const struct view_ops view_help = {
	.name = "help", .count = count_help, .draw_row = draw_help, .search = search_help, .command = help_command,
};
