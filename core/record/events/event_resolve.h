/*
 * Looks up an event of -e, which event_grammar.h has parsed, on this machine. The result is a request to open the event
 * (event_request.h), or several requests, for example if several PMUs have the event.
 */
#ifndef CORE_RECORD_EVENTS_EVENT_RESOLVE_H
#define CORE_RECORD_EVENTS_EVENT_RESOLVE_H

#include "core/record/events/event_request.h"
#include "core/record/events/event_grammar.h"
#include "core/record/events/pmu.h"

/*
 * Appends the request of @n to @out, or several requests if several PMUs match. Does not apply modifiers, but decides whether
 * the part of @n after a colon is a modifier. Returns 0, or -EINVAL with @err filled; @out may then have more requests than
 * before.
 */
int event_resolve(struct event_requests *out, struct event_node *n, const struct pmus *pmus,
		  struct event_error *err);

#endif
