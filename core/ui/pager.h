/*
 * Shows output that is longer than the screen in a pager: $PREC_PAGER, $PAGER, or less if it is installed. If the variable is
 * empty or "cat", there is no pager.
 * Layer: ui
 */
#ifndef CORE_UI_PAGER_H
#define CORE_UI_PAGER_H

#include "core/base/util.h"

struct buf;
struct pager;
struct terminal;

/*
 * From here on standard output goes to a pager, standard error too if it is the same terminal. While it runs ^C is the
 * pager's. @end_with_it: leaving the pager ends this program, too. NULL if there is no pager, or @t is no terminal for it.
 */
struct pager *pager_start(const struct terminal *t, bool end_with_it);
/* Wait until it has been left; the outputs are then what they were. NULL is fine. */
void pager_end(struct pager *p);

/*
 * Writes @out, all of a command's text, to standard output: by a pager if it has more lines than @t. @out is empty then.
 * Returns 0 or -errno; -EPIPE is no error to a reader that has seen enough.
 */
int pager_show(const struct terminal *t, bool no_pager, struct buf *out);
/* The same; less begins with line @line, counted from 1, in the middle, unless the first screen has it. 0: with the first. */
int pager_show_at(const struct terminal *t, bool no_pager, size_t line, struct buf *out);

#endif
