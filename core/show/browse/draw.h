/* Draws the browser's state (browser.h) on a canvas (canvas.h), or prints all rows of the current view as text. Layer: browse */
#ifndef CORE_SHOW_BROWSE_DRAW_H
#define CORE_SHOW_BROWSE_DRAW_H

struct browser;
struct buf;
struct canvas;

/* Draws the whole screen. @doing: the work that a thread does meanwhile, for the last line; NULL: none. */
void browser_draw(struct browser *b, struct canvas *c, const char *doing);
/* Appends all rows of the view as text, for REQUEST_PRINT. */
void browser_print(struct browser *b, struct buf *out);

#endif
