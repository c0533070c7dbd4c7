/*
 * prec report on a terminal: the browser.
 * Layer: cmd
 */
#ifndef CMD_REPORT_BROWSE_H
#define CMD_REPORT_BROWSE_H

#include <stdbool.h>

struct report_opts;
struct terminal;

/*
 * Is the browser to be opened? @t is standard output. By itself it is on a terminal, unless an option asks for what only text has.
 * Says why not where --tui asked for it. Below 0: that cannot be, which was said.
 */
int report_wants_browser(const struct report_opts *o, const struct terminal *t);

/* Returns the exit status. */
int report_browse(const struct report_opts *o, const struct terminal *t);

#endif
