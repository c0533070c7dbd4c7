/* Draws the browser's state. Layer: browse */
#ifndef CORE_SHOW_BROWSE_DRAW_H
#define CORE_SHOW_BROWSE_DRAW_H

struct browser;
struct buf;
struct canvas;

/* Draws all of it. @doing: a line about the work outside; NULL: none. */
void browser_draw(struct browser *b, struct canvas *c, const char *doing);
/* All rows of the view as text, for REQUEST_PRINT. */
void browser_print(struct browser *b, struct buf *out);

#endif
