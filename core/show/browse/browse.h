/*
 * Shows a profile in a browser on the terminal, for prec report, prec diff and prec top. The command that calls browse() supplies
 * the profile and the text of annotated functions.
 *
 *	keys --keymap.h--> actions --browser.h--> state --draw.h--> canvas.h --screen.h--> terminal
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
	 * Reads the profile; called in a separate thread, once, or as .wait_ms says. Prints errors, which are held back until the
	 * terminal is restored. Returns 0 and *out, which lives until browse() returns, or -1.
	 */
	int (*load)(void *ctx, struct browse_input *out);
	/*
	 * Appends the annotated code of @function for the samples that pass the filters (@weights, by weight of the profile, of
	 * all events), and the places of its lines to @lines. Returns 0, or -1 if there is none. Called in a separate thread, one
	 * call at a time.
	 */
	int (*annotate)(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *out, struct code_lines *lines);
	/*
	 * Appends the path of @function's source to @path, and sets *line to the line with most of the selected samples in the
	 * function itself, or to its first line if there are none. Returns false if no line is known. NULL: there is no source.
	 */
	bool (*place)(void *ctx, uint32_t function, const struct profile_sum *weights, struct buf *path, uint32_t *line);
	/*
	 * For a profile that is read again while it is shown; NULL: it is not. wait_ms() returns in how many ms to call load()
	 * again; below 0: never. If load() fails, the old profile stays. retire() is called when the old profile is not used any
	 * more.
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
