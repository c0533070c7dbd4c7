/* Shows a comparison in the browser (prec diff on a terminal). Layer: cmd */
#ifndef CMD_DIFF_BROWSE_H
#define CMD_DIFF_BROWSE_H

#include <stdbool.h>

struct compare_opts;
struct compared_list;
struct input_opts;

/* Read what @all names and show it. Returns the exit status. */
int diff_browse(struct compared_list *all, const struct compare_opts *o, const struct input_opts *input);

#endif
