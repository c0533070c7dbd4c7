/*
 * Runs a thread that copies the contents of ring buffers to other memory (backlog.h) and does nothing else, so that the kernel
 * finds room in the ring buffers while their reader waits for a CPU, the disk or a pipe. The thread takes a real-time priority
 * if allowed: a ring buffer of samples with copies of stacks is full after some milliseconds, and other threads may keep the CPU
 * that long.
 *
 * If this memory fills up, the thread makes the kernel copy a smaller part of each stack, or no stack at all
 * (event_set_shed_stacks()), because a sample without its stack is better than no sample. If stacks are unwound only after the
 * recording (shed_stacks.h), each is copied whole or not at all.
 *
 * Only recordings with large samples or bursts of samples have this thread (recorder_files.c). Four kinds of recordings never have
 * it: with overwrite ring buffers, which keep their data; with AUX areas, which must be read together with their ring buffers;
 * with --threads, where each reader has its own CPUs and file; and unbuffered ones, which write each record when it arrives.
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
 * Gives each ring buffer of @set a backlog (backlog.h), and prepares the thread that fills the backlogs and wakes @reader. *out is
 * NULL if there is no memory for the backlogs, no ring buffer to copy, or an overwrite ring buffer. Ring buffers are then read
 * directly. Owned by the caller. @set must outlive *out.
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
