/* Keys of waits: event offcpu-time. Layer: hists */
#ifndef CORE_HISTS_WAIT_KEY_H
#define CORE_HISTS_WAIT_KEY_H

struct key_table;

/* With this key, waits must be split: session_split_waits(). */
#define WAIT_KEY_LOCK "lock"
#define WAIT_KEY_HOLDER "holder"

extern const struct key_table wait_keys;

#endif
