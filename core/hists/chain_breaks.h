/*
 * Finds call chains that are wrong, because a return address is impossible or the caller of the innermost function is missing,
 * and counts their samples by binary. naming.c calls it. name_counts.c warns the user about these chains.
 */
#ifndef CORE_HISTS_CHAIN_BREAKS_H
#define CORE_HISTS_CHAIN_BREAKS_H

#include <stdbool.h>
#include <stdint.h>

struct broken_chains;
struct bucket;
struct buckets;
struct event_table;
struct machine;

struct chain_breaks {		/* chain_breaks_release() */
	const struct event_table *events;	/* borrowed */
	const struct machine *machine;		/* borrowed */
	uint32_t *kind;			/* by chain node: an index of .counts; 0: the chain is complete */
	uint64_t *counts;		/* samples: [0] complete chains; then for no file, and each file: broken, no caller */
	uint64_t nr_chains;		/* samples with a chain */
};

/*
 * Checks the chains of @b, which were collected with NEED_ADDRESS and NEED_CHAIN from @events. @broken: by address key, true if the
 * address cannot be a caller's; NULL: it is computed. Loads the files that occur in chains.
 *
 * A chain is broken if one of its addresses cannot be a return address (core/unwind/caller.h). A chain may lack the caller of its
 * innermost function (core/unwind/frameless.h). Each address and each distinct chain is checked once.
 */
void chain_breaks_find(struct chain_breaks *c, const struct buckets *b, const struct event_table *events, const struct machine *m,
		       const bool *broken);
/* Counts the samples of @bucket, by the file of the function whose caller is unknown. */
void chain_breaks_count(struct chain_breaks *c, const struct bucket *bucket);
/* Adds all counts to @out. */
void chain_breaks_sum(const struct chain_breaks *c, struct broken_chains *out);
void chain_breaks_release(struct chain_breaks *c);

/* By address key: true if the address is in the kernel. Owned by the caller. */
bool *kernel_addresses(const struct buckets *b, const struct machine *m);

#endif
