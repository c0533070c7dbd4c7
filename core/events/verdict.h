/*
 * What is said when a recording has ended: how much was written, and what was lost, where.
 * Layer: events
 */
#ifndef CORE_EVENTS_VERDICT_H
#define CORE_EVENTS_VERDICT_H

#include <stdint.h>

struct event_set;
struct tally;

struct verdict {
	const struct event_set *set;
	const struct tally *tally;
	const char *output;
	uint64_t wakeups, bytes;
};

void verdict_print(const struct verdict *v);

#endif
