/*
 * Prints the program files and libraries in which samples have no symbol, each with the reason and a remedy, for prec report
 * --unresolved.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_UNRESOLVED_H
#define CORE_SHOW_REPORT_UNRESOLVED_H

#include "core/hists/hist.h"

/* @m: the machine of the session that @h was made of. */
void unresolved_print(const struct hists *h, const struct machine *m, struct buf *out);

#endif
