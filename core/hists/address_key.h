/*
 * Declares the sort keys for the address of a sample: its file, function and source line. If prec report counts branches, these
 * keys describe the target of the branch, and keys with the suffix _from describe its source.
 * Layer: hists
 */
#ifndef CORE_HISTS_ADDRESS_KEY_H
#define CORE_HISTS_ADDRESS_KEY_H

struct key_table;

extern const struct key_table address_keys;

#endif
