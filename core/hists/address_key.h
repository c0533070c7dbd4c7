/*
 * Declares the sort keys that depend on addresses of code, such as dso, symbol and srcline. Usually they describe the sampled
 * address. If prec report counts branches, they describe the target of the branch, and keys with the suffix _from its source.
 * Layer: hists
 */
#ifndef CORE_HISTS_ADDRESS_KEY_H
#define CORE_HISTS_ADDRESS_KEY_H

struct key_table;

extern const struct key_table address_keys;

#endif
