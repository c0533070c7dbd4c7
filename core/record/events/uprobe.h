/*
 * Probes in programs by the kernel's uprobe PMU (Linux 4.17): opening the event makes the probe, and nothing is left in
 * tracefs. u:PATH:FUNCTION[+OFFSET][%return], or uprobe/path=...,offset=.../.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_UPROBE_H
#define CORE_RECORD_EVENTS_UPROBE_H

#include "core/record/events/event_request.h"
#include "core/record/events/event_tree.h"
#include "core/record/events/pmu.h"

/* The terms that only a PMU "uprobe" has: path, offset. */
bool uprobe_term_is(const char *pmu, struct word term);
int uprobe_term_apply(struct event_request *r, const struct term_node *t, struct event_error *err);
/* Checks that the request has a path, and completes it. @at: its name, for errors. Returns 0 or -EINVAL. */
int uprobe_check(const char *pmu, struct event_request *r, struct word at, struct event_error *err);

/* Take "%return" off the end of @w, if it is there. */
bool probe_cut_return(struct word *w);
/* The bit of config that makes the probe one of the function's return. */
uint64_t probe_return_bit(const struct pmu *pmu);

/* Append the request of a NODE_UPROBE. Returns 0, or -EINVAL with @err filled. */
int uprobe_resolve(struct event_requests *out, const struct event_node *n, const struct pmus *pmus,
		   struct event_error *err);

#endif
