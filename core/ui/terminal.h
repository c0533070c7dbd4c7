/*
 * Detects the size of a terminal and whether it shows colours, and writes the colours of text. A command calls terminal_detect()
 * once, and passes the resulting struct terminal to the code that prints.
 */
#ifndef CORE_UI_TERMINAL_H
#define CORE_UI_TERMINAL_H

#include "core/base/util.h"

struct buf;

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal_opts {			/* as given on the command line */
	enum color_when color;
	bool no_pager, wide, all;	/* wide: do not shorten names; all: do not summarize */
};

struct terminal {
	bool is_terminal;
	bool colors;
	bool dumb;			/* TERM is unset or "dumb": no colours, no pager */
	unsigned width, height;		/* 80 and 24 if unknown */
};

/* Finds the properties of @fd. COLOR_AUTO: colours on a terminal, but not with TERM=dumb or NO_COLOR (https://no-color.org). */
void terminal_detect(struct terminal *out, int fd, const struct terminal_opts *opts);

/* Parses "auto", "always" or "never". Returns 0 or -1, and prints nothing. */
int color_when_parse(enum color_when *out, const char *text);

enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_HOT, STYLE_WARM, STYLE_FAINT, STYLE_ALERT };

/* Sets the style of the following text, until STYLE_PLAIN. Does nothing without @colors. */
void put_style(struct buf *out, bool colors, enum style style);
/* The style of a share of @percent: hot from 5 % on, warm from 0.5 % on, as in perf. */
enum style style_of_share(double percent);

#endif
