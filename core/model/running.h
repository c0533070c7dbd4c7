/*
 * How many of the recorded threads run, at any time: replayed from context switches, and from the beginnings and ends of
 * threads.
 *
 * A recording begins in the middle of things: who is first seen to leave a CPU, or to end, had been running from the start.
 * Layer: model
 */
#ifndef CORE_MODEL_RUNNING_H
#define CORE_MODEL_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNNING_MAX	65535u		/* more threads do not run at a time */

struct running;

struct running *running_new(void);
void running_free(struct running *r);

/* All in order of time, ns. Thread 0 is the idle task, and threads of number -1 are past their end: they never run. */
void running_born(struct running *r, uint32_t tid, uint64_t time);
void running_switch(struct running *r, uint32_t tid, bool in, uint64_t time);
/* A thread that ends is not switched out before. */
void running_end(struct running *r, uint32_t tid, uint64_t time);
/* Once, after all of these. */
void running_finish(struct running *r);

/* How many ran at @time, at least 1: somebody asks. *@at: timeline_at(). Safe from any thread. */
uint32_t running_at(const struct running *r, size_t *at, uint64_t time);

#endif
