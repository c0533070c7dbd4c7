/*
 * Keys that most recordings have values for: whose sample it is, when and on which CPU.
 * Layer: profile
 */
#ifndef CORE_PROFILE_BASE_KEY_H
#define CORE_PROFILE_BASE_KEY_H

struct key_table;

extern const struct key_table base_keys;

#endif
