/*
 * Writes the name of an object that a thread waited for, such as "mutexes+0x28" (a variable and an offset) or "fd 5 pipe:[812]",
 * and the name of the thread that held or released it. wait_locks.h finds both.
 */
#ifndef CORE_SCHED_WAIT_NAMES_H
#define CORE_SCHED_WAIT_NAMES_H

#include <stdint.h>

struct buf;
struct session;
struct context_cache;

/* Appends the name of lock @lock of session_wait_locks(): "mutexes+0x28", "fd 5 pipe:[812]", "fd 5", "pid 77". */
void wait_lock_put(const struct session *s, uint32_t lock, struct buf *out);
/* Appends a holder, as wait_view_holder() returns it: "demo/77", "released by demo/77". */
void wait_holder_put(const struct session *s, struct context_cache *cache, uint64_t holder, struct buf *out);

#endif
