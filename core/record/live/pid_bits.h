/*
 * Keeps the set of processes that have samples, because jit_maps.c asks only JVMs in this set for the names of their code. Pids
 * that are equal modulo 65536 share a bit. All functions are safe from any thread.
 */
#ifndef CORE_RECORD_LIVE_PID_BITS_H
#define CORE_RECORD_LIVE_PID_BITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PID_BITS	65536u

struct pid_bits { _Atomic uint64_t words[PID_BITS / 64]; };	/* = {0} */

static inline bool pid_bits_has(const struct pid_bits *b, uint32_t pid)
{
	return atomic_load_explicit(&b->words[pid % PID_BITS / 64], memory_order_relaxed) >> pid % 64 & 1;
}

/* Writes only bits that are not set yet, so that the cache line can stay in the caches of all CPUs that read it. */
static inline void pid_bits_set(struct pid_bits *b, uint32_t pid)
{
	if (!pid_bits_has(b, pid))
		atomic_fetch_or_explicit(&b->words[pid % PID_BITS / 64], 1ull << pid % 64, memory_order_relaxed);
}

#endif
