/*
 * Holds the opened events of a recording, with their file descriptors, ids and ring buffers. attach.c opens them for the
 * recorded command, processes, threads or CPUs, and set_counts.c reads their counts.
 */
#ifndef CORE_RECORD_OPEN_EVENT_SET_H
#define CORE_RECORD_OPEN_EVENT_SET_H

#include <pthread.h>

#include "core/record/events/event_request.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/counted.h"
#include "core/record/bpf/bpf_object.h"
#include "core/record/bpf/filter_program.h"
#include "core/record/open/ring.h"
#include "core/record/open/sampling.h"
#include "core/record/open/target.h"

struct opened_stack_variant { int fd; uint32_t bytes; };

/* How much of the copies of stacks is left out while the recorder cannot keep up. */
enum stack_shed { SHED_NOTHING, SHED_TO_SMALLER, SHED_ALL, NR_SHED };

/* One opened event: a requested event, or the side band, at one place (target.h). */
struct opened {
	int fd;
	struct target_place place;
	uint32_t event;			/* its number in event_set.table */
	const struct event_request *request;	/* borrowed; NULL: the side band (event_set_side_band()) */
	uint32_t ring;			/* number of the ring buffer in event_set.rings that it writes to */
	uint64_t id;
	/* Owned: variants of the event with larger copies of the stack. Variant .used - 1 is in use; with .used 0, .fd is. */
	VEC(struct opened_stack_variant) stack_variants;
	uint32_t used;
	/* Owned: variants with a smaller and with no copy of the stack, and with the chain by frame pointers. -1: not opened. */
	int shed_fds[NR_SHED];
	enum stack_shed shed;		/* .shed_fds[.shed] is in use, if it exists; SHED_NOTHING: it is not */
	bool is_shallow;		/* with SHED_NOTHING: .shed_fds[SHED_TO_SMALLER] is in use, because no chain needs more */
	bool on;			/* it is enabled, or the exec will enable it */
	uint64_t count, lost;		/* hits, and samples lost: event_set_count_lost() */
	uint64_t enabled, running;	/* ns, from event_set_count_lost() too; 0 if .read_format lacks them */
	struct counted kept;		/* the part of the counts that was written to a file */
	uint64_t lost_written;		/* the part of .lost that was written to a file */
	uint64_t lost_here;		/* the part of .lost that was written to the current file */
	uint64_t dropped, dropped_written;	/* samples that filters dropped, and the part that is in a file */
};

struct set_filter { struct filter_program program; uint32_t event; };

struct set_program {
	int fd;				/* borrowed from event_set.objects */
	uint32_t event;
	VEC(int) more_fds;			/* owned: maps, gates and events by which it is attached */
};

struct event_set {
	struct event_table table;	/* the requested events, then the side band as the last */
	VEC(struct sample_layout) recorded;	/* by event number: layout of samples in ring buffers; files may differ */
	VEC(struct opened) opened;
	VEC(struct ring) rings;		/* as a rule one per CPU, or one per thread for events without a CPU (--per-thread) */
	VEC(struct set_filter) filters;	/* filters of samples (--filter) */
	struct user_objects objects;	/* the object files of --bpf */
	VEC(struct set_program) programs;
	uint64_t ring_bytes;		/* size of the data of each ring buffer with samples */
	bool side_band_apart;		/* as in sampling_opts, but false if locked memory is short */
	bool is_shallow;		/* event_set_fit_stacks() */
	_Atomic bool lesser_cuts;	/* smaller stack copies were found to cut chains short */
	pthread_mutex_t lock;		/* held to change .on, .used and .shed of events, and to enable and disable them */
};

/*
 * Opens every requested event at every sampling place (target.h). Opens the side band at its own places, if it has any: a dummy
 * event whose records are MMAP, COMM, FORK and the like. Then maps the ring buffers. If the kernel refuses a feature that is not
 * necessary, reports this and goes on. Threads that have ended and CPUs that are offline are left out. @ring_bytes (a power of
 * two of pages) is the wanted size of ring buffers with samples. If locked memory is short, the side band gets no ring buffers
 * of its own; if that is not enough, smaller ring buffers are tried. Prints errors; returns 0 or -1.
 */
int event_set_open(struct event_set *out, const struct event_requests *events, const struct places *places,
		   const struct sampling_opts *o, uint64_t ring_bytes);
void event_set_close(struct event_set *s);
/* Like event_set_close(), for the end of the program: a child process closes the events that take long to close. */
void event_set_close_async(struct event_set *s);

/* Returns the event that carries the side band (MMAP, COMM, FORK and similar records). */
struct event *event_set_side_band(const struct event_set *s);
static inline bool event_set_is_side_band(const struct event_set *s, uint32_t event)
{
	return event + 1 == s->table.events.nr;
}

/* Disables all events, including the side band. */
void event_set_disable(struct event_set *s);
/*
 * Enables or disables the event of this name, or with NULL all events but the side band. If the kernel refuses, prints a warning
 * and leaves the event as it was. Returns 0, or -ENOENT if there is no such event.
 */
int event_set_switch(struct event_set *s, const char *name, bool on);
/*
 * Switches to the next larger size of copies of stacks (sampling_opts.stack_most). @ring is the ring buffer of a thread, whose
 * events are switched, or NULL for all events. Returns the largest size in use in bytes, or 0 if there is no larger one.
 */
uint32_t event_set_grow_stacks(struct event_set *s, const uint32_t *ring);
/*
 * Sets how much of the stacks is left out of samples in the ring buffer @ring (sampling_opts.sheds). Safe from any thread. Does
 * not wait: if another thread is switching events, returns false, and the caller calls it again later.
 */
bool event_set_shed_stacks(struct event_set *s, uint32_t ring, enum stack_shed shed);
/*
 * Uses the smaller copies of stacks for all events, as no chain needs larger ones, or the larger ones again. Events that have one
 * size, or whose stacks are left out, stay as they are.
 */
void event_set_fit_stacks(struct event_set *s, bool is_shallow);
/*
 * Makes BPF program @program run at each sample with a time, of all events that accept a program. Returns the number of
 * descriptors that it was attached to.
 */
unsigned event_set_run_program(const struct event_set *s, int program);
/* True if the event is sched:sched_switch, with call chains and times of CLOCK_MONOTONIC. */
bool event_is_timed_switch(const struct event *ev);
/*
 * Makes @program run before each sample of such events, also for threads that are not recorded. Returns the descriptor that
 * keeps the program attached, or -errno. The program runs before the tracepoint's sample is taken, so it does not know the
 * sample's time. It reads the clock of the samples (CLOCK_MONOTONIC) itself, a moment earlier.
 */
int event_set_run_at_switch(const struct event_set *s, int program);
/* Reads each event's count, and how many samples it lost (PERF_FORMAT_LOST, Linux 6.0; else 0). */
void event_set_count_lost(struct event_set *s);
/* Reads how many samples filters dropped, by CPU: for the first descriptor of the event on that CPU. */
void event_set_count_dropped(struct event_set *s);

#endif
