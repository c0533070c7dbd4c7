/*
 * Declares the sort keys whose value is one 64-bit word of a sample or branch, such as latency, misprediction, or the reason why a
 * transaction ended.
 * Layer: hists
 */
#ifndef CORE_HISTS_WORD_KEY_H
#define CORE_HISTS_WORD_KEY_H

struct key_table;

extern const struct key_table word_keys;

#endif
