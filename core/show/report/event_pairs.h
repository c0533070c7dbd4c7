/*
 * Finds pairs of a begin event and an end event, such as the entry and the exit of a system call, for prec report --pair
 * (latency.c) and --slices (slices.c).
 */
#ifndef CORE_SHOW_REPORT_EVENT_PAIRS_H
#define CORE_SHOW_REPORT_EVENT_PAIRS_H

#include <stdint.h>

#include "core/base/vec.h"

struct filter;
struct session;

/* A pair ends at the next end event of the same thread, process, CPU, or value of a given field. */
struct event_pair { uint64_t from, to; uint32_t from_tid, to_tid; };	/* .from, .to: ns */

struct event_pairs {			/* = {0}; vec_free(&pairs.list) */
	VEC(struct event_pair) list;	/* in order of .to */
	const char *begin, *end;	/* the events' names; borrowed from the session */
	uint64_t nr_alone;		/* hits of either event that are in no pair */
};

/*
 * Reads the recording once. @option: for messages: "--pair". @words: "A,B" or "A,B,KEY": tid (default), pid, cpu or a field of both
 * events. A and B may be one event: a hit ends the pair that the last hit began. Returns 0, or -1 (printed).
 */
int event_pairs_find(struct event_pairs *out, struct session *s, const char *option, const char *words,
		     const struct filter *filter);

#endif
