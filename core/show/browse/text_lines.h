/*
 * Holds a text as lines, and draws and searches single lines, for the browser's views that show text (view_text.c,
 * view_annotate.c).
 */
#ifndef CORE_SHOW_BROWSE_TEXT_LINES_H
#define CORE_SHOW_BROWSE_TEXT_LINES_H

#include "core/base/buf.h"
#include "core/show/browse/browser.h"

struct text_lines {		/* = {0} has no lines; text_lines_release() */
	struct buf text;	/* owned */
	VEC(size_t) starts;	/* where each line begins in .text, and one more for the end */
};

/* Copies @text; NULL: there are no lines. */
void text_lines_set(struct text_lines *l, const struct buf *text);
void text_lines_release(struct text_lines *l);
size_t text_lines_nr(const struct text_lines *l);
const char *text_lines_at(const struct text_lines *l, size_t line, size_t *len);
bool text_lines_match(const struct text_lines *l, size_t line, const struct browser *b);
/* Puts the line at column @x, into at most @room columns. */
void text_lines_draw(const struct text_lines *l, size_t line, const struct browser *b, const struct view *v, struct canvas *c,
		     unsigned y, unsigned x, unsigned room);

#endif
