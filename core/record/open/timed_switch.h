/*
 * Runs BPF programs at context switches. A program on a tracepoint runs before the sample is taken and does not get the sample's
 * time, so it reads the same clock itself.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_TIMED_SWITCH_H
#define CORE_RECORD_OPEN_TIMED_SWITCH_H

#include <stdbool.h>

struct event;
struct event_set;

/* True if it is sched:sched_switch, with call chains and times of CLOCK_MONOTONIC. */
bool event_is_timed_switch(const struct event *ev);
/*
 * Runs @program before each sample of such events of @s, also for threads that are not recorded. Returns the descriptor that
 * keeps it there, or -errno.
 */
int event_set_run_at_switch(const struct event_set *s, int program);

#endif
