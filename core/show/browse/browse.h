/*
 * The browser: prec report on a terminal. It shows a finished profile; its caller supplies all other texts.
 *
 *	keys --keymap.h--> actions --browser.h--> state --draw--> canvas.h --screen.h--> terminal
 *
 * Layer: browse
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
	 * Read it; called by a thread of its own, once, or as .wait_ms says. Errors are printed: they are kept until the
	 * terminal is whole again. Returns 0 and *out, which lives until browse() returns, or -1.
	 */
	int (*load)(void *ctx, struct browse_input *out);
	/*
	 * Append the text of @function, of samples that pass the filters: @weights, by weight of the profile, of all events; and
	 * to @lines their places. Returns 0, or -1: it has none. Called by a thread of its own, one at a time.
	 */
	int (*annotate)(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *out, struct code_lines *lines);
	/*
	 * Append the path of @function's source to @path and set *line: to the line with most of the samples in the function
	 * itself that pass, without any to where it begins. False: no line of it is known. NULL: none ever is.
	 */
	bool (*place)(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *path, uint32_t *line);
	/*
	 * Reads the profile again while it is shown; all NULL: never. wait_ms() says in how many ms; below 0: never more. If load()
	 * fails, the old profile stays. The old profile is not used any more when retire() is called.
	 */
	int (*wait_ms)(void *ctx);
	void (*retire)(void *ctx);
	/* Writes the screen's contents to a new file, and appends a message about it. */
	void (*write)(void *ctx, struct buf *said);
};

/*
 * Shows it until the user quits. Returns 0, or -1: it cannot be read or shown (printed). A signal that ends programs (SIGINT,
 * SIGTERM, SIGHUP, SIGQUIT, a fault) ends it by that signal, after the terminal is restored; SIGTSTP stops it, and restores
 * the terminal until it is continued.
 */
int browse(const struct browse_opts *opts, const struct browse_source *source);

/*
 * True if the browser is to be shown on @t. @tui, @stdio: the user asked for it, or for text; @text: the option that only
 * text can show, or NULL. Below 0: the user asked for the browser and it cannot run (printed).
 */
int browse_is_wanted(const struct terminal *t, bool tui, bool stdio, const char *text);

#endif
