/*
 * Call chains that leave the program's code (core/unwind/caller.h): checked once for each address and each distinct chain.
 * Layer: hists
 */
#ifndef CORE_HISTS_CHAIN_BREAKS_H
#define CORE_HISTS_CHAIN_BREAKS_H

#include <stdbool.h>
#include <stdint.h>

struct broken_chains;
struct buckets;
struct chain_table;
struct event;
struct event_table;
struct machine;

#define CHAIN_WHOLE UINT32_MAX

/*
 * [n] is the outermost node of chain node n in the code, if the next caller is impossible; else CHAIN_WHOLE. @bad: by address
 * key, it cannot be a caller's. Owned by the caller.
 */
uint32_t *chain_breaks(const struct chain_table *t, const bool *bad);

/*
 * [n] is the innermost user-space frame of chain node n, if that has no caller, or not its own (core/unwind/frameless.h); else
 * CHAIN_WHOLE, as inside execve(), where the old program's stack is gone: the one frame is no fault of the program. Owned by
 * the caller.
 */
uint32_t *chains_without_caller(const struct buckets *b, const struct machine *m);
/* [key]: is the address the kernel's? Owned by the caller. */
bool *kernel_addresses(const struct buckets *b, const struct machine *m);

/* True if the kernel made the event's chains by frame pointers. For copied stacks, or branches, other findings exist. */
bool chains_by_frame_pointers(const struct event *ev);

/*
 * Count the chains of @b, of @events, which were collected with NEED_ADDRESS and NEED_CHAIN. Loads the files that chains lead
 * through.
 */
void chain_breaks_count(const struct buckets *b, const struct event_table *events, const struct machine *m,
			struct broken_chains *out);

#endif
