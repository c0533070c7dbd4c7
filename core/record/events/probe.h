/*
 * Resolves probes to events of the kernel's PMUs "uprobe" and "kprobe" (Linux 4.17). Opening the event makes the probe, and nothing
 * is left in tracefs. The user writes u:PATH:FUNCTION[+OFFSET][%return], or uprobe/path=...,offset=.../, for a probe in a program;
 * kprobe:FUNCTION[+OFFSET], or kretprobe:FUNCTION, for one in the kernel. event_resolve.c calls it.
 */
#ifndef CORE_RECORD_EVENTS_PROBE_H
#define CORE_RECORD_EVENTS_PROBE_H

#include "core/record/events/event_request.h"
#include "core/record/events/event_grammar.h"
#include "core/record/events/pmu.h"

/* True if @term is a term of the PMU "uprobe": path or offset. */
bool uprobe_term_is(const char *pmu, struct word term);
int uprobe_term_apply(struct event_request *r, const struct term_node *t, struct event_error *err);
/* Checks that the request has a path, and completes it. @at is the event's name, for errors. Returns 0 or -EINVAL. */
int uprobe_check(const char *pmu, struct event_request *r, struct word at, struct event_error *err);

/* Appends the request of a NODE_UPROBE or NODE_KPROBE. Returns 0, or -EINVAL with @err filled. */
int probe_resolve(struct event_requests *out, const struct event_node *n, const struct pmus *pmus, struct event_error *err);

#endif
