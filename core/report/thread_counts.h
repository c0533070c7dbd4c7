/*
 * What each thread counted of each event, as the kernel tells when a thread ends (record -s): report -T.
 * Layer: report
 */
#ifndef CORE_REPORT_THREAD_COUNTS_H
#define CORE_REPORT_THREAD_COUNTS_H

struct buf;
struct session;

/*
 * Append the table: a line a thread, in the order of their ends; a column an event; and below it how many threads of the
 * recording are not there. No table where no thread told; nothing at all where none was asked to.
 */
void thread_counts_print(struct session *s, struct buf *out);

#endif
