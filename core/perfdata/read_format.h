/*
 * Finds the positions of a counter's value, times and id in data from the kernel. The positions depend on the event's
 * PERF_FORMAT_* bits. sample.c and core/read/counters.c read counters by these positions.
 *
 * The layout is the same in read(2), READ records and PERF_SAMPLE_READ. A single event has its value, then the times, its id and
 * its number of lost samples. A group has the number of its members, then the times, and then value, id and lost samples of each
 * member. Words that were not requested are absent.
 * Source: perf_event_open(2), "Reading results".
 */
#ifndef CORE_PERFDATA_READ_FORMAT_H
#define CORE_PERFDATA_READ_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define READ_NONE	UINT8_MAX

struct read_layout {
	bool group;
	uint8_t values;			/* offset of the first value, after the number of members */
	uint8_t enabled, running;	/* offsets of the times; READ_NONE: absent */
	uint8_t id, lost;		/* distance of these words from the value that they belong to; READ_NONE: absent */
	uint8_t step;			/* distance between values */
};

/* Offsets are in words, and begin after the number of members, which is a group's first word. */
struct read_layout read_layout_of(uint64_t read_format);

#endif
