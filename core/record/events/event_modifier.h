/* Event modifiers: the letters after the last colon of an event or a group. Layer: events */
#ifndef CORE_RECORD_EVENTS_EVENT_MODIFIER_H
#define CORE_RECORD_EVENTS_EVENT_MODIFIER_H

#include "core/record/events/event_lex.h"

struct event_request;

/*
 * Apply the letters of @w to an event; those of a group come after the event's own and add to them. @leader: it
 * leads its group or stands alone: the letters that hold for a group as one go to it. Returns 0 or -EINVAL with
 * @err filled.
 */
int event_modify(struct event_request *r, struct word w, bool of_group, bool leader, struct event_error *err);
/* True if all letters of it are known modifiers. */
bool event_modifiers_known(struct word w);

#endif
