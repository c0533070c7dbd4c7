/*
 * Defines the canvas, a grid of characters on which the browser draws a whole screen. screen.h then copies the canvas to the
 * terminal. Text is cut at the edges of the canvas, and wide characters take two columns.
 */
#ifndef CORE_SHOW_BROWSE_CANVAS_H
#define CORE_SHOW_BROWSE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum look {
	LOOK_PLAIN, LOOK_TITLE, LOOK_HOT, LOOK_WARM, LOOK_FAINT, LOOK_ALERT, LOOK_BAR, LOOK_OTHER_BAR, LOOK_KERNEL_BAR,
	LOOK_OTHER_KERNEL_BAR, LOOK_FOUND,
	LOOK_MORE, LOOK_LESS,		/* prec diff: B takes more or less than A */
	NR_LOOKS,
	LOOK_REVERSED = 0x40,		/* a flag: reversed, for the cursor and the first line */
	LOOK_FILLED = 0x80,		/* a flag: a box in the look's colour with dark text; without colours reversed */
};

struct cell {
	uint32_t character;		/* 0: the right half of the wide character before */
	uint8_t look;
};

struct canvas {
	unsigned width, height;
	bool utf8;			/* the locale is UTF-8, so the terminal shows more than ASCII */
	int cursor_x, cursor_y;		/* where text is typed; below 0: nowhere */
	struct cell *cells;		/* owned; width * height */
};

/* Resizes and clears the canvas. A size of 0 is taken as 1. The locale must have been set before, for wcwidth(3). */
void canvas_resize(struct canvas *c, unsigned width, unsigned height);
void canvas_clear(struct canvas *c);
void canvas_release(struct canvas *c);

/*
 * Puts @text, UTF-8, at column @x of line @y, into at most @room columns. Leaves out the first @skip columns of the text, and
 * combining marks. A wide character that is cut at either end becomes a blank. Control characters and invalid UTF-8 become
 * '?'. Returns the number of columns used.
 */
unsigned canvas_put(struct canvas *c, unsigned y, unsigned x, unsigned room, unsigned skip, unsigned look, const char *text,
		    size_t len);
/* Like canvas_put() for a string, in the rest of the line. */
unsigned canvas_puts(struct canvas *c, unsigned y, unsigned x, unsigned look, const char *text);
void canvas_fill(struct canvas *c, unsigned y, unsigned x, unsigned n, unsigned look, uint32_t character);
/* Adds @look, a flag such as LOOK_REVERSED, to @n columns of line @y from @x on, and keeps their text. */
void canvas_add_look(struct canvas *c, unsigned y, unsigned x, unsigned n, unsigned look);

/* How many columns the @len bytes of @text take. */
size_t canvas_columns(const struct canvas *c, const char *text, size_t len);

#endif
