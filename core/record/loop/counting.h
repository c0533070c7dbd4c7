/*
 * Counts events instead of sampling them (record -n). It prints the count of each event, at intervals or at the end, and writes
 * the counts as PERF_RECORD_READ records.
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
 * Appends a READ record for each event on each CPU or thread where it is open. The tid of the record is that thread, or -1. Its
 * count is of the time since the last such record, and its time is @time. Call event_set_count_lost() first, which reads the
 * counters.
 */
void counting_append(struct buf *out, struct event_set *set, uint64_t time);
/* Appends a line for each event with its count over all CPUs and threads, as event_set_count_lost() has read it. */
void counting_put(struct buf *out, const struct event_set *set);
/* Appends a line for each event on each CPU, if CPUs are recorded and not threads. */
void counting_put_cpus(struct buf *out, const struct event_set *set);
/*
 * Reads the counters, and appends lines like those of counting_put() for what was counted since the last call. Each line begins
 * with @ns, the time since the beginning.
 */
void counting_put_interval(struct counting *c, struct buf *out, struct event_set *set, uint64_t ns);

#endif
