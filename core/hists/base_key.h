/*
 * Sort keys that most recordings have values for: process, thread, time and CPU of a sample.
 * Layer: hists
 */
#ifndef CORE_HISTS_BASE_KEY_H
#define CORE_HISTS_BASE_KEY_H

struct key_table;

extern const struct key_table base_keys;

#endif
