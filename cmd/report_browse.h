/*
 * Shows a recording in the browser on the terminal (core/show/browse/browse.h): a finished one for prec report, and one that is
 * still growing for prec top.
 * Layer: cmd
 */
#ifndef CMD_REPORT_BROWSE_H
#define CMD_REPORT_BROWSE_H

#include <stdbool.h>

struct pieces;
struct report_opts;
struct terminal;

/*
 * True if the browser is to be opened. This is the default if standard output, @t, is a terminal, unless an option needs text.
 * Returns a number below 0, after printing the reason, if --tui requires the browser but it cannot run.
 */
int report_wants_browser(const struct report_opts *o, const struct terminal *t);

/*
 * Shows a recording: with @pieces NULL a finished one, else the one in progress, which it rereads repeatedly, with @title in the
 * first line. Returns the exit status.
 */
int report_browse(const struct report_opts *o, const struct terminal *t, struct pieces *pieces, const char *title);

#endif
