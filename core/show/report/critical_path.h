/*
 * Prints the critical path of a thread, for prec report --critical-path. The path is followed back in time from a given moment.
 * At each wait, it continues in the thread whose wake-up ended the wait.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_CRITICAL_PATH_H
#define CORE_SHOW_REPORT_CRITICAL_PATH_H

struct buf;
struct session;

struct critical_path_opts {	/* all borrowed */
	/* "TID" or "NAME": to the thread's end; "...@TO", "...@FROM-TO": times in seconds, as script prints them */
	const char *thread;
	const char *separator;	/* between cells, and times in ns; NULL: for people */
};

/* Appends the tables. session_add_waits() must have been called. Prints errors; 0 or -1. */
int critical_path_print(struct session *s, const struct critical_path_opts *o, struct buf *out);

#endif
