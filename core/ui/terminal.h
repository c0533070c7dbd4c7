/*
 * Properties of a terminal: its size, its colours. Commands detect them once and pass them down; no lower layer reads the
 * environment.
 * Layer: ui
 */
#ifndef CORE_UI_TERMINAL_H
#define CORE_UI_TERMINAL_H

#include "core/base/util.h"

struct buf;

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal_opts {			/* as the command line has them */
	enum color_when color;
	bool no_pager, wide, all;	/* wide: names are not shortened; all: nothing is summed up */
};

struct terminal {
	bool is_terminal;
	bool colors;
	bool dumb;			/* TERM says that it can do nothing: no colours, no pager */
	unsigned width, height;		/* 80 and 24 if it does not say */
};

/*
 * Look at the descriptor @fd. By itself colours are for terminals only, and not with TERM=dumb or a NO_COLOR that is not
 * empty (https://no-color.org).
 */
void terminal_detect(struct terminal *out, int fd, const struct terminal_opts *opts);

/* "auto", "always", "never". Returns 0 or -1, and prints nothing. */
int color_when_parse(enum color_when *out, const char *text);

enum style { STYLE_PLAIN, STYLE_TITLE, STYLE_HOT, STYLE_WARM, STYLE_FAINT, STYLE_ALERT };

/* From here on text looks so, until STYLE_PLAIN. Nothing if there are no @colors. */
void put_style(struct buf *out, bool colors, enum style style);
/* How a share of @percent looks: from 5 % on it is hot, from 0.5 % on warm, as with perf. */
enum style style_of_share(double percent);

#endif
