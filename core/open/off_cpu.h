/*
 * What is recorded to know when threads are off the CPU, and why: of the ways that there are the best that is allowed.
 * Layer: open
 */
#ifndef CORE_OPEN_OFF_CPU_H
#define CORE_OPEN_OFF_CPU_H

#include <stdbool.h>

#include "core/format/feature.h"

struct event_requests;
struct sampling_opts;
struct target;

/*
 * Add the events to @events, and to @o what the side band is to tell. Says which way was chosen, and what is missing by it. To be
 * called when the other options are settled. @t: what is recorded; @args: with what system calls are asked for, where that is
 * allowed. Returns the way.
 */
enum off_cpu_way off_cpu_plan(struct event_requests *events, struct sampling_opts *o, const struct target *t, bool args);

#endif
