/*
 * Runs a thread that copies the contents of ring buffers to other memory (backlog.h) and does nothing else, so that the kernel
 * finds room in the ring buffers while their reader waits for a CPU, the disk or a pipe. The thread takes a real-time priority
 * if allowed: a ring buffer of samples with copies of stacks is full after some milliseconds, and other threads may keep the CPU
 * that long.
 *
 * If this memory fills up, the thread makes the kernel copy less of the stacks, or nothing (event_set_shed_stacks()), because a
 * sample without its stack is better than no sample. Stacks that are unwound later (shed_stacks.h) are copied whole or not at
 * all.
 *
 * The thread does not handle overwrite ring buffers, which keep their data; ring buffers with an AUX area, which must be read
 * together with the area; recordings with --threads, where each reader has its own CPUs and file; and unbuffered recordings,
 * which write each record when it arrives.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_PUMPS_H
#define CORE_RECORD_LOOP_PUMPS_H

#include <stdbool.h>
#include <stdint.h>

struct event_set;
struct pumps;
struct reader;

/*
 * Gives the ring buffers of @set a backlog (backlog.h), and prepares the thread that fills it and wakes @reader. *out is NULL if
 * there is no memory for the backlog, or no ring buffer to copy; then ring buffers are read directly. Owned by the caller. @set
 * must outlive *out.
 */
void pumps_new(struct pumps **out, struct event_set *set, const struct reader *reader);
/* True if the thread waits for data of ring buffer @ring. */
bool pumps_have(const struct pumps *p, uint32_t ring);
/* Makes the thread wait for opened event number @number, too. Prints errors; returns 0 or -1. */
int pumps_watch(struct pumps *p, uint64_t number);
/*
 * Returns the longest time that the thread waited for a CPU, and whether the thread has a real-time priority. Safe from any
 * thread.
 */
uint64_t pumps_waited_ns(const struct pumps *p, bool *has_priority);
/* Returns an eventfd. Reading it gives the number of events that have ended with their threads since the last reading. */
int pumps_ended(const struct pumps *p);
/* Starts the thread. @urgent: the thread takes a real-time priority. Prints errors; returns 0 or -1. */
int pumps_start(struct pumps *p, bool urgent);
/* Ends the thread. From then on the reader copies the data of the ring buffers itself when it reads them. @p may be NULL. */
void pumps_stop(struct pumps *p);
void pumps_free(struct pumps *p);

#endif
