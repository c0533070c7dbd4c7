/*
 * Prints the summary at the end of a recording: the bytes written, the recorder's own CPU time, when records were lost, and on
 * which CPUs or threads.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_SUMMARY_H
#define CORE_RECORD_LOOP_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

struct dumps;
struct event_set;
struct feature_coverage;
struct findings;
struct print_maps_opts;
struct stats;

struct summary {
	const struct event_set *set;
	const struct stats *stats;
	const char *output;		/* the last file; NULL: there is none */
	bool passing;			/* .output is an intermediate file, so its name is not printed */
	const struct dumps *dumps;	/* NULL: there are no triggers */
	bool has_rest;			/* a file ended at each trigger, and the last file has the data after the last trigger */
	uint64_t wakeups, bytes;
	uint64_t waited_ns;		/* the longest time that the thread that empties rings waited for a CPU */
	bool urgent;			/* that thread has a real-time priority */
	bool ring_cut;			/* rings are smaller than asked for: the limit of locked memory */
	uint64_t wall_ns;		/* how long the recording took */
	const struct feature_coverage *coverage;	/* not NULL */
	bool only_counts;		/* no samples were taken: counts are printed */
	const struct print_maps_opts *maps;	/* not NULL */
};

/* Adds findings about losses and their causes. */
void summary_findings(const struct summary *s, struct findings *out);
/* Prints the last lines of record: the cost of the recording, and its size. */
void summary_print(const struct summary *s);

#endif
