/*
 * Adds the function calls in a hardware trace to a profile (profile.h), for session_profile.c. call_walk.h finds the calls.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_CALLS_H
#define CORE_PROFILE_SESSION_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct filter;
struct profile_builder;
struct session;
struct session_threads;

struct session_calls_opts {
	const struct filter *filter;	/* borrowed */
	uint32_t event;			/* the builder's number of the event whose samples are the time in calls */
	bool times;			/* also add each sample with its time */
	uint32_t (*dso)(void *ctx, const struct dso *dso);	/* returns the builder's number of a dso */
	void *ctx;
};

struct call_span { uint64_t from, to; };	/* time in ns from the first call to the last; from UINT64_MAX: no calls */

/*
 * Adds each call as a row of the table profile_data.calls. The time in the call, without the calls that it made, becomes samples of
 * the event @o->event.
 */
struct call_span session_calls(struct session *s, struct session_threads *threads, struct profile_builder *b,
			       const struct session_calls_opts *o);

/* Hides the samples of a trace's branches, which are shown as calls, unless the user selects them by name. */
void session_hide_branches(struct session *s);

#endif
