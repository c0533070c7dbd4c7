/*
 * Finds how many of the recorded threads ran at a given time. report --latency divides each sample's period by this number
 * (core/hists/named_bucket.c). threads_running.c supplies the context switches, forks and exits.
 * Layer: sched
 */
#ifndef CORE_SCHED_RUNNING_H
#define CORE_SCHED_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNNING_MAX	65535u		/* larger numbers become this */

struct running;

struct running *running_new(void);
void running_free(struct running *r);

/*
 * Call all of these in order of time, ns. Thread 0, the idle task, and thread -1, which has exited, never run. A thread whose first
 * record is a switch out or an exit has been running from the start of the recording.
 */
void running_forked(struct running *r, uint32_t tid, uint64_t time);
void running_switch(struct running *r, uint32_t tid, bool in, uint64_t time);
/* Ends a run by the EXIT record: the kernel records no switch-out for a thread that exits. */
void running_end(struct running *r, uint32_t tid, uint64_t time);
/* Call it once, after all of these. */
void running_finish(struct running *r);

/* The number of running threads at @time, at least 1. *@at: see timeline_at(). May be called from any thread. */
uint32_t running_at(const struct running *r, size_t *at, uint64_t time);

#endif
