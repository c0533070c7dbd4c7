/*
 * Finds how many of the recorded threads ran at a given time. report --latency divides each sample's period by this number
 * (core/hists/named_bucket.c). task_changes.h supplies the context switches, forks and exits.
 */
#ifndef CORE_SCHED_RUNNING_H
#define CORE_SCHED_RUNNING_H

#include <stddef.h>
#include <stdint.h>

struct task_changes;

#define RUNNING_MAX	65535u		/* larger numbers become this */

struct running;

/*
 * Replays @changes, which are in order of time. Thread 0, the idle task, and thread -1, which has exited, never run. A thread whose
 * first record is a switch out or an exit has been running from the start of the recording. An exit ends a run: the kernel records
 * no switch out for a thread that exits. Owned by the caller.
 */
struct running *running_new(const struct task_changes *changes);
void running_free(struct running *r);

/* The number of running threads at @time, at least 1. *@at: see timeline_at(). May be called from any thread. */
uint32_t running_at(const struct running *r, size_t *at, uint64_t time);

#endif
