/*
 * Declares the sort keys that depend on addresses of code, such as dso, symbol and srcline. Usually they describe the sampled
 * address. If prec report counts branches, they describe the target of the branch. Then symbol_from and the other keys whose names
 * end with _from describe its source.
 * Layer: hists
 */
#ifndef CORE_HISTS_ADDRESS_KEY_H
#define CORE_HISTS_ADDRESS_KEY_H

struct key_table;

extern const struct key_table address_keys;

#endif
