/*
 * Names the descriptors that threads wait for (--off-cpu-args): a system call has a number only, which is looked up in its process
 * some milliseconds later, before or after the call is read from its ring, and again while such calls go on.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_DESCRIPTORS_H
#define CORE_RECORD_LOOP_DESCRIPTORS_H

#include <stdint.h>

struct buf;
struct descriptors;
struct event_set;
struct features;
struct ring_span;

#define DESCRIPTORS_LOOK_MS	20

/*
 * For the calls in hits of the tracepoint raw_syscalls:sys_enter of @set, borrowed; @tracing: the section TRACING_DATA. NULL:
 * it is not recorded. Owned by the caller.
 */
struct descriptors *descriptors_new(const struct event_set *set, const struct buf *tracing);
void descriptors_free(struct descriptors *d);

/* Takes the descriptors from records that are read from a ring. Safe from any thread. */
void descriptors_add(struct descriptors *d, const struct ring_span *s);
/* Looks up the descriptors of calls since the last time, those in the rings included. Each DESCRIPTORS_LOOK_MS, by one thread. */
void descriptors_poll(struct descriptors *d);
/* Fills the section with the known names; call it in that thread. */
void descriptors_section(struct descriptors *d, struct features *f);

#endif
