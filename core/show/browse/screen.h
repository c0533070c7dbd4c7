/*
 * Shows a canvas (canvas.h) on the terminal, and reads keys from the terminal. screen_curses.c uses ncurses with terminfo. A build
 * without ncurses has no browser (browse_none.c).
 */
#ifndef CORE_SHOW_BROWSE_SCREEN_H
#define CORE_SHOW_BROWSE_SCREEN_H

#include <stdbool.h>

#include "core/show/browse/canvas.h"

struct screen;

/* True if standard output is a terminal that can be drawn on: terminfo knows it, and its cursor can be moved. */
bool screen_is_possible(void);
/* Reads keys from standard input, or if that is no terminal, from /dev/tty. NULL: the terminal cannot be opened. */
struct screen *screen_open(bool colors);
/* NULL is fine. */
void screen_close(struct screen *s);
/* For a signal handler or another thread at the end: does not free @s; later output of its thread is lost. NULL is fine. */
void screen_leave(struct screen *s);
/* Restores the terminal until screen_resume(). */
void screen_suspend(struct screen *s);
/* Takes the terminal again after another program may have used it. The next screen_show() draws the whole screen. */
void screen_resume(struct screen *s);
/* True if this process is in the terminal's foreground group, and so may change the terminal. */
bool screen_is_ours(const struct screen *s);

void screen_resize(struct screen *s, struct canvas *c);
void screen_show(struct screen *s, const struct canvas *c);
void screen_spoil(struct screen *s);
/* A descriptor to poll: it is readable if a key may have been pressed. */
int screen_fd(const struct screen *s);
/* The next key, as in keys.h; -1: none was pressed; 0: an unknown key. */
int screen_key(struct screen *s);
/* Asks the terminal to copy @text to the clipboard (OSC 52 of xterm). */
void screen_copy(struct screen *s, const char *text);

#endif
