/*
 * Converts the call stacks of a profile for the Firefox Profiler and pprof, which need an address and an inline depth for each
 * frame. A caller's frame gets an address in the call instruction, not the return address. An inlined function has the address of
 * the function that contains its code.
 * Layer: export
 */
#ifndef CORE_SHOW_EXPORT_INLINE_FRAMES_H
#define CORE_SHOW_EXPORT_INLINE_FRAMES_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"

struct inline_frame {
	uint64_t address;		/* relative to its library; 0: unknown */
	uint32_t frame;			/* of the profile */
	uint32_t inline_depth;		/* 0: it is not inlined */
	uint32_t symbol;		/* the function, inlined or not, whose symbol covers the address */
};

struct inline_stack {
	uint32_t frame;			/* of .frames */
	uint32_t prefix_offset;		/* distance to its parent, which is before it; 0: it is a root */
};

struct inline_frames {			/* = {0}; inline_frames_release() */
	VEC(struct inline_frame) frames;
	VEC(struct inline_stack) stacks;	/* [n - 1] of the profile's stack n */
	struct index by_place;
	VEC(uint32_t) files;		/* strings: each file of source once */
	VEC(uint32_t) file_of;		/* by function of the profile: a number of .files, or PROFILE_NONE */
};

void inline_frames_make(struct inline_frames *f, const struct profile_data *d);
void inline_frames_release(struct inline_frames *f);

#endif
