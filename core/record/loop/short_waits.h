/*
 * --off-cpu-thresh: waits below the threshold are summed up while recording. The records of a wait - a switch out, wake-ups, a
 * switch in - are held back until its length is known: those of a long one are written unchanged, a short one only adds to a sum.
 *
 *	ring 0   out A ............ in A              held, in order of time, up to what all rings have shown
 *	ring 1            wakes A                     A: [ out A, wakes A ] in A: longer than the threshold?
 *
 * Waits are replayed here by the code that readers use (core/sched/waits.h): the waits that readers find in the file and the sums
 * together are all waits. If a wait's records are incomplete, they are written.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_SHORT_WAITS_H
#define CORE_RECORD_LOOP_SHORT_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/perfdata/record.h"

struct buf;
struct event_table;
struct ring_span;
struct short_waits;

/* Samples dropped and added by this, since the last call. */
struct short_waits_counts { uint64_t dropped, sums; };

/*
 * @events, borrowed, has the event for sums, and the side band as its last event; @tracing: the section TRACING_DATA. Waits below
 * @below_ns are short. Owned by the caller.
 */
struct short_waits *short_waits_new(const struct event_table *events, const struct buf *tracing, uint64_t below_ns);
void short_waits_free(struct short_waits *w);

/* Holds the record at @at of @s, with the header @h, if it is about a wait. Returns false if not: the caller writes it then. */
bool short_waits_on_record(struct short_waits *w, const struct ring_span *s, uint64_t at, struct record_header h);
/*
 * To be called when all rings were read once more: appends the records to @out that are decided now. @newest: the latest time of
 * all records that were read; @began_ns: when reading them began, CLOCK_MONOTONIC.
 */
void short_waits_settle(struct short_waits *w, uint64_t newest, uint64_t began_ns, struct buf *out);
/* Append the sums so far. */
void short_waits_put_sums(struct short_waits *w, struct buf *out);
/* A file ends: appends all records that are held, and the sums. */
void short_waits_finish(struct short_waits *w, struct buf *out);

/*
 * True if a FINISHED_ROUND may be written now; it must be written then. Records held since before the last one must be
 * written before the next.
 */
bool short_waits_end_round(struct short_waits *w);
/* Bytes of the records that are held. */
uint64_t short_waits_queued(const struct short_waits *w);
struct short_waits_counts short_waits_reset_counts(struct short_waits *w);

#endif
