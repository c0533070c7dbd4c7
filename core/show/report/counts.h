/*
 * Counts a recording's records by type, for report --stats.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_COUNTS_H
#define CORE_SHOW_REPORT_COUNTS_H

struct buf;
struct session;

/* A pass over the samples is made if they stand for counters (core/read/counters.h). */
void counts_print(struct session *s, struct buf *out);

#endif
