/*
 * The terminal: shows a canvas, and reads keys. screen_curses.c uses ncurses and its terminfo; screen_none.c stands in for it if
 * ncurses is missing.
 * Layer: browse
 */
#ifndef CORE_SHOW_BROWSE_SCREEN_H
#define CORE_SHOW_BROWSE_SCREEN_H

#include <stdbool.h>

#include "core/show/browse/canvas.h"

struct screen;

/* True if this program was built with the screen. */
bool screen_is_built(void);
/* True if standard output is a terminal that can be drawn on. */
bool screen_is_possible(void);
/* Take the terminal that standard output is; keys come from there, too, if standard input is none. NULL: it cannot be. */
struct screen *screen_open(bool colors);
/* The terminal is then as it was. NULL is fine. */
void screen_close(struct screen *s);
/*
 * As screen_close(), from a signal handler or another thread, if the program ends next: @s is not freed, and what its thread
 * still draws goes nowhere. NULL is fine.
 */
void screen_leave(struct screen *s);
/* The terminal is as it was, until screen_resume(). */
void screen_suspend(struct screen *s);
/* Take the terminal again, whatever another program made of it, and draw all of it the next time. */
void screen_resume(struct screen *s);
/* True if we may change the terminal, as its foreground job. */
bool screen_is_ours(const struct screen *s);

/* Let @c have the size of the terminal. */
void screen_resize(struct screen *s, struct canvas *c);
void screen_show(struct screen *s, const struct canvas *c);
/* Redraws all of it the next time. */
void screen_spoil(struct screen *s);
/* To be polled: a key may be there. */
int screen_fd(const struct screen *s);
/* The next key, as in keys.h; -1: there is none now, 0: it is none that has a meaning. */
int screen_key(struct screen *s);
/* Ask the terminal to keep @text as what was copied: OSC 52 of xterm. */
void screen_copy(struct screen *s, const char *text);

#endif
