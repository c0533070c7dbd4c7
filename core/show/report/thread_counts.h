/* Prints each thread's count of each event (report -T), which the kernel writes when a thread ends (record -s). Layer: report */
#ifndef CORE_SHOW_REPORT_THREAD_COUNTS_H
#define CORE_SHOW_REPORT_THREAD_COUNTS_H

#include <stdbool.h>

struct buf;
struct session;

/*
 * Append what each event counted in all, a line each, and on each CPU if CPUs were counted and not threads, of a recording
 * without samples (record -n); false if no counts are in there.
 */
bool event_counts_print(struct session *s, struct buf *out);

/*
 * Appends the table: a line a thread, in the order of their ends; a column an event; and below it the number of missing
 * threads. No table if no thread has counts; nothing at all without -s.
 */
void thread_counts_print(struct session *s, struct buf *out);

#endif
