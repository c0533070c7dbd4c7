/*
 * Adds the instructions and source lines of the hottest functions to the profile of a recording, for the code view of HTML pages.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_CODE_H
#define CORE_PROFILE_SESSION_CODE_H

#include "core/base/vec.h"
#include "core/profile/builder.h"

struct session;

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

#endif
