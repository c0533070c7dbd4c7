/*
 * Takes the place of screen_curses.c in a build without ncurses. screen_is_built() returns false, so prec report prints text and
 * does not open the browser.
 * Layer: browse
 */
#include "core/show/browse/screen.h"

#include <stddef.h>

bool screen_is_built(void)
{
	return false;
}

bool screen_is_possible(void)
{
	return false;
}

struct screen *screen_open(bool colors)
{
	(void)colors;
	return NULL;
}

void screen_close(struct screen *s)
{
	(void)s;
}

void screen_leave(struct screen *s)
{
	(void)s;
}

void screen_suspend(struct screen *s)
{
	(void)s;
}

void screen_resume(struct screen *s)
{
	(void)s;
}

bool screen_is_ours(const struct screen *s)
{
	(void)s;
	return false;
}

void screen_resize(struct screen *s, struct canvas *c)
{
	(void)s, (void)c;
}

void screen_show(struct screen *s, const struct canvas *c)
{
	(void)s, (void)c;
}

void screen_spoil(struct screen *s)
{
	(void)s;
}

int screen_fd(const struct screen *s)
{
	(void)s;
	return -1;
}

int screen_key(struct screen *s)
{
	(void)s;
	return -1;
}

void screen_copy(struct screen *s, const char *text)
{
	(void)s, (void)text;
}
