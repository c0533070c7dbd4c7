/*
 * Makes perf events, signals, timers and control commands (--control) wake the threads that read ring buffers. Handles each of
 * these wake-ups at once, or makes recorder.c act on it, such as stop. readers.c handles data in ring buffers.
 */
#include "core/record/loop/recorder_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/bpf_rings.h"
#include "core/record/loop/control.h"
#include "core/record/loop/descriptors.h"
#include "core/record/loop/print_maps.h"
#include "core/record/loop/pumps.h"
#include "core/record/loop/recorder_aux.h"
#include "core/record/loop/recorder_opts.h"
#include "core/record/loop/signals.h"

/* Sources of epoll events, in addition to those of readers.h. From FROM_OTHERS on: the timers, by their numbers. */
#define FROM_SIGNALS	(FROM_OTHERS + NR_TIMERS)
#define FROM_CONTROL	(FROM_SIGNALS + 1)
#define FROM_TRIGGER	(FROM_SIGNALS + 2)
#define FROM_HOTPLUG	(FROM_SIGNALS + 3)
#define FROM_PUMPS	(FROM_SIGNALS + 4)

/* ---- waiting ---- */

static int watch(struct recorder *r, int fd, uint64_t from)
{
	return reader_watch(&r->readers.list[0], fd, EPOLLIN, from);
}

/*
 * Events of other readers' rings are watched here for hang-ups, which epoll reports by default. Events of pumped rings are
 * not: polling a ring takes its wakeup from all others (perf_poll() in kernel/events/core.c).
 */
static int watch_event(struct recorder *r, const struct opened *e, uint64_t number, bool all)
{
	struct reader *own = &r->readers.list[0], *reader = reader_of_ring(&r->readers, e->ring);
	uint32_t what = r->at.set.rings.v[e->ring].overwrite ? 0 : EPOLLIN;

	r->nr_watched++;
	if (pumps_have(r->pumps, e->ring))
		return pumps_watch(r->pumps, number);
	if (reader_watch(reader, e->fd, what, number))
		return -1;
	return all && reader != own ? reader_watch(own, e->fd, 0, number) : 0;
}

/*
 * A ring is watched through the events that write to it, and ends of threads show as hang-ups. When attached to threads,
 * the first event is watched on every thread; else one event a ring is enough. Data in an overwrite ring do not wake. Watches
 * either the side-band rings or all others.
 */
static int watch_events(struct recorder *r, bool side_band)
{
	bool all = r->at.threads.list.nr && !r->at.places.on_exec;
	bool *seen = xcalloc(r->at.set.rings.nr, sizeof(*seen));
	int err = 0;

	for (size_t i = 0; i < r->at.set.opened.nr && !err; i++) {
		const struct opened *e = &r->at.set.opened.v[i];

		if (r->at.set.rings.v[e->ring].side_band != side_band || (seen[e->ring] && (!all || e->event)))
			continue;
		seen[e->ring] = true;
		err = watch_event(r, e, i, all);
	}
	r->ends_with_threads = all && !r->workload.pid;
	free(seen);
	return err;
}

static int watch_triggers(struct recorder *r)
{
	if (!r->trigger.o)
		return 0;
	vec_for(ring, &r->trigger.hits.rings)
		if (watch(r, ring->fd, FROM_TRIGGER))
			return -1;
	vec_for(ring, &r->trigger.calls.rings)
		if (watch(r, ring->fd, FROM_TRIGGER))
			return -1;
	return r->trigger.watch.files < 0 ? 0 : watch(r, r->trigger.watch.files, FROM_TRIGGER);
}

void recorder_arm_dump(struct recorder *r)
{
	struct itimerspec t = {0};
	uint64_t due = 0;

	if (!r->trigger.o || !dumps_next(&r->dumps, &due) || due == r->dump_due_ns)
		return;
	r->dump_due_ns = due;
	t.it_value = (struct timespec){ .tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000) };
	timerfd_settime(r->timers[TIMER_DUMP], TFD_TIMER_ABSTIME, &t, NULL);
}

/* Makes a timer that fires every @ms, or with 0 when it is set. Returns 0, or -1 after printing an error. */
static int start_timer(struct recorder *r, enum recorder_timer number, uint64_t ms)
{
	struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000 * 1000000) };
	int fd = r->timers[number] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &(struct itimerspec){ .it_value = t, .it_interval = t }, NULL))
		return error("cannot start a timer: %s", strerror(errno));
	return watch(r, fd, FROM_OTHERS + number);
}

static int start_timers(struct recorder *r)
{
	const struct recorder_opts *o = r->o;
	const struct { enum recorder_timer number; bool wanted; uint64_t ms; } timers[] = {
		{ TIMER_SCHEDULE, o->schedule.steps_ms.nr, 0 },
		{ TIMER_ROTATION, o->output.rotate_ms, o->output.rotate_ms },
		{ TIMER_DUMP, r->trigger.o, 0 },
		{ TIMER_TRIGGERS, trigger_poll_ms(&r->trigger), trigger_poll_ms(&r->trigger) },
		{ TIMER_DESCRIPTORS, r->descriptors, DESCRIPTORS_LOOK_MS },
		{ TIMER_BPF, r->bpf_rings, BPF_RINGS_LOOK_MS },
		{ TIMER_COUNTS, o->counts_ns, o->counts_ns / 1000000 },
		{ TIMER_MAPS, o->maps.every_ns, o->maps.every_ns / 1000000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(timers); i++)
		if (timers[i].wanted && start_timer(r, timers[i].number, timers[i].ms))
			return -1;
	return 0;
}

static int open_control(struct recorder *r)
{
	if (!r->o->control)
		return 0;
	if (control_open(&r->control, r->o->control))
		return -1;
	return watch(r, control_fd(r->control), FROM_CONTROL);
}

/* CPU hotplug matters only if CPUs are watched, not tasks. */
static int watch_cpus(struct recorder *r)
{
	const struct target *t = &r->o->target;

	if (!target_system_wide(t))
		return 0;
	hotplug_open(&r->hotplug, t->has_cpus ? &t->cpus : &r->at.online, !t->has_cpus);
	return r->hotplug.fd < 0 ? 0 : watch(r, r->hotplug.fd, FROM_HOTPLUG);
}

int recorder_watch(struct recorder *r)
{
	if ((r->pumps && watch(r, pumps_ended(r->pumps), FROM_PUMPS)) || watch(r, r->signals, FROM_SIGNALS) ||
	    watch_events(r, false) || watch_triggers(r))
		return -1;
	return start_timers(r) || open_control(r) || watch_cpus(r) ? -1 : 0;
}

int recorder_watch_side_band(struct recorder *r)
{
	return watch_events(r, true);
}

static void unwatch(struct recorder *r, int fd)
{
	epoll_ctl(r->readers.list[0].epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* Counts ended threads. The threads that they created have ended, too. */
static void count_ended(struct recorder *r, uint64_t nr)
{
	r->nr_watched -= nr;
	if (!r->nr_watched && r->ends_with_threads)
		r->stop = true;
}

/* The event hung up. It is removed, or epoll would report it again and again. */
static void hung_up(struct recorder *r, const struct opened *e)
{
	unwatch(r, e->fd);
	count_ended(r, 1);
}

/* ---- handlers ---- */

static void on_ended(struct recorder *r)
{
	eventfd_t nr;

	if (!eventfd_read(pumps_ended(r->pumps), &nr))
		count_ended(r, nr);
}

/* Handles SIGUSR2 and the command "snapshot". */
static void on_request(struct recorder *r)
{
	r->rotate = r->o->output.rotate;
	r->snapshot = r->o->aux && r->o->aux->snapshot;
}

void recorder_read_signals(struct recorder *r)
{
	int signal;

	while ((signal = signals_next(r->signals))) {
		if (signal == SIGCHLD)
			r->stop = r->stop || workload_poll(&r->workload);
		else if (signal == SIGUSR2)
			on_request(r);
		else if (trigger_signal(&r->trigger, signal, &r->hits))
			dumps_see(&r->dumps, &r->hits);
		else
			r->stop = true;
	}
}

static void on_commands(struct recorder *r)
{
	struct control_requests w = {0};

	if (!control_read(r->control, &r->at.set, str_eq(r->o->output.path, "-"), &w))
		unwatch(r, control_fd(r->control));
	r->stop = r->stop || w.stop;
	if (!w.snapshot)
		return;
	on_request(r);
	if (!r->rotate && !r->snapshot)
		warning("control: without --switch-output or -S there is nothing to take a snapshot of");
}

static void poll_descriptors(struct recorder *r)
{
	descriptors_poll(r->descriptors);
}

static void poll_bpf_rings(struct recorder *r)
{
	bpf_rings_poll(r->bpf_rings);
}

static void print_counts(struct recorder *r)
{
	struct buf text = {0};

	counting_put_interval(&r->counting, &text, &r->at.set, now_ns() - r->started_ns);
	fputs(buf_str(&text), stderr);
	buf_release(&text);
}

static void print_maps_now(struct recorder *r)
{
	print_maps(&r->at.set, &r->o->maps, now_ns() - r->started_ns, false);
}

static void on_dump_timer(struct recorder *r)
{
	r->dump_due_ns = 0;
}

/* Switches the events on or off. Ends the recording at the last step if it is off. */
static void next_step(struct recorder *r)
{
	bool on = r->step % 2 == 0;

	event_set_switch(&r->at.set, NULL, on);
	if (schedule_arm(&r->o->schedule, r->timers[TIMER_SCHEDULE], ++r->step, r->started_ns))
		return;
	unwatch(r, r->timers[TIMER_SCHEDULE]);
	r->stop = r->stop || !on;
}

static void next_period(struct recorder *r)
{
	r->rotate = true;
}

static void check_sizes(struct recorder *r)
{
	r->rotate = r->rotate || output_file_is_full(&r->output);
	if (!output_is_full(&r->output) || r->stop)
		return;
	info("the output has the size that --max-size allows: stopping");
	r->stop = true;
}

void recorder_on_reader_event(struct recorder *r)
{
	eventfd_t nr;

	eventfd_read(r->readers.events_fd, &nr);
	readers_hold(&r->readers);
	check_sizes(r);
	for (size_t i = 0; i < r->readers.nr; i++)
		if (r->readers.list[i].write_error)
			r->write_error = r->readers.list[i].write_error;
	readers_go_on(&r->readers);
	r->stop |= r->write_error != 0;
}

static void on_hotplug(struct recorder *r)
{
	hotplug_read(&r->hotplug);
}

/*
 * Handles an event of the first reader's epoll. A handler acts at once, or sets what the loop of recorder.c does next, such as a
 * snapshot or the end. Returns whether rings may hold data.
 */
bool recorder_handle(void *ctx, const struct epoll_event *e)
{
	static void (*const handlers[])(struct recorder *) = {
		[TIMER_SCHEDULE] = next_step, [TIMER_ROTATION] = next_period, [TIMER_DUMP] = on_dump_timer,
		[TIMER_TRIGGERS] = recorder_read_triggers, [TIMER_DESCRIPTORS] = poll_descriptors, [TIMER_BPF] = poll_bpf_rings,
		[TIMER_COUNTS] = print_counts, [TIMER_MAPS] = print_maps_now,
		[FROM_SIGNALS - FROM_OTHERS] = recorder_read_signals, [FROM_CONTROL - FROM_OTHERS] = on_commands,
		[FROM_TRIGGER - FROM_OTHERS] = recorder_read_triggers, [FROM_HOTPLUG - FROM_OTHERS] = on_hotplug,
		[FROM_PUMPS - FROM_OTHERS] = on_ended, [FROM_NEWS - FROM_OTHERS] = recorder_on_reader_event,
	};
	struct recorder *r = ctx;
	uint64_t times;

	if (e->data.u64 < FROM_SIGNALS && e->data.u64 >= FROM_OTHERS &&
	    read(r->timers[e->data.u64 - FROM_OTHERS], &times, sizeof(times)) < 0)
		debug(2, "a timer that did not fire: %s", strerror(errno));
	if (e->data.u64 >= FROM_OTHERS) {
		handlers[e->data.u64 - FROM_OTHERS](r);
		return false;
	}
	if (!(e->events & (EPOLLHUP | EPOLLERR)))
		return true;
	hung_up(r, &r->at.set.opened.v[e->data.u64]);
	return e->events & EPOLLIN;
}
