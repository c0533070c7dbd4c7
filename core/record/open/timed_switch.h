/*
 * Makes the kernel run a BPF program before each sample of sched:sched_switch. The program (core/record/bpf/python.bpf.c) reads
 * the Python frames of the thread that leaves the CPU. core/record/live/python.c calls it.
 * Layer: open
 */
#ifndef CORE_RECORD_OPEN_TIMED_SWITCH_H
#define CORE_RECORD_OPEN_TIMED_SWITCH_H

#include <stdbool.h>

struct event;
struct event_set;

/* True if the event is sched:sched_switch, with call chains and times of CLOCK_MONOTONIC. */
bool event_is_timed_switch(const struct event *ev);
/*
 * Makes @program run before each sample of such events of @s, also for threads that are not recorded. Returns the descriptor that
 * keeps the program attached, or -errno. The program runs before the tracepoint's sample is taken, so it does not know the sample's
 * time. It reads the clock of the samples (CLOCK_MONOTONIC) itself, a moment earlier.
 */
int event_set_run_at_switch(const struct event_set *s, int program);

#endif
