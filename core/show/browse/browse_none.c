/*
 * Takes the place of browse.c and screen_curses.c in a build without ncurses. prec report then prints text and does not open the
 * browser.
 */
#include "core/show/browse/browse.h"

#include "core/base/log.h"

int browse(const struct browse_opts *opts, const struct browse_source *source)
{
	return -1;
}

int browse_is_wanted(const struct terminal *t, bool tui, bool stdio, const char *text)
{
	if (!tui)
		return false;
	if (text)
		return error("the browser does not show what %s asks for: leave out one of the two", text);
	return error("this prec was built without ncursesw, and has no browser: --stdio prints text");
}
