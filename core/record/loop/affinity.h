/*
 * Pins a thread of the recorder to given CPUs (--threads), or moves it to the CPU or NUMA node of the ring buffer that it is about
 * to read (--affinity).
 */
#ifndef CORE_RECORD_LOOP_AFFINITY_H
#define CORE_RECORD_LOOP_AFFINITY_H

struct cpus;
struct affinity;

enum affinity_mode { AFFINITY_ANY, AFFINITY_NODE, AFFINITY_CPU };

/* Lets the calling thread run on these CPUs only. Returns 0 or -errno. */
int affinity_set(const struct cpus *cpus);

/* Makes the data for affinity_move(), owned by the caller: affinity_free(). Returns NULL for AFFINITY_ANY. */
struct affinity *affinity_new(enum affinity_mode mode);
/*
 * Moves the calling thread to @cpu, or to the NUMA node of @cpu. Does nothing if @cpu is -1 or @a is NULL. A failure is not
 * printed, because it only costs speed.
 */
void affinity_move(struct affinity *a, int cpu);
void affinity_free(struct affinity *a);

#endif
