/*
 * Assigns the cgroups of -G to events, and opens the directories of these cgroups for core/record/open/attach.c. Also writes a
 * CGROUP record for each cgroup of the machine, for core/record/host/preamble.c.
 */
#ifndef CORE_RECORD_EVENTS_CGROUP_H
#define CORE_RECORD_EVENTS_CGROUP_H

#include <stdint.h>

struct buf;
struct event_requests;
struct sample_layout;

/*
 * Assigns the cgroups of -G. The cgroups in @names ("A,B", "A,,B") belong to the events before the option: the first name to the
 * first event that has no name yet, and so on. An empty name leaves its event to all tasks. If @names is a single name, it
 * belongs to all events so far. Prints errors; returns 0 or -1.
 */
int cgroup_assign(struct event_requests *events, const char *names);
/*
 * Opens the directories of the cgroups of @events. They are in the version 1 hierarchy with the perf_event controller, or else in
 * that of version 2 (cgroups(7)). Prints errors; returns 0 or -1.
 */
int cgroup_open_all(struct event_requests *events);

/* Appends a CGROUP record for each cgroup of the machine. @layout and @id are those of the event that the records belong to. */
void cgroup_synthesize(struct buf *out, const struct sample_layout *layout, uint64_t id);

#endif
