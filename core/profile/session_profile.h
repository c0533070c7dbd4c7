/*
 * Makes a profile of a recording: tables of its samples, functions and stacks, from which prec exports and compares (profile.h).
 * Several threads read and sum the samples in one pass. Then each distinct address is looked up once.
 */
#ifndef CORE_PROFILE_SESSION_PROFILE_H
#define CORE_PROFILE_SESSION_PROFILE_H

#include "core/profile/profile.h"

struct event;
struct filter;
struct layout;
struct session;
struct trace_keys;

enum profile_frames { PROFILE_BY_FUNCTION, PROFILE_BY_LINE, PROFILE_BY_ADDRESS };

struct profile_query {			/* what the profile should have */
	const struct filter *filter;	/* borrowed */
	bool only_wanted;		/* do not count the samples that .filter leaves out (profile_event.nr_filtered) */
	const struct event *event;	/* only its samples; NULL: all events'. Borrowed */
	bool sources;			/* with .event NULL: also the events from which other events are made */
	enum profile_frames frames;	/* the kind of frame; lines of source are looked up for all but the first */
	unsigned max_depth;		/* number of innermost frames to keep of a chain; 0: no chains, only sampled addresses */
	bool inlines;			/* also make frames of inlined functions, in chains and at sampled addresses */
	bool cpus;			/* distinguish weights by CPU */
	bool merge_threads;		/* do not distinguish weights by thread and name */
	bool merge_addresses;		/* do not distinguish weights by address, only by stack */
	bool merge_code;		/* distinguish weights neither by address nor by stack; only for a filter without names */
	bool times;			/* also keep each sample with its time */
	bool timeline;			/* add intervals, instants and links: session_parts.h */
	/*
	 * Sort keys whose values become columns of the samples; NULL: none. Without .times, samples with equal values are merged,
	 * and their time is their number. Borrowed, as the next.
	 */
	const struct layout *columns;
	const struct trace_keys *traces;	/* the keys of tracepoint fields that .columns refers to */
	bool calls;			/* add the calls of a trace, and replace its branches by the time in each call */
	/* Add the reasons of waits as innermost frames: wait_frames.c; not with .columns. */
	bool wait_frames;
	bool only_ready;		/* with .wait_frames: only the frame of times in which threads were ready */
	bool unresolved;		/* add a finding for samples without a symbol */
	uint32_t nr_code;		/* add the code of this many functions: those with the largest shares */
};

/* Makes the profile of @s. Owned by the caller: profile_free(). Skips samples that cannot be read, which the session counts. */
struct profile *profile_of_session(struct session *s, const struct profile_query *q);

#endif
