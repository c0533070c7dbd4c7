/*
 * Times at which threads are switched in and out, begin and end, in order: from PERF_RECORD_SWITCH, SWITCH_CPU_WIDE (Linux 4.3),
 * FORK and EXIT, or from the samples of sched:sched_switch.
 * Layer: sched
 */
#ifndef CORE_SCHED_TASK_CHANGES_H
#define CORE_SCHED_TASK_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct session;

#define TASK_UNKNOWN	UINT32_MAX	/* a pid or CPU that is not known */

/* TASK_EXEC: only in spells, where what is recorded of a program begins with its exec. */
enum task_change_kind { TASK_FORKED, TASK_IN, TASK_OUT, TASK_END, TASK_EXEC };

struct task_change {
	uint64_t time, position;	/* the order; time in ns, as struct item's .at */
	uint32_t pid, tid;
	uint32_t cpu;			/* of TASK_IN and TASK_OUT */
	enum task_change_kind kind;
};

struct task_changes { VEC(struct task_change) list; };	/* = {0}; vec_free(&changes.list) */

/* The changes in the records. Starts of threads that existed before the recording, of time 0, are left out. */
void task_changes_of_records(struct task_changes *out, const struct session *s);

/* A spell of a thread on a CPU. */
struct cpu_spell {
	uint64_t begin, end;		/* ns */
	uint32_t pid, tid, cpu;
};

/*
 * Calls @found for each spell with known begin and end, of the better of both sources, in order of the ends; not for the idle
 * tasks. A thread that is first seen to leave ran from the start of the recording - of a program that it began to record, from its
 * exec - and one that does not leave ran to its end, if no other is seen to come to that CPU before, or after it.
 */
void task_changes_spells(const struct session *s, void (*found)(void *ctx, const struct cpu_spell *spell), void *ctx);

#endif
