/*
 * Counts events instead of sampling (record -n): prints each event's count, at intervals or at the end, and writes READ records.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_COUNTING_H
#define CORE_RECORD_LOOP_COUNTING_H

#include <stdint.h>

#include "core/base/vec.h"
#include "core/perfdata/counted.h"

struct buf;
struct event_set;

struct counting { VEC(struct counted) printed; };	/* by event: what counting_put_interval() has printed; vec_free() */

/*
 * Append a READ record for each event at each place, of the thread that it follows (none: -1), with what was counted since the last
 * such record. @time: of the records. event_set_count_lost() has read the counters.
 */
void counting_append(struct buf *out, struct event_set *set, uint64_t time);
/* Appends a line for each event: its count at all places until event_set_count_lost(). */
void counting_put(struct buf *out, const struct event_set *set);
/* A line for each event on each CPU, if CPUs are recorded and not threads. */
void counting_put_cpus(struct buf *out, const struct event_set *set);
/*
 * The lines of counting_put(), of what was counted since the last call, each after the time @ns since the beginning. It reads the
 * counters.
 */
void counting_put_interval(struct counting *c, struct buf *out, struct event_set *set, uint64_t ns);

#endif
