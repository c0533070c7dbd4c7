/*
 * Events of processors that neither the kernel nor sysfs names, by the names in the vendors' manuals: from libpfm4. Without it
 * vendor_event_none.c finds none.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_VENDOR_EVENT_H
#define CORE_RECORD_EVENTS_VENDOR_EVENT_H

#include <stdbool.h>

#include "core/record/events/event_lex.h"

struct event_attr;

/*
 * Find "L2_RQSTS.MISS", "l2_rqsts:miss" among those of this machine's core PMU, or of that which LIBPFM_FORCE_PMU names. @pmu:
 * its name in sysfs, which tells the kinds of CPU of a hybrid machine apart; NULL: of any. Sets config, config1 and config2 of
 * @attr, if that is not NULL, and nothing else.
 */
bool vendor_event_find(struct word name, const char *pmu, struct event_attr *attr);

/* Calls the handler for each event; @name and @text are borrowed. */
typedef void (*vendor_event_handler)(void *ctx, const char *pmu, const char *name, const char *text);
void vendor_events_list(vendor_event_handler handle, void *ctx);

#endif
