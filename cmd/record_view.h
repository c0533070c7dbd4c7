/*
 * Shows the new recording at the end of prec record. The option --open shows it in the browser of prec report. The option -o
 * NAME.html writes an HTML page and keeps no recording.
 * Layer: cmd
 */
#ifndef CMD_RECORD_VIEW_H
#define CMD_RECORD_VIEW_H

#include <stdbool.h>

struct record_opts;

/* True if the output's name asks for a page, and not for a recording: "x.html". */
bool record_wants_page(const struct record_opts *o);
/* For a page, call it before recording: redirects the recording to a file next to the page. Returns 0 or -1 (printed). */
int record_plan_page(struct record_opts *o);
/* Call it after recording: writes the page and removes the recording, or keeps it if the page failed. Returns the exit status. */
int record_write_page(const struct record_opts *o);
/* Shows the recording in the browser, as "prec report" does, in place of this program. Returns only on failure (printed): 1. */
int record_open_view(const struct record_opts *o);

#endif
