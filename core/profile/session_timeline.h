/*
 * Adds a timeline of the threads to a profile: times on a CPU (PROFILE_ON_CPU), off it with the reason, and runnable; wake-ups;
 * and losses, throttling and truncated traces as instants. Waits and wake-ups come from a pass over the samples of switches and
 * wake-ups, all else from the side band. The filter applies to all of them.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_TIMELINE_H
#define CORE_PROFILE_SESSION_TIMELINE_H

struct filter;
struct profile_builder;
struct session;
struct session_threads;

/* Adds all of them to @b; nothing if the recording has no times. */
void session_timeline(struct session *s, const struct filter *f, struct session_threads *threads, struct profile_builder *b);

#endif
