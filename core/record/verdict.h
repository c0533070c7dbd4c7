/*
 * What is said when a recording has ended: how much was written, what was lost, where and when, and what helps.
 * Layer: record
 */
#ifndef CORE_RECORD_VERDICT_H
#define CORE_RECORD_VERDICT_H

#include <stdint.h>

struct event_set;
struct tally;

struct verdict {
	const struct event_set *set;
	const struct tally *tally;
	const char *output;
	uint64_t wakeups, bytes;
	uint64_t wall_ns;		/* how long the recording took */
};

void verdict_print(const struct verdict *v);

#endif
