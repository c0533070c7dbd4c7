/*
 * Prints how many records of each type a recording has, and how many samples each event has, for prec report --stats.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_COUNTS_H
#define CORE_SHOW_REPORT_COUNTS_H

struct buf;
struct session;

/* Prints the counts. Makes a pass over the samples if they carry counter values (core/read/counters.h). */
void counts_print(struct session *s, struct buf *out);

#endif
