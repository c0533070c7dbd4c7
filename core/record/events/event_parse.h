/*
 * Parses the argument of -e into event requests (event_request.h), each with its perf_event_attr. event_grammar.h has the
 * grammar, and event_resolve.h looks up the names.
 */
#ifndef CORE_RECORD_EVENTS_EVENT_PARSE_H
#define CORE_RECORD_EVENTS_EVENT_PARSE_H

#include "core/record/events/event_lex.h"
#include "core/record/events/event_request.h"

/*
 * Appends the events of @text to @out. If several PMUs have an event's name, each gives one event. On failure fills @err and leaves
 * @out as it was. Returns -EINVAL for an invalid @text, or -ENODEV if @text may be valid, but this machine's tracepoints cannot be
 * read.
 */
int event_parse(struct event_requests *out, const char *text, struct event_error *err);
/* Prints the error with the user's text and a mark under the wrong part. Frees err->what; returns -1. */
int event_error_print(const char *text, struct event_error *err);

#endif
