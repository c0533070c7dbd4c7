/* Shows a recording in the browser (prec report on a terminal). Layer: cmd */
#ifndef CMD_REPORT_BROWSE_H
#define CMD_REPORT_BROWSE_H

#include <stdbool.h>

struct pieces;
struct report_opts;
struct terminal;

/*
 * True if the browser is to be opened. @t is standard output. It is the default on a terminal, unless an option needs text.
 * Prints why not after --tui. Below 0: it was required and cannot run (printed).
 */
int report_wants_browser(const struct report_opts *o, const struct terminal *t);

/* Shows a recording in progress, which is read again and again; @title: its name for the first line. Returns the exit status. */
int report_browse_pieces(const struct report_opts *o, const struct terminal *t, struct pieces *pieces, const char *title);
/* Returns the exit status. */
int report_browse(const struct report_opts *o, const struct terminal *t);

#endif
