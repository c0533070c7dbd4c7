/*
 * What is said when a recording has ended: how much was written, what was lost, where and when, and what helps.
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
