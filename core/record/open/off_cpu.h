/*
 * Adds the events by which prec record --off-cpu measures how long threads are off the CPU. With enough permission, the events
 * also show the call stack of each wait, and the thread that ended the wait.
 */
#ifndef CORE_RECORD_OPEN_OFF_CPU_H
#define CORE_RECORD_OPEN_OFF_CPU_H

#include <stdbool.h>

#include "core/perfdata/feature.h"

struct event_requests;
struct sampling_opts;
struct target;

/*
 * Adds the events to @events, and settings of the dummy event with SWITCH records to @o. Reports the way that was chosen, and its
 * limitations. Call it after all other options are settled. @t is the target. @args: record the arguments of system calls, too, if
 * allowed. Returns the way. off_cpu.c lists the three ways; the best that is permitted is taken.
 */
enum off_cpu_access off_cpu_plan(struct event_requests *events, struct sampling_opts *o, const struct target *t, bool args);

#endif
