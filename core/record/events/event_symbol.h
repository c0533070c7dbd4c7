/*
 * Finds hardware, software and cache events by the names that are the same on every machine, such as cycles. Also parses raw
 * event numbers of the processor, such as r1a8.
 */
#ifndef CORE_RECORD_EVENTS_EVENT_SYMBOL_H
#define CORE_RECORD_EVENTS_EVENT_SYMBOL_H

#include "core/ui/suggest.h"
#include "core/record/events/event_lex.h"
#include "core/perfdata/attr.h"

/* Sets .type and .config of @attr if @w is the name of a software or hardware event. Returns false if it is not. */
bool symbol_find(struct word w, struct event_attr *attr);
/*
 * Finds a cache event by perf's spelling: a cache, then an operation, a result, or both, each after a dash. Examples are LLC,
 * LLC-misses, L1-dcache-load-misses, and short forms of these. Case does not matter.
 */
bool cache_find(struct word w, struct event_attr *attr);
/* Parses a raw event such as "r1a8": the processor's own number of the event, in hexadecimal. */
bool raw_find(struct word w, uint64_t *config);

/* symbol_names() appends all names that symbol_find() knows for @type; cache_event_names() one spelling of each cache event. */
void symbol_names(struct names *out, uint32_t type);
void cache_event_names(struct names *out);

#endif
