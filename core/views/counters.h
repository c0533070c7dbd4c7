/*
 * The last values of counters that samples carry (PERF_SAMPLE_READ), to tell how far each moved.
 * Layer: views
 */
#ifndef CORE_VIEWS_COUNTERS_H
#define CORE_VIEWS_COUNTERS_H

#include "core/base/hash.h"
#include "core/base/vec.h"

struct counter { uint64_t id, value; uint32_t tid; };

struct counters {		/* = {0} is an empty one */
	VEC(struct counter) list;
	struct index by_id;
};

/* Remember @value; returns how much it is above the last one (all of it the first time). */
uint64_t counters_advance(struct counters *c, uint64_t id, uint32_t tid, uint64_t value);
void counters_release(struct counters *c);

#endif
