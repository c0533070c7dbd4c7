/*
 * One record as the second pass shows it.
 * Layer: flow
 */
#ifndef CORE_FLOW_ITEM_H
#define CORE_FLOW_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/format/event_table.h"

struct record;
struct where;

/* Everything is borrowed until the callback that gets it returns. */
struct item {
	const struct record *record;
	const uint8_t *bytes;		/* the same record as it lies in memory, header.size bytes, native order */
	const struct event *event;	/* whose it is; NULL: nobody's */
	const struct sample *sample;	/* of a SAMPLE record, else NULL */
	const struct where *where;	/* of a sample: whose, and in which space */
	uint64_t time;			/* ns; 0: none recorded */
	uint64_t at;			/* the same as the machine knows it: of its position where records carry no time */
	uint64_t position;		/* in the file: the second key of the order */
	uint32_t recorded_tid;		/* of a sample; .sample has the process's where that thread had exited */
	uint16_t cpumode;		/* PERF_RECORD_MISC_* of a sample */
	bool unwound;			/* of a sample's chain the user part was unwound here: its callers are calls, not returns */
};

/* What a sample stands for: without PERF_SAMPLE_PERIOD the period that was asked for. */
static inline uint64_t item_period(const struct item *item)
{
	return item->event->layout.period_at >= 0 ? item->sample->period : item->event->attr.sample_period;
}

#endif
