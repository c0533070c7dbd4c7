/*
 * Adds a timeline of the threads in a recording to its profile (profile.h), for session_profile.c. core/sched/task_changes.h finds
 * when each thread was on a CPU.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_TIMELINE_H
#define CORE_PROFILE_SESSION_TIMELINE_H

struct filter;
struct profile_builder;
struct session;
struct session_threads;

/*
 * Adds the timeline to @b; nothing if the recording has no times. The timeline has intervals, in which a thread was on a CPU
 * (PROFILE_ON_CPU), off the CPU (with the reason) or runnable; these times come from the samples of context switches and wake-ups.
 * It also has wake-ups, and instants for losses, throttling and truncated traces, which come from LOST, THROTTLE, AUX and similar
 * records. An interval, wake-up or instant is added only if it passes @f.
 */
void session_timeline(struct session *s, const struct filter *f, struct session_threads *threads, struct profile_builder *b);

#endif
