/*
 * Makes the prec command line that prints the contents of a view of the browser. The view_*.c files call these functions when the
 * user presses y, which copies the command line to the clipboard.
 */
#ifndef CORE_SHOW_BROWSE_COMMAND_H
#define CORE_SHOW_BROWSE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

struct browser;
struct buf;
struct view;

/* Functions for view_ops.command. */
void command_put_sandwich(struct browser *b, struct view *v, struct buf *out);	/* callers, and callees: two commands */
void command_put_tree(struct browser *b, struct view *v, struct buf *out);
void command_put_stacks(struct browser *b, struct view *v, struct buf *out);	/* all stacks, one per line */
void command_put_threads(struct browser *b, struct view *v, struct buf *out);
void command_put_annotate(struct browser *b, struct view *v, struct buf *out);
void command_put_samples(struct browser *b, struct view *v, struct buf *out);

/* The functions view. @open: rows are open; @only: the function whose row alone is open, or PROFILE_NONE. */
void command_put_functions(struct browser *b, bool open, uint32_t only, struct buf *out);
/* Threads over time, in slots of @slot_ns. */
void command_put_timeline(struct browser *b, uint64_t slot_ns, struct buf *out);
/* Adds a command that concerns the whole recording: "prec summary", "prec report --header-only". */
void command_put_recording(struct browser *b, const char *command, struct buf *out);

#endif
