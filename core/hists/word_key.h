/*
 * Sort keys that are one 64-bit word of a sample or of a branch: latency, the end of a transaction, misprediction.
 * Layer: hists
 */
#ifndef CORE_HISTS_WORD_KEY_H
#define CORE_HISTS_WORD_KEY_H

struct key_table;

extern const struct key_table word_keys;

#endif
