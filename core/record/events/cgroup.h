/*
 * Cgroups for -G and for CGROUP records: those of the version 1 hierarchy with the perf_event controller, or else of version 2
 * (cgroups(7)).
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_CGROUP_H
#define CORE_RECORD_EVENTS_CGROUP_H

#include <stdint.h>

struct buf;
struct event_requests;
struct sample_layout;

/*
 * -G: the cgroups in @names ("A,B", "A,,B") are those of the events before it, the first for the first event that no
 * name before was for; an empty name leaves its event to all tasks. The only name of all is for all events so far.
 * Prints errors; returns 0 or -1.
 */
int cgroup_assign(struct event_requests *events, const char *names);
/* Open the directories of the cgroups that @events are in. Prints errors; returns 0 or -1. */
int cgroup_open_all(struct event_requests *events);

/* Append a CGROUP record for each cgroup there is. @layout, @id: of the event that they belong to. */
void cgroup_synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id);

#endif
