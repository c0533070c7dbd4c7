/*
 * Defines an item: a decoded record with its event, its time and its thread. The callbacks with which commands read a recording
 * (session.h) get items.
 */
#ifndef CORE_READ_ITEM_H
#define CORE_READ_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/perfdata/event_table.h"

struct record;
struct task_context;

/* All pointers are borrowed until the callback returns. */
struct item {
	const struct record *record;
	const uint8_t *bytes;		/* the bytes of the record, header.size of them, in native order */
	const struct event *event;	/* the event of the record; NULL: unknown */
	const struct sample *sample;	/* the fields of a SAMPLE record; NULL for other records */
	const struct task_context *context;	/* the thread and address spaces of a sample */
	uint64_t time;			/* ns; 0: none recorded */
	uint64_t at;			/* the time by which items are ordered: .time, or 1 + .position if records have no times */
	uint64_t position;		/* in the file: orders records of the same time */
	uint16_t cpumode;		/* PERF_RECORD_MISC_* of a sample */
	bool unwound;			/* callers in the user part of the chain are addresses of calls, not return addresses */
};

/*
 * The thread that a sample belongs to. A thread that has exited has no tid any more, but still has the pid if other threads of
 * its process remain (perf_event_tid()).
 */
static inline uint32_t owner_of(uint32_t pid, uint32_t tid)
{
	return tid == 0 && pid != UINT32_MAX ? pid : tid;
}

static inline uint32_t sample_owner(const struct sample *s)
{
	return owner_of(s->pid, s->tid);
}

/* The period of a sample; without PERF_SAMPLE_PERIOD, the requested one. */
static inline uint64_t item_period(const struct item *item)
{
	return item->event->layout.period_at >= 0 ? item->sample->period : item->event->attr.sample_period;
}

#endif
