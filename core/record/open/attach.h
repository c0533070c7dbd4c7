/*
 * Opens the events of a recording for its target: a command, processes, threads or CPUs. It lists the online CPUs and the target's
 * threads, lets target.c choose the (pid, cpu) pairs for perf_event_open(2), and lets event_set.c open the events there.
 */
#ifndef CORE_RECORD_OPEN_ATTACH_H
#define CORE_RECORD_OPEN_ATTACH_H

#include "core/ui/finding.h"
#include "core/record/open/event_set.h"

struct attached {		/* attach_release() */
	struct cpus online;
	struct pid_list threads;	/* those whose events were opened; empty if CPUs are watched */
	struct places places;
	struct event_set set;
	struct findings found;		/* threads of the target that are not watched */
};

struct attach_opts {		/* all borrowed */
	struct target *target;
	struct sampling_opts *sampling;	/* attach_open() sets .inherit and .on_exec */
	struct event_requests *events;
	uint64_t ring_bytes;		/* size of a ring buffer's data, a power of two of pages */
	bool at_once;			/* the events are enabled at the start or by the exec; nothing (-D) delays them */
	pid_t workload;			/* the command's process, which waits before its exec; 0: none */
};

/*
 * Opens all events for the workload or the targets of -a, -C, -p and -t, and for threads that are created meanwhile. A thread
 * that cannot be caught becomes a finding. Prints errors; returns 0 or -1.
 */
int attach_open(struct attached *a, const struct attach_opts *o);
/* Closes all events. Events that take long to close are left to a child process (event_set_close_async()). */
void attach_release(struct attached *a);

#endif
