/*
 * Where call chains leave the program's code (core/unwind/caller.h): asked once for each address and each distinct chain.
 * Layer: profile
 */
#ifndef CORE_PROFILE_CHAIN_BREAKS_H
#define CORE_PROFILE_CHAIN_BREAKS_H

#include <stdbool.h>
#include <stdint.h>

struct broken_chains;
struct buckets;
struct chain_table;
struct machine;

#define CHAIN_WHOLE UINT32_MAX

/*
 * [n] is of chain node n the outermost node that is in the code, where what is said to have called that cannot have; else
 * CHAIN_WHOLE. @bad: by address key, it cannot be a caller's. Owned by the caller.
 */
uint32_t *chain_breaks(const struct chain_table *t, const bool *bad);

/* Count the chains of @b, which were collected with NEED_ADDRESS and NEED_CHAIN. Loads the files that chains lead through. */
void chain_breaks_count(const struct buckets *b, const struct machine *m, struct broken_chains *out);

#endif
