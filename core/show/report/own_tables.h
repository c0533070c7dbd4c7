/*
 * Prints the tables of prec report that have no sort keys, such as --latency-hist. Each function is in a file of its own.
 * cmd/report.c calls them. table.h prints the usual table.
 */
#ifndef CORE_SHOW_REPORT_OWN_TABLES_H
#define CORE_SHOW_REPORT_OWN_TABLES_H

#include <stdbool.h>

struct buf;
struct event;
struct filter;
struct hists;
struct machine;
struct session;

struct own_table_opts {			/* all borrowed */
	const struct filter *filter;
	const char *separator;		/* between cells, and numbers as they are, times in ns; NULL: for people */
	unsigned max_depth;		/* of call chains, unwound ones too */
};

/* The functions append to @out. Those that return an int print errors; 0 or -1. */

/*
 * How long waits took, with a row for each value of the sort key @key (NULL: one row), and how long ready threads waited for a CPU,
 * as percentiles and histograms; then the stacks of the longest waits. session_add_waits() must have been called.
 */
int latency_print(struct session *s, const struct own_table_opts *o, const char *key, struct buf *out);
/* The same for the times from event A to the next B. @pair: "A,B" or "A,B,KEY": event_pairs.h. */
int pair_latency_print(struct session *s, const struct own_table_opts *o, const char *pair, struct buf *out);

#define SLICES_SPLIT_DEFAULT 990u
/*
 * What threads did in the slowest requests, and in requests of about median duration. @pair: as above, a request's begin and end.
 * @split: permille, below 1000: requests above this percentile of length are the slowest. session_add_waits() must have been
 * called.
 */
int slices_print(struct session *s, const struct own_table_opts *o, const char *pair, unsigned split, struct buf *out);

/*
 * The critical path of a thread, back in time from a given moment: at each wait, it continues in the thread whose wake-up ended the
 * wait. @thread: "TID" or "NAME": to the thread's end; "...@TO", "...@FROM-TO": times in seconds, as script prints them.
 * session_add_waits() must have been called.
 */
int critical_path_print(struct session *s, const struct own_table_opts *o, const char *thread, struct buf *out);

/*
 * Histograms of how many threads waited for a CPU at each sample of @event (NULL: the first clock of the recording), with @by_cpu
 * one for each CPU; the share of the samples of each CPU at which at least one thread waited; the threads that waited longest.
 */
int runqueue_print(struct session *s, const struct own_table_opts *o, const struct event *event, bool by_cpu, struct buf *out);

/*
 * How long the calls of each function took. @insns: all branches are there, so instructions can be counted. The decoder of the
 * trace must be attached (aux_attach()).
 */
int durations_print(struct session *s, const struct own_table_opts *o, bool insns, bool titles, struct buf *out);

/* The basic blocks with at least @min_percent of the cycles that branch stacks (LBR) of @event recorded. @filter: NULL: none. */
void blocks_print(struct session *s, const struct event *event, const struct filter *filter, double min_percent, bool titles,
		  struct buf *out);

/* The files in which samples have no symbol, each with the reason and a remedy. @m: of the session that @h was made of. */
void unresolved_print(const struct hists *h, const struct machine *m, struct buf *out);

/* The records of each type and samples of each event. Makes a pass over samples that carry counter values (counters.h). */
void counts_print(struct session *s, struct buf *out);

/*
 * For a recording without samples (record -n): a line for each event with its count. If CPUs and not threads were counted, also a
 * line for each event and CPU. Returns false if the recording has no counts.
 */
bool event_counts_print(struct session *s, struct buf *out);

/*
 * A line per thread, in order of their ends, a column per event, and below it the number of missing threads. Without counts of
 * threads there is no table; without record -s nothing at all.
 */
void thread_counts_print(struct session *s, struct buf *out);

#endif
