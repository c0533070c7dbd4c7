/*
 * A thread that copies rings to memory (backlog.h) and does nothing else, so that the kernel finds room in them while the reader
 * waits for a CPU, the disk or a pipe. It takes a real-time priority if allowed: a ring with copies of stacks is full after some
 * milliseconds, and other threads may keep the CPU for as long (their time slice).
 *
 * If this memory fills up, it makes the kernel copy less of the stacks, or nothing (event_set_shed_stacks()): a sample without its
 * stack is better than no sample. Stacks that are unwound later (shed_stacks.h) are copied whole or not at all.
 *
 * Not used for overwrite rings, which keep their data; for AUX areas, which must be read together with their ring; with --threads,
 * where each reader has its CPUs and its own file; and for unbuffered recordings, which read each record from the ring at
 * once.
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
 * Gives the rings of @set a backlog, and prepares the thread that fills it and wakes @reader. *out is NULL if there is no memory
 * for it, or no ring to copy: then rings are read directly. Owned. The set must outlive it.
 */
void pumps_new(struct pumps **out, struct event_set *set, const struct reader *reader);
/* True if the thread waits for this ring's data. */
bool pumps_have(const struct pumps *p, uint32_t ring);
/* Makes the thread wait for opened event number @number, too. Prints errors; returns 0 or -1. */
int pumps_watch(struct pumps *p, uint64_t number);
/* The longest time that its thread waited for a CPU, and whether it has a real-time priority. From any thread. */
uint64_t pumps_waited_ns(const struct pumps *p, bool *has_priority);
/* An eventfd: how many of them have ended, with their threads, since it was read last. */
int pumps_ended(const struct pumps *p);
/* Begin. @urgent: take the priority. Prints errors; returns 0 or -1. */
int pumps_start(struct pumps *p, bool urgent);
/* Ends the thread. From then on the reader copies the rings itself when it reads them. NULL is fine. */
void pumps_stop(struct pumps *p);
void pumps_free(struct pumps *p);

#endif
