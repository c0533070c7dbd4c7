/*
 * Keys that are one word of a sample, or of a branch: how long it took, how a transaction ended, was it mispredicted.
 * Layer: profile
 */
#ifndef CORE_PROFILE_WORD_KEY_H
#define CORE_PROFILE_WORD_KEY_H

struct key_table;

extern const struct key_table word_keys;

#endif
