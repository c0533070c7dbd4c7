/*
 * Finds events whose names mean the same on every machine: hardware, software and cache events, and raw numbers such as r1a8.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_EVENT_SYMBOL_H
#define CORE_RECORD_EVENTS_EVENT_SYMBOL_H

#include "core/ui/suggest.h"
#include "core/record/events/event_lex.h"
#include "core/perfdata/attr.h"

/* Set type and config where @w names a software or hardware event. */
bool symbol_find(struct word w, struct event_attr *attr);
/*
 * Finds a cache event by perf's spelling: a cache, then an operation, a result, or both, each after a dash. Examples are LLC,
 * LLC-misses, L1-dcache-load-misses, and short forms of these. Case does not matter.
 */
bool cache_find(struct word w, struct event_attr *attr);
/* Parses a raw event such as "r1a8": the processor's own number of the event, in hexadecimal. */
bool raw_find(struct word w, uint64_t *config);

/* All names of symbol_find() of @type, or the usual spelling of all cache events. */
void symbol_names(struct names *out, uint32_t type);
void cache_event_names(struct names *out);

#endif
