/*
 * Pins the recorder's threads: to given CPUs, or near the ring that a thread is about to read (--affinity).
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_AFFINITY_H
#define CORE_RECORD_LOOP_AFFINITY_H

struct cpus;
struct affinity;

enum affinity_mode { AFFINITY_ANY, AFFINITY_NODE, AFFINITY_CPU };

/* Let the calling thread run on these CPUs only. Returns 0 or -errno. */
int affinity_set(const struct cpus *cpus);

/* Owned by the caller: affinity_free(). NULL for AFFINITY_ANY. */
struct affinity *affinity_new(enum affinity_mode mode);
/* Move the calling thread to @cpu, or to its node; -1, or @a NULL: stay. A refusal is not printed: it costs speed only. */
void affinity_move(struct affinity *a, int cpu);
void affinity_free(struct affinity *a);

#endif
