/*
 * Prints the count of each event: by thread for prec report -T, or in total for a recording that has counts but no samples (prec
 * record -n). cmd/report.c and cmd/summary.c call it.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_THREAD_COUNTS_H
#define CORE_SHOW_REPORT_THREAD_COUNTS_H

#include <stdbool.h>

struct buf;
struct session;

/*
 * For a recording without samples (record -n): appends a line for each event with its count. If CPUs and not threads were counted,
 * also appends a line for each event and CPU. Returns false if the recording has no counts.
 */
bool event_counts_print(struct session *s, struct buf *out);

/*
 * Appends the table: a line per thread, in order of their ends, a column per event, and below it the number of missing
 * threads. Without counts of threads there is no table; without record -s nothing at all.
 */
void thread_counts_print(struct session *s, struct buf *out);

#endif
