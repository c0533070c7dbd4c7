/* Chooses the events for off-CPU time and its reasons: the best of several ways that this user is permitted. Layer: open */
#ifndef CORE_RECORD_OPEN_OFF_CPU_H
#define CORE_RECORD_OPEN_OFF_CPU_H

#include <stdbool.h>

#include "core/perfdata/feature.h"

struct event_requests;
struct sampling_opts;
struct target;

/*
 * Adds the events to @events, and the side band's settings to @o. Reports the way, and its limitations. Call it after all
 * other options are settled. @t: the target; @args: record arguments of system calls, too, if allowed. Returns the way.
 */
enum off_cpu_access off_cpu_plan(struct event_requests *events, struct sampling_opts *o, const struct target *t, bool args);

#endif
