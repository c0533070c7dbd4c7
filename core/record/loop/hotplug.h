/*
 * Detects CPUs that go offline or come online during the recording, by the kernel's uevents. recorder_wakes.c calls it when
 * uevents arrive. At the end, recorder_files.c collects its warnings about these CPUs for the user.
 */
#ifndef CORE_RECORD_LOOP_HOTPLUG_H
#define CORE_RECORD_LOOP_HOTPLUG_H

#include <stdbool.h>

#include "core/base/cpus.h"
#include "core/ui/finding.h"

/*
 * If a CPU goes offline, the events on it end, and do not go on when the CPU comes back (perf_event_exit_cpu() in
 * kernel/events/core.c). The file descriptors of the events do not show this. Events of tasks go on.
 */
struct hotplug {
	int fd;				/* readable when CPUs change; -1: not available, as in a container */
	bool all;			/* all CPUs are wanted: one that comes online later, and so is not recorded, becomes a
					 * finding */
	struct cpus watched, gone;	/* .watched: the recorded CPUs; .gone: CPUs that went offline */
	struct findings found;
};

#define HOTPLUG_INIT { .fd = -1 }

/* Begins to listen. @watched is copied. */
void hotplug_open(struct hotplug *h, const struct cpus *watched, bool all);
/* Reads the uevents. CPUs that are not recorded from now on become findings. */
void hotplug_read(struct hotplug *h);
/* Reads the last uevents at the end of the recording, checks which CPUs are offline now, and adds all findings to @out. */
void hotplug_findings(struct hotplug *h, struct findings *out);
void hotplug_close(struct hotplug *h);

#endif
