/*
 * The keys of all records that a print pass wants, in the order in which they are printed.
 * Layer: flow
 */
#ifndef CORE_FLOW_KEYS_H
#define CORE_FLOW_KEYS_H

#include "core/flow/order.h"

struct print_pass;
struct session;

struct key_list {
	struct order_key *keys;		/* owned: free() */
	size_t nr;
};

void keys_gather(struct key_list *out, struct session *s, const struct print_pass *pass, void *ctx);

#endif
