/*
 * Declares what adds rows of one kind to the profile of a recording: threads, code of functions, calls of a hardware trace, and the
 * timeline. session_profile.c calls these functions and adds all other rows.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_PARTS_H
#define CORE_PROFILE_SESSION_PARTS_H

#include "core/base/vec.h"
#include "core/profile/builder.h"

struct dso;
struct filter;
struct session;
struct task_context;

/* ---- session_threads.c: each thread is added once, with its process and its names, as soon as a row refers to it ---- */

struct session_threads;

/* Borrows both arguments until session_threads_free(). */
struct session_threads *session_threads_new(const struct session *s, struct profile_builder *b);
void session_threads_free(struct session_threads *t);

/* The builder's number of a thread, by the machine's number (struct thread). */
uint32_t session_thread(struct session_threads *t, uint32_t number);
/* Returns the thread that had @tid at @time, with its name at that time. @pid UINT32_MAX: unknown. Borrowed until the next call. */
const struct task_context *session_thread_context(struct session_threads *t, uint32_t pid, uint32_t tid, uint64_t time);

/* ---- session_code.c: the instructions and source lines of the hottest functions, for the code view of HTML pages ---- */

/* Some samples of an event at an address. */
struct sampled_code {
	uint32_t function;		/* the builder's number; PROFILE_NONE: no function with a name */
	uint32_t event, space;
	uint64_t ip, addr;		/* .ip: the address in .space; .addr: the same address in the dso's terms */
	uint64_t nr, period;
};

struct sampled_codes { VEC(struct sampled_code) list; };	/* in any order */

/* Adds the instructions and lines of at most @nr functions of @codes: those with the largest share of an event. */
void add_session_code(struct profile_builder *b, struct session *s, const struct sampled_codes *codes, uint32_t nr);

/* ---- session_calls.c: the calls in a hardware trace, which call_walk.h finds ---- */

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

/* ---- session_timeline.c ---- */

/*
 * Adds the timeline to @b; nothing if the recording has no times. The timeline has intervals, in which a thread was on a CPU
 * (PROFILE_ON_CPU), off the CPU (with the reason) or runnable; these times come from the samples of context switches and wake-ups.
 * It also has wake-ups, and instants for losses, throttling and truncated traces, which come from LOST, THROTTLE, AUX and similar
 * records. An interval, wake-up or instant is added only if it passes @f.
 */
void session_timeline(struct session *s, const struct filter *f, struct session_threads *threads, struct profile_builder *b);

#endif
