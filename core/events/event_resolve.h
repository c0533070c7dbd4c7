/*
 * From the tree of -e to requests: what the names mean on this machine.
 * Layer: events
 */
#ifndef CORE_EVENTS_EVENT_RESOLVE_H
#define CORE_EVENTS_EVENT_RESOLVE_H

#include "core/events/event_request.h"
#include "core/events/event_tree.h"
#include "core/events/pmu.h"

/*
 * Append the request of @n to @out, or several where several PMUs match. The modifiers are not applied, but what
 * follows a colon of @n is told apart into what it is. Returns 0, or -EINVAL with @err filled; @out may then
 * have more.
 */
int event_resolve(struct event_requests *out, struct event_node *n, const struct pmus *pmus,
		  struct event_error *err);

#endif
