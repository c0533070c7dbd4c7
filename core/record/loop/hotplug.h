/*
 * CPUs that go offline or come online while they are watched. An event of a CPU ends with it, without a sign at its file
 * descriptor, and does not return with it (perf_event_exit_cpu() in kernel/events/core.c); events of tasks go on. So a
 * recorder of CPUs listens to the kernel's uevents.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_HOTPLUG_H
#define CORE_RECORD_LOOP_HOTPLUG_H

#include <stdbool.h>

#include "core/base/cpus.h"
#include "core/ui/finding.h"

struct hotplug {
	int fd;				/* readable when there is news; -1: none can be had, as in a container */
	bool all;			/* CPUs beside the watched ones are missed too */
	struct cpus watched, gone;	/* gone: found */
	struct findings found;
};

#define HOTPLUG_INIT { .fd = -1 }

/* Begin to listen. @watched is copied. */
void hotplug_open(struct hotplug *h, const struct cpus *watched, bool all);
/* Reads the uevents: CPUs that are missed from now on become findings. */
void hotplug_read(struct hotplug *h);
/* At the end: the last news, and CPUs that are offline now, however that was; all that was found is added to @out. */
void hotplug_findings(struct hotplug *h, struct findings *out);
void hotplug_close(struct hotplug *h);

#endif
