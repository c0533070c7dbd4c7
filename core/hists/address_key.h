/*
 * Sort keys of an address: file, function, line. In a report of branches they describe the target of the branch; more keys
 * describe its source.
 * Layer: hists
 */
#ifndef CORE_HISTS_ADDRESS_KEY_H
#define CORE_HISTS_ADDRESS_KEY_H

struct key_table;

extern const struct key_table address_keys;

#endif
