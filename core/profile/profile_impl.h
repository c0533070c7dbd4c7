/*
 * The members of struct profile, which the builder makes and profile.c reads.
 * Layer: profile
 */
#ifndef CORE_PROFILE_PROFILE_IMPL_H
#define CORE_PROFILE_PROFILE_IMPL_H

#include "core/base/buf.h"
#include "core/base/finding.h"
#include "core/base/spill.h"
#include "core/profile/profile.h"

/* Samples are stored one after the other as varints: time since the last, weight since the last (zigzag), period, values. */
struct profile_block {		/* of SAMPLES_A_BLOCK: where reading may begin */
	uint64_t time, weight;	/* of the sample before */
	uint64_t next_time;	/* of its first sample */
	uint64_t offset;	/* in .samples */
};

#define SAMPLES_A_BLOCK 4096

struct profile {		/* owns all its tables */
	struct profile_data data;
	char *text;
	const char **strings;
	struct spill samples;		/* all are there: spill_all() was called */
	const uint8_t *first_sample;	/* of it */
	uint64_t samples_size;
	VEC(struct profile_block) blocks;
	struct findings findings;
};

#endif
