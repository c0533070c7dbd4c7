/*
 * Sort keys of an address: file, function, line. In a report of branches it is the address that a branch went to, and
 * there are more for the one it came from.
 * Layer: hists
 */
#ifndef CORE_HISTS_ADDRESS_KEY_H
#define CORE_HISTS_ADDRESS_KEY_H

struct key_table;

extern const struct key_table address_keys;

#endif
