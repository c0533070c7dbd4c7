/*
 * Computes an address and an inline depth (0: not inlined) for each frame of a profile's call stacks. The formats of the Firefox
 * Profiler (firefox.c) and of pprof (pprof.c) require both.
 */
#ifndef CORE_SHOW_EXPORT_INLINE_FRAMES_H
#define CORE_SHOW_EXPORT_INLINE_FRAMES_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"

/* A caller's address is in the call instruction. An inlined function's is that of the frame around it, at a larger depth. */
struct inline_frame {
	uint64_t address;		/* relative to its library; 0: unknown */
	uint32_t frame;			/* number of the frame in the profile */
	uint32_t inline_depth;		/* 0: it is not inlined */
	uint32_t symbol;		/* the function, inlined or not, whose symbol covers the address */
};

struct inline_stack {
	uint32_t frame;			/* a number of inline_frames.frames */
	uint32_t prefix_offset;		/* its number minus that of its parent; 0: it has no parent */
};

struct inline_frames {			/* = {0}; inline_frames_release() */
	VEC(struct inline_frame) frames;
	VEC(struct inline_stack) stacks;	/* [n - 1] belongs to stack n of the profile */
	struct index by_place;
	VEC(uint32_t) files;		/* strings of the profile: each source file once */
	VEC(uint32_t) file_of;		/* by function of the profile: a number of .files, or PROFILE_NONE */
};

void inline_frames_make(struct inline_frames *f, const struct profile_data *d);
void inline_frames_release(struct inline_frames *f);

#endif
