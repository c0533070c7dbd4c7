/*
 * Computes where the counter values, time_enabled, time_running and the ids are in the data of read(2) and PERF_SAMPLE_READ,
 * from the PERF_FORMAT_* bits of the event.
 * Layer: perfdata
 */
#include "core/perfdata/read_format.h"

#include <linux/perf_event.h>

struct read_layout read_layout_of(uint64_t format)
{
	struct read_layout l = { .group = format & PERF_FORMAT_GROUP };
	uint8_t times = l.group ? 0 : 1, after;

	l.enabled = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? times++ : READ_NONE;
	l.running = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? times++ : READ_NONE;
	l.values = l.group ? times : 0;
	after = l.group ? 1 : times;
	l.id = format & PERF_FORMAT_ID ? after++ : READ_NONE;
	l.lost = format & PERF_FORMAT_LOST ? after++ : READ_NONE;
	l.step = after;
	return l;
}

