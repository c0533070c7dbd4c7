/*
 * Opens the events of a recording for the recorded command, processes, threads or CPUs. If a process of -p created a thread in
 * the meantime, and this thread has no events, attach.c closes all events and opens them again.
 */
#include "core/record/open/attach.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/record/events/cgroup.h"
#include "core/perfdata/record.h"

#define MAX_TRIES	8
#define TIDS_TOLD	8
#define FORK_TID_AT	16	/* offset of the new thread's tid in a FORK record (perf_event_open(2)) */

static int list_cpus(struct attached *a, struct target *t)
{
	int err = cpus_online(&a->online);

	if (err)
		return error("cannot read which CPUs are online: %s", strerror(-err));
	return target_check_cpus(t, &a->online);
}

static int list_threads(struct attached *a, const struct target *t, pid_t workload)
{
	vec_free(&a->threads.list);
	if (target_is_workload(t))
		vec_push(&a->threads.list, workload);
	else if (!target_system_wide(t))
		return target_threads(&a->threads, t);
	return 0;
}

static int open_events(struct attached *a, const struct attach_opts *o)
{
	struct sampling_opts *s = o->sampling;

	places_plan(&a->places, o->target, &a->online, a->threads.list.v, a->threads.list.nr);
	s->inherit = a->places.inherit;
	s->on_exec = a->places.on_exec && o->at_once;
	return event_set_open(&a->set, o->events, &a->places, s, o->ring_bytes);
}

/* ---- threads that came meanwhile ---- */

/* Appends the threads that FORK records in the ring buffers report. The records stay in the ring buffers. */
static void list_forked(struct attached *a, struct pid_list *out)
{
	vec_for(ring, &a->set.rings) {
		struct ring_span s = ring_read(ring);
		struct record_header h;
		uint32_t tid;

		for (uint64_t at = s.from; ring_record(&s, at, &h); at += h.size) {
			if (h.type != PERF_RECORD_FORK)
				continue;
			ring_copy(&s, at + FORK_TID_AT, &tid, sizeof(tid));
			vec_push(&out->list, (pid_t)tid);
		}
	}
}

/* Lists threads of the target that may have no events: they are neither in a->threads nor in a FORK record. */
static void list_missed(struct attached *a, const struct target *t, struct pid_list *out)
{
	struct pid_list now = {0}, known = {0};

	*out = (struct pid_list){0};
	target_processes_threads(&now, t);
	vec_for(tid, &a->threads.list)
		vec_push(&known.list, *tid);
	list_forked(a, &known);
	pids_without(out, &now, &known);
	vec_free(&now.list);
	vec_free(&known.list);
}

static void found_missed(struct findings *found, const struct pid_list *missed)
{
	struct buf b = {0};

	for (size_t i = 0; i < missed->list.nr && (i < TIDS_TOLD || log_level() > 0); i++)
		buf_printf(&b, "%s%d", i ? ", " : "", (int)missed->list.v[i]);
	if (missed->list.nr > TIDS_TOLD && log_level() <= 0)
		buf_puts(&b, ", ...");
	findings_add(found, FINDING_MISSED_THREADS, missed->list.nr, 0, buf_str(&b));
	buf_release(&b);
}

/*
 * A new thread inherits the events of the thread that created it, and a FORK record in a ring buffer reports the new thread. But if
 * its creator's events were not open yet, the new thread is missed. So if /proc lists a thread that is new and has no FORK record,
 * all events are closed and opened again. Events must not be opened for that thread alone: if it has inherited some of its
 * creator's events, these would count twice.
 */
static int open_until_complete(struct attached *a, const struct attach_opts *o)
{
	struct pid_list missed = {0};
	bool complete;

	for (int tries = 1;; tries++) {
		if (list_threads(a, o->target, o->workload) || open_events(a, o))
			return -1;
		if (!o->target->pids.list.nr || !a->places.inherit)
			return 0;
		list_missed(a, o->target, &missed);
		complete = !missed.list.nr;
		if (!complete && tries == MAX_TRIES)
			found_missed(&a->found, &missed);
		vec_free(&missed.list);
		if (complete || tries == MAX_TRIES)
			return 0;
		debug(1, "threads came while events were opened: once more");
		event_set_close(&a->set);
		places_release(&a->places);
	}
}

int attach_open(struct attached *a, const struct attach_opts *o)
{
	return list_cpus(a, o->target) || cgroup_open_all(o->events) || open_until_complete(a, o) ? -1 : 0;
}

void attach_release(struct attached *a)
{
	event_set_close_async(&a->set);
	places_release(&a->places);
	findings_release(&a->found);
	vec_free(&a->threads.list);
	cpus_release(&a->online);
}
