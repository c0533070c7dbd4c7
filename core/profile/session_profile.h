/*
 * Makes the profile of a recording in one parallel pass over its samples; each address is named once, as in a report.
 * Layer: profile
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

struct profile_query {			/* the wanted parts */
	const struct filter *filter;	/* borrowed */
	bool only_wanted;		/* the sums of samples that .filter leaves out are not wanted: profile_event.nr_filtered */
	const struct event *event;	/* only its samples; NULL: all events'. Borrowed */
	bool sources;			/* with .event NULL: also events that another is made of, and shown in their place */
	enum profile_frames frames;	/* the kind of frame; lines of source are looked up for all but the first */
	unsigned max_depth;		/* the innermost frames of a chain that are kept; 0: no chains, only sampled addresses */
	bool inlines;			/* functions inlined at frames of chains and at sampled addresses are frames, too */
	bool cpus;			/* distinguish weights by CPU */
	bool merge_threads;		/* weights have neither thread nor name */
	bool merge_addresses;		/* weights have no address, only a stack, */
	bool merge_code;		/* and not even that; for a filter without names */
	bool times;			/* each sample with its time, too */
	/*
	 * Sort keys, whose values each sample has as columns; NULL: there are none. Without .times samples with equal values are
	 * one, and its time is their number. Borrowed, as the next.
	 */
	const struct layout *columns;
	const struct trace_keys *traces;	/* the fields of tracepoints that are keys in .columns */
	bool calls;			/* calls of a trace, and in place of its branches the time in each of them */
	/* Waits have frames that say what for, of wait_frames.h, as their innermost; not with .columns. */
	bool wait_frames;
	bool unresolved;		/* samples without a symbol are a finding */
	uint32_t nr_code;		/* this many functions, those with the largest shares, with their code */
};

/* Owned by the caller: profile_free(). Samples that cannot be read are counted by the session, and left out. */
struct profile *profile_of_session(struct session *s, const struct profile_query *q);

#endif
