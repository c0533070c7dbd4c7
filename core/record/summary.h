/*
 * The summary that record prints at the end: bytes written, losses by place and time, advice.
 * Layer: record
 */
#ifndef CORE_RECORD_SUMMARY_H
#define CORE_RECORD_SUMMARY_H

#include <stdint.h>

struct event_set;
struct stats;

struct summary {
	const struct event_set *set;
	const struct stats *stats;
	const char *output;
	uint64_t wakeups, bytes;
	uint64_t wall_ns;		/* how long the recording took */
};

void summary_print(const struct summary *v);

#endif
