/*
 * The keys of all records that a print pass wants, in the order in which they are printed.
 * Layer: flow
 */
#ifndef CORE_FLOW_KEYS_H
#define CORE_FLOW_KEYS_H

#include "core/flow/order.h"

struct ordered_pass;
struct session;

struct key_list {			/* {0} before the first keys_gather() */
	struct order_key *keys;		/* owned: free() */
	size_t nr;
	size_t nr_chunks;		/* those that keys are from */
	uint64_t time;			/* of the last record in them that has one */
};

/* Add the keys of the chunks that came since the last time. */
void keys_gather(struct key_list *out, struct session *s, const struct ordered_pass *pass, void *ctx);

#endif
