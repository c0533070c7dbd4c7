/*
 * Runs a thread that copies the contents of ring buffers to other memory (backlog.h), so that the kernel finds room while their
 * reader waits for a CPU, the disk or a pipe. recorder.c starts the thread.
 */
#ifndef CORE_RECORD_LOOP_PUMPS_H
#define CORE_RECORD_LOOP_PUMPS_H

#include <stdbool.h>
#include <stdint.h>

struct event_set;
struct pumps;
struct reader;

/*
 * Gives each ring buffer of @set a backlog (backlog.h), and prepares the thread that fills the backlogs and wakes @reader.
 * @reads_quickly: the reader uses ring_read_quickly(), so a thread with real-time priority copies a ring buffer only if the reader
 * has left it half full. Returns NULL if there is no memory for the backlogs, no ring buffer to copy, or an overwrite ring buffer.
 * Ring buffers are then read directly. Owned by the caller. @set must outlive it.
 */
struct pumps *pumps_new(struct event_set *set, const struct reader *reader, bool reads_quickly);
/* True if the thread waits for data of ring buffer @ring. */
bool pumps_have(const struct pumps *p, uint32_t ring);
/* Makes the thread wait for opened event number @number, too. Prints errors; returns 0 or -1. */
int pumps_watch(struct pumps *p, uint64_t number);
/* Returns how long the thread waited for a CPU at most, and if it has a real-time priority. Safe from any thread. */
uint64_t pumps_waited_ns(const struct pumps *p, bool *has_priority);
/* Returns an eventfd. Reading it gives the number of events that have ended with their threads since the last reading. */
int pumps_ended(const struct pumps *p);
/*
 * Starts the thread. Prints errors; returns 0 or -1. A ring buffer of samples with copies of stacks is full after some
 * milliseconds, and other threads may keep the CPU that long. So the thread only copies, and takes a real-time priority if @urgent
 * and allowed. If the memory fills up, it makes the kernel copy less of each stack (event_set_shed_stacks()).
 */
int pumps_start(struct pumps *p, bool urgent);
/* Ends the thread. From then on the reader copies the data of the ring buffers itself when it reads them. @p may be NULL. */
void pumps_stop(struct pumps *p);
void pumps_free(struct pumps *p);

#endif
