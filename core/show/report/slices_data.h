/*
 * Defines the data of prec report --slices, which compares slow requests with usual ones. A slice is a request, from a begin
 * event to an end event. slices.c computes the data, and slices_print.c prints them.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_SLICES_DATA_H
#define CORE_SHOW_REPORT_SLICES_DATA_H

#include "core/sched/wait_reason.h"
#include "core/show/report/stack_sums.h"

struct buf;
struct event;
struct event_pairs_sums;
struct session;
struct slices_opts;

enum slice_group { SLICES_MIDDLE, SLICES_SLOWEST, NR_SLICE_GROUPS = NR_STACK_GROUPS };

/* The state of a thread: PHASE_RUNNING, PHASE_READY, or for a wait PHASE_OFF + its enum wait_reason. */
enum slice_phase { PHASE_RUNNING, PHASE_READY, PHASE_OFF, NR_SLICE_PHASES = PHASE_OFF + NR_WAIT_REASONS };

struct slice { uint64_t from, to; uint32_t from_tid, to_tid; };

struct slice_part {		/* a part of a thread's time that belongs to a slice */
	uint64_t from, to;
	uint64_t reach;		/* the latest .to of this part and earlier ones of the same thread */
	uint32_t tid;
	uint8_t group;
};

struct slices {
	const struct slices_opts *opts;
	struct session *session;
	const struct event *on, *off;		/* .on: the event with samples on the CPU, NULL: none; .off: that with waits */
	VEC(struct slice) list;			/* sorted by length after the last was added, the shortest first */
	struct { size_t first, nr; uint64_t seen; } groups[NR_SLICE_GROUPS];	/* ranges of .list; .seen: ns of their parts */
	VEC(struct slice_part) parts;		/* sorted by thread, then by .from */
	struct named_stacks stacks;
	struct stack_sums sums;
	uint64_t phases[NR_SLICE_PHASES][NR_SLICE_GROUPS];	/* ns */
};

void slices_put(struct slices *s, const struct event_pairs_sums *pairs, struct buf *out);

#endif
