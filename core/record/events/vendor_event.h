/*
 * Finds events of the processor that have neither a generic name of perf (cycles) nor an entry in sysfs. libpfm4 knows these
 * events by the names in the vendors' manuals. In a build without libpfm4, vendor_event_none.c finds no event.
 */
#ifndef CORE_RECORD_EVENTS_VENDOR_EVENT_H
#define CORE_RECORD_EVENTS_VENDOR_EVENT_H

#include <stdbool.h>

#include "core/record/events/event_lex.h"

struct event_attr;

/*
 * Finds an event such as "L2_RQSTS.MISS" or "l2_rqsts:miss" among those of this machine's core PMU, or of the PMU in
 * LIBPFM_FORCE_PMU. @pmu is the name of a PMU in sysfs, which distinguishes the kinds of CPU of a hybrid machine; NULL means any
 * PMU. Sets only config, config1 and config2 of @attr, if @attr is not NULL.
 */
bool vendor_event_find(struct word name, const char *pmu, struct event_attr *attr);

/* Calls the handler for each event; @name and @text are borrowed. */
typedef void (*vendor_event_handler)(void *ctx, const char *pmu, const char *name, const char *text);
void vendor_events_list(vendor_event_handler handle, void *ctx);

#endif
