/*
 * Opens the events of a recording for its target. It finds the online CPUs and the threads of the target, and the (pid, cpu)
 * pairs (target.h) to open events for.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_ATTACH_H
#define CORE_RECORD_OPEN_ATTACH_H

#include "core/ui/finding.h"
#include "core/record/open/event_set.h"

struct attached {		/* attach_release() */
	struct cpus online;
	struct pid_list threads;	/* that events were opened for; none if CPUs are watched */
	struct places places;
	struct event_set set;
	struct findings found;		/* wanted targets that are not watched */
};

struct attach_opts {		/* all borrowed */
	struct target *target;
	struct sampling_opts *sampling;	/* .inherit and .on_exec are set here */
	struct event_requests *events;
	uint64_t ring_bytes;		/* data of a ring, a power of two of pages */
	bool at_once;			/* count from the beginning: nothing delays it */
	pid_t workload;			/* stopped before its exec; 0: none */
};

/*
 * Opens all events for the workload or the targets of -a, -C, -p and -t, and for threads that are created meanwhile. A thread
 * that cannot be caught becomes a finding. Prints errors; returns 0 or -1.
 */
int attach_open(struct attached *a, const struct attach_opts *o);
/* Closes all events. Events that take long to close are left to a child process (close_async.h). */
void attach_release(struct attached *a);

#endif
