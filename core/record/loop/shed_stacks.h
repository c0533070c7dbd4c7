/*
 * Marks samples whose copy of the stack was left out because the recorder could not keep up (shedding.h). Readers of the file
 * then do not try to unwind these samples.
 */
#ifndef CORE_RECORD_LOOP_SHED_STACKS_H
#define CORE_RECORD_LOOP_SHED_STACKS_H

#include <stdint.h>

struct event_table;
struct ring_span;

/*
 * Sets dyn_size of the stacks of such samples in @s, a part of a backlog (backlog.h), to 0, so that readers use only the chain
 * by frame pointers. Returns the number of these samples.
 */
uint64_t shed_stacks_mark(const struct event_table *t, const struct ring_span *s);

#endif
