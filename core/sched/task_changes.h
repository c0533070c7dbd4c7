/*
 * Finds when each thread was switched in and out, and when it began and ended. running.c counts the running threads by
 * these times, and core/profile/session_timeline.c shows when each thread was on a CPU.
 */
#ifndef CORE_SCHED_TASK_CHANGES_H
#define CORE_SCHED_TASK_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct session;

#define TASK_UNKNOWN	UINT32_MAX	/* a pid or CPU that is not known */
#define TID_IDLE	0u
#define TID_GONE	UINT32_MAX	/* the tid of a thread that has exited */

/* TASK_EXEC is only used for struct cpu_spell, and only if the recording of a program begins with its exec. */
enum task_change_kind { TASK_FORKED, TASK_IN, TASK_OUT, TASK_END, TASK_EXEC };

struct task_change {
	uint64_t time, position;	/* .time: ns, as struct item's .at; .position: in the file. Changes are ordered by both */
	uint32_t pid, tid;
	uint32_t cpu;			/* for TASK_IN, TASK_OUT and TASK_EXEC */
	enum task_change_kind kind;
};

struct task_changes {		/* = {0}; vec_free(&changes.list) */
	VEC(struct task_change) list;
	bool execs;		/* with TASK_EXEC */
};

/*
 * Collects the changes in side-band records. FORK records at time 0 are ignored: their threads existed before the recording. The
 * records are PERF_RECORD_SWITCH, SWITCH_CPU_WIDE (Linux 4.3), FORK and EXIT. The changes are in order of time.
 */
void task_changes_of_records(struct task_changes *out, const struct session *s);

/* A time of a thread on a CPU. */
struct cpu_spell {
	uint64_t begin, end;		/* ns */
	uint32_t pid, tid, cpu;
};

/*
 * Calls @found for each time of a thread on a CPU whose begin and end are known, in the order of the ends. Idle tasks are left out.
 * Uses the switch records or, if the recording has none, the samples of sched:sched_switch. A thread whose first change is a switch
 * out ran from the start of the recording. If the recording began at the exec of a program, the program's thread ran from its exec.
 * A thread that was not switched out ran to the end of the recording. These times count only if no other thread was switched in
 * on that CPU meanwhile.
 */
void task_changes_spells(const struct session *s, void (*found)(void *ctx, const struct cpu_spell *spell), void *ctx);

#endif
