/*
 * How many records of which kind a recording has, for report --stats.
 * Layer: report
 */
#ifndef CORE_REPORT_COUNTS_H
#define CORE_REPORT_COUNTS_H

struct buf;
struct session;

void counts_print(const struct session *s, struct buf *out);

#endif
