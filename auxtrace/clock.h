/*
 * Converts the timestamps in an Arm SPE or CoreSight trace, which are ticks of the Arm generic timer, to perf's time in ns. The
 * factors are in the recording's TIME_CONV record.
 */
#ifndef AUXTRACE_CLOCK_H
#define AUXTRACE_CLOCK_H

#include <stdbool.h>

#include "core/perfdata/record.h"

struct session;

struct aux_clock {			/* {0}: the factors are not known */
	bool known;
	struct record_time_conv conv;
};

/* Reads the factors from the last valid TIME_CONV record. */
struct aux_clock aux_clock_read(const struct session *s);
/* Converts @ticks to ns. The factors must be known. */
uint64_t aux_clock_ns(const struct aux_clock *c, uint64_t ticks);

#endif
