/*
 * The members of struct profile, which the builder makes and profile.c reads.
 * Layer: profile
 */
#ifndef CORE_PROFILE_PROFILE_IMPL_H
#define CORE_PROFILE_PROFILE_IMPL_H

#include "core/base/buf.h"
#include "core/base/finding.h"
#include "core/profile/profile.h"

/* Samples are stored one after the other as varints: time since the last, weight since the last (zigzag), period, values. */
struct profile_block {		/* of SAMPLES_A_BLOCK: where reading may begin */
	uint64_t time, weight;	/* of the sample before */
	uint64_t next_time;	/* of its first sample */
	size_t offset;		/* in .samples */
};

#define SAMPLES_A_BLOCK 4096

struct profile {		/* owns all its tables */
	struct profile_data data;
	char *text;
	const char **strings;
	struct buf samples;
	VEC(struct profile_block) blocks;
	struct findings findings;
};

#endif
