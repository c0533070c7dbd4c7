/*
 * Finds the file or socket behind each file descriptor that a waiting thread uses (--off-cpu-args). ring_drain.c passes it the
 * records of system calls.
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
 * Prepares to find descriptors in the hits of the tracepoint raw_syscalls:sys_enter of @set. @set is borrowed, and @tracing is
 * the section TRACING_DATA. Returns NULL if this tracepoint is not recorded. Owned by the caller.
 */
struct descriptors *descriptors_new(const struct event_set *set, const struct buf *tracing);
void descriptors_free(struct descriptors *d);

/* Takes the descriptors from records that are read from a ring. Safe from any thread. */
void descriptors_add(struct descriptors *d, const struct ring_span *s);
/*
 * Looks up the descriptors of calls since the last time, including calls whose records are still in the ring buffers. Call it every
 * DESCRIPTORS_LOOK_MS, from one thread. The record of a system call has only the descriptor's number, and the descriptor may soon
 * be closed. So the number is looked up within some 20 ms of the call, when the record may still be in its ring buffer. Later calls
 * with the same descriptor cause further lookups.
 */
void descriptors_poll(struct descriptors *d);
/* Fills the section with the known names. Call it from the thread that calls descriptors_poll(). */
void descriptors_section(struct descriptors *d, struct features *f);

#endif
