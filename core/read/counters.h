/*
 * Computes periods from the counter values in samples (PERF_SAMPLE_READ), as differences from the counter's last value.
 * `prec report` and `prec script` use it; read_format.h finds the values in a sample.
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

/* True if samples of @ev have counter values with ids. */
bool event_counts(const struct event *ev);
/* True if any event of @t has such samples, which must be read in order of time. */
bool event_table_counts(const struct event_table *t);

/* Stores @value; returns the difference to the last value, or @value if there is no last value. */
uint64_t counters_advance(struct counters *c, uint64_t id, uint32_t tid, uint64_t value);

typedef void moved_fn(void *ctx, const struct event *ev, uint64_t period);

/*
 * Calls @moved for each counter in a sample of @ev that has changed since it was last read. Such a sample has the values of all
 * counters of its event group, and counts as a sample of each counter that has changed. The period is the result of
 * counters_advance(). With inherited events each thread has its own values (Linux 6.12).
 */
void counters_read(struct counters *c, const struct event_table *t, const struct event *ev, const struct sample *s,
		   moved_fn *moved, void *ctx);
void counters_release(struct counters *c);

#endif
