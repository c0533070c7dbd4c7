/*
 * Passes the recording's context switches, forks and exits to running.c, which computes how many threads ran at each moment
 * (report --latency).
 * Layer: sched
 */
#include "core/read/session.h"

#include "core/base/log.h"
#include "core/read/session_impl.h"
#include "core/sched/task_changes.h"
#include "core/sched/running.h"

static void replay(struct running *r, const struct task_changes *changes)
{
	vec_for(t, &changes->list)
		switch (t->kind) {
		case TASK_EXEC:
			break;
		case TASK_FORKED:
			running_forked(r, t->tid, t->time);
			break;
		case TASK_IN:
		case TASK_OUT:
			running_switch(r, t->tid, t->kind == TASK_IN, t->time);
			break;
		case TASK_END:
			running_end(r, t->tid, t->time);
		}
	running_finish(r);
}

struct running *session_threads_running(const struct session *s)
{
	struct task_changes changes = {0};
	struct running *r;

	if (!session_has_switches(s)) {
		error("'%s' does not say how many threads ran at a time: record with --latency", s->file->path);
		return NULL;
	}
	task_changes_of_records(&changes, s);
	r = running_new();
	replay(r, &changes);
	vec_free(&changes.list);
	return r;
}
