/* Shows a comparison of recordings in the browser (core/show/browse/browse.h), for prec diff on a terminal. Layer: cmd */
#ifndef CMD_DIFF_BROWSE_H
#define CMD_DIFF_BROWSE_H

#include <stdbool.h>

struct compare_opts;
struct compared_list;
struct input_opts;

/* Reads the recordings in @all and shows their comparison. Returns the exit status. */
int diff_browse(struct compared_list *all, const struct compare_opts *o, const struct input_opts *input);

#endif
