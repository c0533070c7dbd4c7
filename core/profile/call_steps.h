/*
 * Sorts function calls and returns by time while they are read from a hardware trace or from probes. call_walk.c adds them as it
 * reads them, and takes them out in order of time to follow each thread's call stack.
 */
#ifndef CORE_PROFILE_CALL_STEPS_H
#define CORE_PROFILE_CALL_STEPS_H

#include <stdint.h>

#include "core/base/vec.h"

enum call_event_kind { CALL_BRANCH, CALL_GAP, CALL_ENTRY, CALL_RETURN };

struct call_event {
	uint64_t at;			/* ns */
	uint64_t from, to;
	uint32_t thread, cpu;		/* .thread UINT32_MAX in a CALL_GAP: all threads of the CPU */
	uint32_t from_space, to_space;
	uint32_t flags;			/* of a branch: enum synth_flag; of a probe: number of its function */
	uint8_t size, kind;		/* .size: bytes of the branch instruction; .kind: enum call_event_kind */
};

struct step_run {			/* a list of steps in order of time */
	VEC(struct call_event) steps;		/* ascending */
	size_t taken;			/* number of steps that were passed on */
	uint64_t number;		/* the order of runs, by which steps of equal time are ordered */
};

/*
 * The trace of a CPU or thread arrives in parts, each of which is in order. So the steps (calls, returns and gaps) are kept in
 * sorted lists, and a new list begins when a step is earlier than the one before it. call_walk.c takes a step when no earlier one
 * can arrive any more, so the steps of a long recording are not all in memory at once.
 */
struct call_steps {			/* = {0}; call_steps_release() */
	VEC(struct step_run) runs;	/* a heap: the run with the next step is first */
	struct step_run last;		/* the run that is being filled */
	struct step_run spare;		/* empty: its memory is used for the next run */
	uint64_t nr_runs;
};

void call_steps_add(struct call_steps *c, const struct call_event *e);
/* Passes all steps before @time to @on_event, which must not add steps. Steps of equal time are passed in the order of adding. */
void call_steps_pop(struct call_steps *c, uint64_t time, void (*on_event)(void *ctx, const struct call_event *e), void *ctx);
void call_steps_release(struct call_steps *c);

#endif
