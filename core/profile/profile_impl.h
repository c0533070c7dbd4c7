/* Defines the members of struct profile (profile.h). The files builder*.c fill them, and profile.c reads them. */
#ifndef CORE_PROFILE_PROFILE_IMPL_H
#define CORE_PROFILE_PROFILE_IMPL_H

#include "core/ui/finding.h"
#include "core/base/spill.h"
#include "core/profile/profile.h"

/* Encodes a column's value for a varint. PROFILE_NO_VALUE becomes 0, which is short, and lower values become one larger. */
static inline uint64_t column_code(uint64_t value)
{
	return value == PROFILE_NO_VALUE ? 0 : value < PROFILE_NO_VALUE ? value + 1 : value;
}

static inline uint64_t column_value(uint64_t code)
{
	return !code ? PROFILE_NO_VALUE : code <= PROFILE_NO_VALUE ? code - 1 : code;
}

struct profile {		/* owns all its tables */
	struct profile_data data;
	char *text;
	const char **strings;
	/* Varints: time since the last sample, weight since the last (zigzag), period, values. spill_all() was called. */
	struct spill samples;
	const uint8_t *first_sample;	/* the start of the bytes in .samples */
	uint64_t samples_size;
	struct findings findings;
};

#endif
