/*
 * Resolves probes in the kernel, such as kprobe:do_exit, to events of the kernel's kprobe PMU (Linux 4.17). event_resolve.c calls
 * it. uprobe.h does the same for probes in programs.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_KPROBE_H
#define CORE_RECORD_EVENTS_KPROBE_H

#include "core/record/events/event_request.h"
#include "core/record/events/event_grammar.h"
#include "core/record/events/pmu.h"

/*
 * Append the request of a NODE_KPROBE. Returns 0, or -EINVAL with @err filled. The user writes kprobe:FUNCTION[+OFFSET] or
 * kretprobe:FUNCTION, for which p: and r: are short. As in perf probe, FUNCTION%return also means a return probe. Opening the event
 * makes the probe, and nothing is left in tracefs.
 */
int kprobe_resolve(struct event_requests *out, const struct event_node *n, const struct pmus *pmus,
		   struct event_error *err);

#endif
