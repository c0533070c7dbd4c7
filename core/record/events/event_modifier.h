/*
 * Applies event modifiers to a requested event. Event modifiers are the letters after the last colon of an event or a group,
 * such as the "u" of cycles:u.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_EVENT_MODIFIER_H
#define CORE_RECORD_EVENTS_EVENT_MODIFIER_H

#include "core/record/events/event_lex.h"

struct event_request;

/*
 * Applies the letters of @w to an event. The letters of a group are applied after the event's own letters, and add to them.
 * @leader is true if the event leads its group or has no group; letters that are about a group as a whole apply to the leader
 * only. Returns 0, or -EINVAL with @err filled.
 */
int event_modify(struct event_request *r, struct word w, bool of_group, bool leader, struct event_error *err);
/* True if all letters of @w are known modifiers. */
bool event_modifiers_known(struct word w);

#endif
