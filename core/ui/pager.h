/* Shows the output of a command in a pager, such as less. terminal.h finds the size of the screen. */
#ifndef CORE_UI_PAGER_H
#define CORE_UI_PAGER_H

#include "core/base/util.h"

struct buf;
struct pager;
struct terminal;

/*
 * The pager gets standard output, and standard error if it is the same terminal, and alone handles ^C. @end_with_it: leaving it
 * ends this program. NULL: no pager ($PREC_PAGER, $PAGER or less; "" and "cat" mean none), or @t cannot show one.
 */
struct pager *pager_start(const struct terminal *t, bool end_with_it);
/* Waits until the user leaves the pager, and restores the outputs. NULL is fine. */
void pager_end(struct pager *p);

/* Writes and empties @out, by a pager if it has more lines than @t. Returns 0 or -errno; -EPIPE: the reader has seen enough. */
int pager_show(const struct terminal *t, bool no_pager, struct buf *out);
/* Like pager_show(), but less shows line @line, from 1 on, in the middle of its first screen. 0: begins with the first line. */
int pager_show_at(const struct terminal *t, bool no_pager, size_t line, struct buf *out);

#endif
