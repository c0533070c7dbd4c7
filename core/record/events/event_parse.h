/*
 * Parses -e: text -> tree (event_tree.h has the grammar) -> requests, each with an attr. A name is searched
 * among the software events, the events of the machine's CPUs in sysfs, the hardware and cache events, and the events
 * of other PMUs, in that order; if several PMUs match, each gives an event.
 *
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_EVENT_PARSE_H
#define CORE_RECORD_EVENTS_EVENT_PARSE_H

#include "core/record/events/event_lex.h"
#include "core/record/events/event_request.h"

/*
 * Appends the events of @text to @out. On failure fills @err, leaves @out as it was, and returns -EINVAL, or -ENODEV: @text may be
 * right, but this machine's tracepoints cannot be read.
 */
int event_parse(struct event_requests *out, const char *text, struct event_error *err);
/* Print the error with the text and a mark under the place. Frees err->what; returns -1. */
int event_error_print(const char *text, struct event_error *err);

#endif
