/*
 * What each thread counted of each event, as the kernel tells when a thread ends (record -s): report -T.
 * Layer: report
 */
#ifndef CORE_REPORT_THREAD_COUNTS_H
#define CORE_REPORT_THREAD_COUNTS_H

#include <stdbool.h>

struct buf;
struct session;

/*
 * Append what each event counted in all, a line each, of a recording without samples (record -n); false where no counts are
 * in there.
 */
bool event_counts_print(struct session *s, struct buf *out);

/*
 * Append the table: a line a thread, in the order of their ends; a column an event; and below it how many threads of the
 * recording are not there. No table where no thread told; nothing at all where none was asked to.
 */
void thread_counts_print(struct session *s, struct buf *out);

#endif
