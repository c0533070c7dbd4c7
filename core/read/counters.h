/*
 * Samples with the values of counters (PERF_SAMPLE_READ). Such a sample stands for each counter of its group that has changed
 * since it was last read; the difference is the period. So such samples must be read in order.
 * Layer: read
 */
#ifndef CORE_READ_COUNTERS_H
#define CORE_READ_COUNTERS_H

#include <stdbool.h>

#include "core/base/hash.h"
#include "core/base/vec.h"

struct event;
struct event_table;
struct sample;

struct counter { uint64_t id, value; uint32_t tid; };

struct counters {		/* the last values; = {0} is an empty one */
	VEC(struct counter) list;
	struct index by_id;
};

/* True if the samples of @ev are counter values with the owner's ids. */
bool event_counts(const struct event *ev);
/* True if any event of @t has such samples, which must be read in order of time. */
bool event_table_counts(const struct event_table *t);

/* Remember @value; returns how much it is above the last one (all of it the first time). */
uint64_t counters_advance(struct counters *c, uint64_t id, uint32_t tid, uint64_t value);

typedef void moved_fn(void *ctx, const struct event *ev, uint64_t period);

/*
 * Call @moved for each counter of a sample of @ev that moved since it was last read: all of its value the first time.
 * With inherited events each thread has values of its own (Linux 6.12).
 */
void counters_read(struct counters *c, const struct event_table *t, const struct event *ev, const struct sample *s,
		   moved_fn *moved, void *ctx);
void counters_release(struct counters *c);

#endif
