/*
 * Declares functions that add one kind of rows each to the profile of a recording: threads, code of functions, calls of a
 * hardware trace, the timeline, columns of samples, and frames of waits. session_profile.c calls these functions and adds all
 * other rows.
 */
#ifndef CORE_PROFILE_SESSION_PARTS_H
#define CORE_PROFILE_SESSION_PARTS_H

#include "core/base/vec.h"
#include "core/hists/detail.h"
#include "core/hists/key_context.h"
#include "core/hists/layout.h"
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

/* Samples of an event at an address. */
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

/* Adds calls as rows of profile_data.calls. The time in a call without its own calls becomes samples of @o->event. */
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

/* ---- sample_columns.c: columns with the values of sort keys and tracepoint fields, for prec query and prec export ---- */

/*
 * Samples with different values are summed in different buckets (core/hists/bucket.h), so a value is computed once per bucket.
 * Before the samples are read, sample_columns_plan() sets struct bucket_opts, which chooses the values that buckets distinguish.
 * After that, sample_columns_make() computes the values and adds the columns to the builder.
 */
struct sample_columns {			/* = {0}: there are no columns; sample_columns_release() */
	struct detail_plan plan;	/* .layout NULL: there are no columns */
	struct key_context view;
	uint64_t *values;		/* layout->nr_keys for each bucket */
};

/* Makes @opts collect what the keys of @layout need. @layout and @traces are borrowed until the columns are released. */
void sample_columns_plan(struct sample_columns *c, const struct layout *layout, const struct trace_keys *traces,
			 const struct session *s, struct bucket_opts *opts);
/* Adds the columns to @builder, and computes the values of all buckets. The names of @locations must have been looked up. */
void sample_columns_make(struct sample_columns *c, const struct buckets *buckets, const struct locations *locations,
			 const struct session *s, struct profile_builder *builder);
/* The values for profile_add_sample(); NULL: there are no columns. */
const uint64_t *sample_columns_of(const struct sample_columns *c, uint32_t bucket);
void sample_columns_release(struct sample_columns *c);

/*
 * ---- wait_frames.c: frames that name the reason of a wait, so that flame graphs and trees of wall time show it ----
 *
 *	[held by worker-2]		the thread that held the lock
 *	[released by worker-2]		if the holder is not known: the thread that ended the wait
 *	[waiting: lock jobs_mutex]	the reason, and the lock, file descriptor or child process if it is known
 *	[runnable, no CPU]		the thread could run, but had no CPU
 */

#define WAIT_FRAMES_MAX 2u

/* If the reason is known, the frames replace the kernel's functions, which show only how the thread waited. */
struct wait_frames_of {
	bool known;			/* the members below are filled */
	bool whole;			/* the reason is unknown, so keep the kernel's functions, which may show it */
	unsigned nr;			/* number of .frames; 0: the sample is no wait */
	uint32_t frames[WAIT_FRAMES_MAX];	/* the builder's numbers of the frames, the outer one first */
};

struct wait_frames {		/* = {0}; wait_frames_release() */
	bool only_ready;
	struct layout layout;
	struct detail_plan plan;
	VEC(struct wait_frames_of) of;	/* by the number of a detail (core/hists/detail.h) */
	uint32_t dso;			/* the builder's number of the dso "[waits]"; PROFILE_NONE: not added yet */
};

/*
 * Makes @opts distinguish waits by their reasons, and splits the waits of @s into what they were for, by holders, too. @only_ready:
 * only the times in which threads were ready get a frame. Call it before samples are summed.
 */
void wait_frames_plan(struct wait_frames *w, struct session *s, bool only_ready, struct bucket_opts *opts);
/* The frames of samples with this detail; borrowed until the next call. */
const struct wait_frames_of *wait_frames_of(struct wait_frames *w, const struct session *s, const struct byte_table *details,
					    uint32_t detail, struct profile_builder *b);
void wait_frames_release(struct wait_frames *w);

#endif
