/*
 * Runs the threads that read ring buffers and write the records to files. Each thread has its own ring buffers, an epoll
 * descriptor and an output file. The recorder's main thread is the first reader, and --threads adds more.
 */
#ifndef CORE_RECORD_LOOP_READERS_H
#define CORE_RECORD_LOOP_READERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "core/record/loop/drain.h"
#include "core/record/live/stats.h"

struct cpus;
struct event_set;
struct thread_layout;

struct reader {
	pthread_mutex_t lock;		/* held while the reader empties its ring buffers; readers_hold() takes it to stop the
					 * reader */
	int epoll;
	int nudge;			/* an eventfd: reader_nudge() */
	struct drain *rings;		/* owned */
	struct drain *drains;		/* borrowed; a list that begins with .rings */
	struct data_writer *writer;	/* borrowed; writes to the current file */
	struct stats stats;		/* counts the records of its ring buffers */
	bool unsure;			/* waiting failed: it is not known whether there are new data */
	uint64_t wakeups;
	uint64_t next_flush_ns;		/* CLOCK_MONOTONIC: when data that are kept back are written */
	int write_error;		/* -errno of a failed write; 0: none failed */
	const struct cpus *affinity;	/* borrowed; the CPUs on which the thread may run; NULL: any */
	struct readers *readers;
	pthread_t thread;		/* not set in the first reader, which is the main thread */
	bool started;
};

struct readers {
	struct event_set *set;		/* borrowed, and so is the layout */
	const struct thread_layout *layout;
	struct reader *list;		/* owned; the first is the caller's */
	size_t nr;
	int events_fd;			/* an eventfd: a reader failed, or wrote (.report_writes) */
	int quit;			/* an eventfd: the readers end */
	bool report_writes;		/* each write is signalled on .events_fd, because the size of the output is limited */
};

/* The source of an epoll event is the number of an opened event, or one of the numbers from here on. */
#define FROM_OTHERS	(UINT64_MAX - 15)
#define FROM_QUIT	UINT64_MAX
#define FROM_NEWS	(UINT64_MAX - 1)
#define FROM_NUDGE	(UINT64_MAX - 2)

/*
 * Makes one reader, or one for each share of @layout. Ring buffers that belong to no share are read by the first reader. @ids is
 * as for stats_init(). The caller sets the writers. Prints errors; returns 0 or -1. Call readers_release() in either case.
 */
int readers_init(struct readers *all, struct event_set *set, const struct thread_layout *layout, const struct ring_drain_opts *o,
	      enum mapped_ids ids);
/* Makes the reader's epoll wait for @fd. Prints errors; returns 0 or -1. */
int reader_watch(struct reader *r, int fd, uint32_t what, uint64_t from);
/* Returns the reader that empties ring buffer number @ring. */
struct reader *reader_of_ring(struct readers *all, uint32_t ring);
/* Wakes the reader to empty its ring buffers. Safe from any thread. */
void reader_nudge(const struct reader *r);
/* Starts the threads of all readers but the first. Prints errors; returns 0 or -1. */
int readers_start(struct readers *all);

/* Handles a wake-up that is not from a ring; returns true if rings may hold data. */
typedef bool (*wake_handler)(void *ctx, const struct epoll_event *e);
/* Waits, and empties the ring buffers once. Data are in the file after FLUSH_NS at the latest. Returns true if it wrote. */
bool reader_turn(struct reader *r, wake_handler handle, void *ctx);
/* Makes the next reader_turn() write all data without waiting. Call it from the reader's own thread. */
static inline void reader_flush_now(struct reader *r)
{
	r->next_flush_ns = 0;
}

/* Empties the ring buffers of all readers. Call it with the readers held. Returns 0 or the first -errno. */
int readers_drain(struct readers *all, enum drain_how how);

/* As ring_drain_count_unwritten(), for all readers. Call it when they have stopped. */
void readers_count_unwritten(struct readers *all);
/* As ring_drain_until() and ring_drain_snapshot(), for all readers. Call them with the readers held. */
void readers_until(struct readers *all, uint64_t time);
unsigned readers_snapshot(const struct readers *all);

/* Stops all readers but the first. Until readers_go_on() their state belongs to the caller. */
void readers_hold(struct readers *all);
void readers_go_on(struct readers *all);
/* Adds what all readers counted to the first reader's statistics and wakeups. Call it with the readers held. */
void readers_collect(struct readers *all);
/* Ends the threads. */
void readers_stop(struct readers *all);
void readers_release(struct readers *all);

#endif
