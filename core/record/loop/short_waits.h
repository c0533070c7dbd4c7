/*
 * Sums up waits below the threshold of --off-cpu-thresh while recording, so that perf.data has separate records only of longer
 * waits. ring_drain.c passes it the records. core/perfdata/wait_sums.h describes the samples that have the sums.
 *
 * The records of a wait (a switch out, wake-ups, a switch in) are held back until its length is known:
 *
 *	ring 0   out A ............ in A              the records of all rings are held, and sorted by time
 *	ring 1            wakes A                     out A, wakes A, in A: is it longer from out A to in A than the threshold?
 *
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

/* The numbers of samples dropped and of sums added since the last call. */
struct short_waits_counts { uint64_t dropped, sums; };

/*
 * Makes the state. @events has the event for the sums, and the dummy event for MMAP and similar records as its last event; it is
 * borrowed. @tracing is the section TRACING_DATA. Waits below @below_ns are short. Owned by the caller.
 */
struct short_waits *short_waits_new(const struct event_table *events, const struct buf *tracing, uint64_t below_ns);
void short_waits_free(struct short_waits *w);

/*
 * Holds back the record at @at of @s, with the header @h, if it is about a wait. Otherwise returns false, and the caller writes the
 * record. Waits are measured by the rules of core/sched/waits.h, which readers of the file use, so the waits in the file and the
 * sums together are all waits. If the records of a wait are incomplete, they are written.
 */
bool short_waits_on_record(struct short_waits *w, const struct ring_span *s, uint64_t at, struct record_header h);
/*
 * Appends the records that are decided now to @out. Call it when all ring buffers were read once more. @newest is the latest
 * time of all records that were read, and @began_ns the time when reading them began (CLOCK_MONOTONIC).
 */
void short_waits_settle(struct short_waits *w, uint64_t newest, uint64_t began_ns, struct buf *out);
/* Appends the sums so far. */
void short_waits_put_sums(struct short_waits *w, struct buf *out);
/* Appends all records that are held back, and the sums, at the end of a file. */
void short_waits_finish(struct short_waits *w, struct buf *out);

/*
 * True if a FINISHED_ROUND may be written now; the caller must then write it. Records that have been held back since before the
 * last FINISHED_ROUND must be written before the next one.
 */
bool short_waits_end_round(struct short_waits *w);
/* Bytes of the records that are held. */
uint64_t short_waits_queued(const struct short_waits *w);
struct short_waits_counts short_waits_reset_counts(struct short_waits *w);

#endif
