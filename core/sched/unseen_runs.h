/*
 * Finds times in which a thread ran according to its context switches, but a clock event took no samples. One cause is that the
 * host of a virtual machine used the CPU. wall.c reports the sum of these times.
 */
#ifndef CORE_SCHED_UNSEEN_RUNS_H
#define CORE_SCHED_UNSEEN_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct event;
struct findings;
struct waits;

struct unseen_span { uint64_t from, to; uint32_t task; bool off; };	/* .from, .to: ns; .task: index in waits->tasks; .off: the
									 * thread was off the CPU */

struct unseen_runs {
	VEC(struct unseen_span) list;	/* times in which a thread was on a CPU according to its samples, or (.off) off the CPU
					 * according to switches */
	VEC(struct unseen_span) now;	/* by CPU: the span that is still growing */
};

/* The clock's period, ns: a running thread has samples at this distance. 0: the event is no clock, or does not count all time. */
uint64_t unseen_runs_period(const struct event *on);
/* Adds the next sample of a CPU, in the order of the file; @task WAIT_NO_TASK: not of a known thread. */
void unseen_runs_add(struct unseen_runs *u, uint64_t period, uint32_t cpu, uint32_t task, uint64_t time);
/* Moves the spans of @other to @u. */
void unseen_runs_merge(struct unseen_runs *u, struct unseen_runs *other);
/* Adds the waits, and sorts the spans. Call it after the last addition. */
void unseen_runs_finish(struct unseen_runs *u, const struct waits *w);
/* Adds a finding about the unseen times: the host of a virtual machine used the CPU, or switches are missing. */
void unseen_runs_findings(const struct unseen_runs *u, uint64_t period, const struct waits *w, struct findings *out);
void unseen_runs_release(struct unseen_runs *u);

#endif
