/*
 * Shows a profile in a browser on the terminal, for prec report, diff and top. The caller, such as cmd/report_browse.c, supplies
 * the profile and the text of annotated functions.
 *
 *	keys --keymap.h--> actions --browser.h--> state --draw.h--> canvas.h --screen.h--> terminal
 *
 */
#ifndef CORE_SHOW_BROWSE_BROWSE_H
#define CORE_SHOW_BROWSE_BROWSE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/show/browse/input.h"

struct buf;
struct code_lines;
struct terminal;

struct browse_source {
	void *ctx;
	/*
	 * Reads the profile. Called in a separate thread, once, or with .wait_ms again and again. Errors that it prints are held
	 * back until the terminal is restored. Returns 0 and *out, which must live until browse() returns or a newer profile is
	 * shown (.retire), or -1.
	 */
	int (*load)(void *ctx, struct browse_input *out);
	/*
	 * Appends the annotated code of @function for the samples that pass the filters, and the source place of each line to
	 * @lines. @weights has the sums of these samples by weight of the profile, for all events. Returns 0, or -1 if there is no
	 * code. Called in a separate thread, one call at a time.
	 */
	int (*annotate)(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *out, struct code_lines *lines);
	/*
	 * Appends the path of @function's source to @path. Sets *line to the line with most of the samples in @weights that were
	 * taken in the function itself, or without such samples, to the function's first line. Returns false if no line is known.
	 * NULL: no source is available.
	 */
	bool (*place)(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *path, uint32_t *line);
	/*
	 * For prec top, whose profile is read again while it is shown; else NULL. wait_ms() returns in how many ms to call load()
	 * again, or below 0 for never. If load() fails, the old profile stays. retire() is called when the browser does not use the
	 * old profile any more.
	 */
	int (*wait_ms)(void *ctx);
	void (*retire)(void *ctx);
	/* For prec top: writes a recording of the last minute to a new file, and appends a message about it. Else NULL. */
	void (*write)(void *ctx, struct buf *said);
};

/*
 * Shows the browser until the user quits. Returns 0, or -1 after printing why the profile cannot be read or shown. A signal that
 * ends programs (SIGINT, SIGTERM, SIGHUP, SIGQUIT, a fault) ends the process by that signal after the terminal is restored. SIGTSTP
 * restores the terminal and stops the process until it is continued.
 */
int browse(const struct browse_opts *opts, const struct browse_source *source);

/* Below 0 (printed): with @tui, @text (an option that only text has; NULL: none) is set, or the build has no browser. */
int browse_is_wanted(const struct terminal *t, bool tui, bool stdio, const char *text);

#endif
