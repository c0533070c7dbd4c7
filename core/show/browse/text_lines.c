/*
 * Finds the line starts of a text, and draws and searches single lines, for the browser's views that show text, such as the help
 * (text_lines.h).
 */
#include "core/show/browse/text_lines.h"

#include <string.h>

static void find_lines(struct text_lines *l)
{
	l->starts.nr = 0;
	vec_push(&l->starts, 0);
	for (size_t i = 0; i < l->text.len; i++)
		if (l->text.data[i] == '\n')
			vec_push(&l->starts, i + 1);
	if (l->text.len && l->text.data[l->text.len - 1] != '\n')
		vec_push(&l->starts, l->text.len + 1);
}

void text_lines_set(struct text_lines *l, const struct buf *text)
{
	l->text.len = 0;
	if (text)
		buf_put(&l->text, text->data, text->len);
	find_lines(l);
}

void text_lines_release(struct text_lines *l)
{
	buf_release(&l->text);
	vec_free(&l->starts);
}

size_t text_lines_nr(const struct text_lines *l)
{
	return l->starts.nr ? l->starts.nr - 1 : 0;
}

const char *text_lines_at(const struct text_lines *l, size_t line, size_t *len)
{
	*len = l->starts.v[line + 1] - 1 - l->starts.v[line];
	return l->text.data + l->starts.v[line];
}

bool text_lines_match(const struct text_lines *l, size_t line, const struct browser *b)
{
	size_t len;
	const char *text = text_lines_at(l, line, &len);

	return b->search.len && memmem(text, len, b->search.data, b->search.len);
}

void text_lines_draw(const struct text_lines *l, size_t line, const struct browser *b, const struct view *v, struct canvas *c,
		     unsigned y, unsigned x, unsigned room)
{
	size_t len;
	const char *text = text_lines_at(l, line, &len);

	canvas_put(c, y, x, room, v->left, text_lines_match(l, line, b) ? LOOK_FOUND : LOOK_PLAIN, text, len);
}
