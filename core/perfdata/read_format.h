/*
 * The layout of the words of a counter value, which depends on PERF_FORMAT_*. It is the same in read(2), READ records and
 * PERF_SAMPLE_READ (perf_event_open(2), "Reading results"). A single event has its value, times, id and lost. A group has the
 * number of its members and the times, and then value, id and lost of each member. Words that were not requested are absent.
 * Layer: perfdata
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
	uint8_t id, lost;		/* distance from their value; READ_NONE: absent */
	uint8_t step;			/* distance between values */
};

/* Offsets are in words, and begin after the number of members, which is a group's first word. */
struct read_layout read_layout_of(uint64_t read_format);

#endif
