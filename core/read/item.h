/* An item: a record with its event, time and task, as callbacks of the second pass get it. Layer: read */
#ifndef CORE_READ_ITEM_H
#define CORE_READ_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/perfdata/event_table.h"

struct record;
struct task_context;

/* Everything is borrowed until the callback that gets it returns. */
struct item {
	const struct record *record;
	const uint8_t *bytes;		/* the same record as it lies in memory, header.size bytes, native order */
	const struct event *event;	/* the event that it belongs to; NULL: not known */
	const struct sample *sample;	/* of a SAMPLE record, else NULL */
	const struct task_context *context;	/* of a sample: whose, and in which space */
	uint64_t time;			/* ns; 0: none recorded */
	uint64_t at;			/* the same as the machine knows it: of its position where records carry no time */
	uint64_t position;		/* in the file: the second key of the order */
	uint16_t cpumode;		/* PERF_RECORD_MISC_* of a sample */
	bool unwound;			/* the user part of a sample's chain has calls as callers, not what they return to */
};

/*
 * The owner of a sample: a thread that has exited has no tid any more, but its process, if other threads remain, has its pid
 * (perf_event_tid()).
 */
static inline uint32_t owner_of(uint32_t pid, uint32_t tid)
{
	return tid == 0 && pid != UINT32_MAX ? pid : tid;
}

static inline uint32_t sample_owner(const struct sample *s)
{
	return owner_of(s->pid, s->tid);
}

/* The period of a sample: without PERF_SAMPLE_PERIOD the requested one. */
static inline uint64_t item_period(const struct item *item)
{
	return item->event->layout.period_at >= 0 ? item->sample->period : item->event->attr.sample_period;
}

#endif
