/* Turns the tree of -e into requests: resolves the names on this machine. Layer: events */
#ifndef CORE_RECORD_EVENTS_EVENT_RESOLVE_H
#define CORE_RECORD_EVENTS_EVENT_RESOLVE_H

#include "core/record/events/event_request.h"
#include "core/record/events/event_tree.h"
#include "core/record/events/pmu.h"

/*
 * Appends the request of @n to @out, or several if several PMUs match. Does not apply modifiers, but classifies the part of
 * @n after a colon. Returns 0, or -EINVAL with @err filled; @out may then have more.
 */
int event_resolve(struct event_requests *out, struct event_node *n, const struct pmus *pmus,
		  struct event_error *err);

#endif
