/*
 * Keeps a number that changes over time, such as the number of running threads (core/sched/running.c). Callers add increases and
 * decreases in any order. timeline_finish() sorts these changes and computes the number after each of them.
 */
#ifndef CORE_MODEL_TIMELINE_H
#define CORE_MODEL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct timeline_step { uint64_t time; int64_t change; };	/* timeline_finish() replaces .change by the number from .time on */

struct timeline { VEC(struct timeline_step) steps; };		/* = {0}; timeline_release() */

void timeline_add(struct timeline *t, uint64_t time, int64_t change);
/* Call it once, after the last timeline_add(). */
void timeline_finish(struct timeline *t);
void timeline_release(struct timeline *t);

/* The number at @time, after changes at that time. *@at, 0 at first, caches the place of the last answer. Safe from any thread. */
int64_t timeline_at(const struct timeline *t, size_t *at, uint64_t time);

#endif
