/*
 * Parses the argument of -e into event requests (event_request.h), each with its perf_event_attr. event_tree.h has the grammar.
 * An event's name is searched among the software events, the events of the machine's CPUs in sysfs, the hardware and cache
 * events, and the events of other PMUs, in that order. If several PMUs have the name, each of them gives one event.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_EVENT_PARSE_H
#define CORE_RECORD_EVENTS_EVENT_PARSE_H

#include "core/record/events/event_lex.h"
#include "core/record/events/event_request.h"

/*
 * Appends the events of @text to @out. On failure fills @err and leaves @out as it was. Returns -EINVAL for an invalid @text, or
 * -ENODEV if @text may be valid, but this machine's tracepoints cannot be read.
 */
int event_parse(struct event_requests *out, const char *text, struct event_error *err);
/* Print the error with the text and a mark under the place. Frees err->what; returns -1. */
int event_error_print(const char *text, struct event_error *err);

#endif
