/*
 * Makes frames that name the reason of a wait, so that flame graphs and trees of wall time show it. session_profile.c puts them
 * into the call chain of the wait.
 *
 *	[held by worker-2]		the thread that held the lock
 *	[released by worker-2]		if the holder is not known: the thread that ended the wait
 *	[waiting: lock jobs_mutex]	the reason, and the lock, file descriptor or child process if it is known
 *	[runnable, no CPU]		the thread could run, but had no CPU
 *
 * Layer: profile
 */
#ifndef CORE_PROFILE_WAIT_FRAMES_H
#define CORE_PROFILE_WAIT_FRAMES_H

#include "core/base/vec.h"
#include "core/hists/detail.h"
#include "core/hists/layout.h"

struct profile_builder;
struct session;

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
