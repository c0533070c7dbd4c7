/*
 * Marks samples whose copy of the stack was shed, in a file with copies of stacks, so that readers do not unwind them.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_SHED_STACKS_H
#define CORE_RECORD_LOOP_SHED_STACKS_H

#include <stdint.h>

struct event_table;
struct findings;
struct ring_span;

/*
 * Lets those in the span, which is of a backlog, say that none of their stack is there, so that readers take the chain by frame
 * pointers alone. Returns how many these are.
 */
uint64_t shed_stacks_mark(const struct event_table *t, const struct ring_span *s);
/* Adds that @nr of @samples are such. */
void shed_stacks_findings(uint64_t nr, uint64_t samples, struct findings *out);

#endif
