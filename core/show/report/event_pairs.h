/*
 * Finds pairs of a begin event and an end event, such as the entry and the exit of a system call, for prec report --pair
 * (latency.c) and --slices (slices.c).
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_EVENT_PAIRS_H
#define CORE_SHOW_REPORT_EVENT_PAIRS_H

#include <stdint.h>

struct filter;
struct session;

/*
 * A pair ends at the next end event in the same thread, process or CPU, or at the next end event in which a given field has an
 * equal value.
 */
struct event_pair {
	uint64_t from, to;	/* ns */
	uint32_t from_tid, to_tid;
};

struct event_pairs_opts {	/* all borrowed */
	const char *option;	/* for messages: "--pair" */
	const char *words;	/* "A,B" or "A,B,KEY": tid (default), pid, cpu or a field of both events */
	const struct filter *filter;
	void (*on_pair)(void *ctx, const struct event_pair *pair);	/* in order of .to */
	void *ctx;
};

struct event_pairs_sums {
	const char *begin, *end;	/* the events' names; borrowed from the session */
	uint64_t nr_alone;		/* hits of either event that are in no pair */
};

/* Reads the recording once. A and B may be one event: a hit ends the pair that the last hit began. Returns 0, or -1 (printed). */
int event_pairs_find(struct session *s, const struct event_pairs_opts *o, struct event_pairs_sums *out);

#endif
