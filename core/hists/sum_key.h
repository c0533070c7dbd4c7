/*
 * Declares the columns of a report that are sums over the samples of a row, such as overhead, sample and period. key_table.c finds
 * them by name.
 * Layer: hists
 */
#ifndef CORE_HISTS_SUM_KEY_H
#define CORE_HISTS_SUM_KEY_H

struct key_table;

extern const struct key_table sum_keys;

#endif
