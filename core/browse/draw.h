/* Draws the browser's state. Layer: browse */
#ifndef CORE_BROWSE_DRAW_H
#define CORE_BROWSE_DRAW_H

struct browser;
struct buf;
struct canvas;

/* Draw all of it. @doing: what is being done outside, in a line; NULL: nothing. */
void browser_draw(struct browser *b, struct canvas *c, const char *doing);
/* All rows of the view as text, for WISH_PRINT. */
void browser_print(struct browser *b, struct buf *out);

#endif
