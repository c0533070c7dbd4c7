/*
 * BPF programs at context switches. A program for a tracepoint runs before its sample, and is not given the sample's time: it
 * takes one of its own, of the same clock.
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
 * Lets @program run before each sample of such events of @s, and for threads that are not recorded. Returns the descriptor that
 * keeps it there, or -errno.
 */
int event_set_run_at_switch(const struct event_set *s, int program);

#endif
