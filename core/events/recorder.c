/*
 * The recorder: one thread, one epoll loop. It wakes when a ring is half full, a signal or a command came, a timer
 * fired or the last watched thread has ended; it does not know what it drains.
 * Layer: events
 */
#include "core/events/recorder.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/events/control.h"
#include "core/events/describe.h"
#include "core/events/drain.h"
#include "core/events/event_set.h"
#include "core/events/recorder_aux.h"
#include "core/events/signals.h"
#include "core/events/symbol_break.h"
#include "core/events/tally.h"
#include "core/events/verdict.h"
#include "core/events/workload.h"
#include "core/format/data_writer.h"
#include "core/format/feature.h"

#define EPOLL_BATCH	64
#define MAX_TRIES	4		/* of attaching to all threads of a process */
/* What an epoll event belongs to: a number of an opened event, or one of these. */
#define FROM_SIGNALS	UINT64_MAX
#define FROM_SCHEDULE	(UINT64_MAX - 1)
#define FROM_ROTATION	(UINT64_MAX - 2)
#define FROM_CONTROL	(UINT64_MAX - 3)

struct recorder {
	struct recorder_opts *o;
	struct cpus online;
	struct pid_list threads;
	struct places places;
	struct event_set set;
	struct workload workload;
	struct output output;
	struct control *control;
	struct buf tracing;		/* the section TRACING_DATA; empty without tracepoints */
	struct tally tally;
	struct drain *rings;
	struct drain *drains;		/* borrowed; the rings first */
	int epoll, signals, schedule, rotation;
	size_t nr_watched;		/* threads (times CPUs) that have not ended */
	bool ends_with_threads;		/* -p and -t without a command */
	bool stop, rotate, snapshot;		/* wishes, fulfilled at the end of a turn of the loop */
	size_t step;			/* of the schedule, the next */
	int write_error;		/* -errno of what could not be written */
	uint64_t wakeups, started_ns;
};

/* ---- opening ---- */

static int list_cpus(struct recorder *r)
{
	int err = cpus_online(&r->online);

	if (err)
		return error("cannot read which CPUs are online: %s", strerror(-err));
	return target_check_cpus(&r->o->target, &r->online);
}

static int list_threads(struct recorder *r)
{
	const struct target *t = &r->o->target;

	if (target_is_workload(t))
		vec_push(&r->threads.list, r->workload.pid);
	else if (!target_system_wide(t))
		return target_threads(&r->threads, t);
	return 0;
}

static int open_events(struct recorder *r)
{
	struct sampling_opts *s = &r->o->sampling;

	places_plan(&r->places, &r->o->target, &r->online, r->threads.list.v, r->threads.list.nr);
	s->inherit = r->places.inherit;
	s->on_exec = r->places.on_exec && schedule_at_once(&r->o->schedule);
	return event_set_open(&r->set, &r->o->events, &r->places, s, r->o->ring_bytes);
}

/*
 * A thread may have been made by one whose events were not open yet, behind the listing. So look again, and begin
 * anew where there are others; what is made from then on is inherited.
 */
static int open_until_complete(struct recorder *r)
{
	struct pid_list now = {0};

	for (int tries = 0; tries < MAX_TRIES; tries++) {
		bool complete;

		if (open_events(r))
			return -1;
		if (!r->o->target.pids.list.nr)
			return 0;
		target_processes_threads(&now, &r->o->target);
		complete = pids_include(&r->threads, &now);
		vec_free(&now.list);
		if (complete || tries == MAX_TRIES - 1)
			return 0;
		event_set_close(&r->set);
		places_release(&r->places);
		vec_free(&r->threads.list);
		if (list_threads(r))
			return -1;
	}
	return 0;
}

static int announce_tracepoints(struct recorder *r)
{
	struct features f = {0};

	if (!r->tracing.len)
		return 0;
	f.tracing_data = r->tracing.data;
	f.tracing_data_size = r->tracing.len;
	f.has[FEATURE_TRACING_DATA] = true;
	return data_writer_announce(r->output.writer, &f, &r->set.table);
}

static int open_output(struct recorder *r)
{
	bool kernel_gives_ids = event_set_side_band(&r->set)->attr.build_id;

	if (output_open(&r->output, &r->o->output, &r->set.table))
		return -1;
	tally_init(&r->tally, &r->set.table, !r->o->no_build_ids && (r->o->all_build_ids || !kernel_gives_ids));
	r->rings = ring_drain_new(&r->set, &r->tally);
	r->drains = r->rings;
	if (r->o->aux && r->o->aux->start(r->o->aux, &r->set, &r->tally, r->rings))
		return -1;
	describe_tracepoints(&r->tracing, r->o);
	return announce_tracepoints(r);
}

/* ---- what was there before ---- */

static int append(struct recorder *r, struct buf *b)
{
	int err = b->len ? data_writer_append(r->output.writer, b->data, b->len) : 0;

	b->len = 0;
	if (err)
		r->write_error = err;
	return err;
}

/* Each file says at its beginning how to read the trace in it. */
static int append_aux(struct recorder *r)
{
	struct buf b = {0};
	int err;

	if (!r->o->aux)
		return 0;
	r->o->aux->describe(r->o->aux, &b);
	err = append(r, &b);
	buf_release(&b);
	return err;
}

static int append_past(struct recorder *r, bool everyone)
{
	struct buf b = {0};
	int err;

	describe_past(&b, r->o, &r->set, everyone);
	err = append(r, &b);
	buf_release(&b);
	return err;
}

/* ---- the loop ---- */

static int watch(struct recorder *r, int fd, uint32_t what, uint64_t from)
{
	struct epoll_event e = { .events = what, .data.u64 = from };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) ? error("cannot wait for events: %s", strerror(errno)) : 0;
}

/*
 * A ring is waited for through the events that write to it, and ends of threads show as hang-ups. Where threads
 * are attached to, every place of the first event is waited for; else one event a ring is enough. What an overwrite
 * ring holds is not waited for.
 */
static int watch_events(struct recorder *r)
{
	bool all = r->threads.list.nr && !r->places.on_exec;
	bool *seen = xcalloc(r->set.rings.nr, sizeof(*seen));
	int err = 0;

	for (size_t i = 0; i < r->set.opened.nr && !err; i++) {
		const struct opened *e = &r->set.opened.v[i];

		if (seen[e->ring] && (!all || e->event))
			continue;
		seen[e->ring] = true;
		err = watch(r, e->fd, r->set.rings.v[e->ring].overwrite ? 0 : EPOLLIN, i);
		r->nr_watched++;
	}
	r->ends_with_threads = all && !r->workload.pid;
	free(seen);
	return err;
}

/* A timer that fires again and again; -1: printed. */
static int periodic_timer(uint64_t ms)
{
	struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000 * 1000000) };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &(struct itimerspec){ .it_value = t, .it_interval = t }, NULL))
		return error("cannot start a timer: %s", strerror(errno));
	return fd;
}

static int start_timers(struct recorder *r)
{
	r->schedule = schedule_timer(&r->o->schedule);
	if (r->schedule == -1 || (r->schedule >= 0 && watch(r, r->schedule, EPOLLIN, FROM_SCHEDULE)))
		return -1;
	if (!r->o->output.rotate_ms)
		return 0;
	r->rotation = periodic_timer(r->o->output.rotate_ms);
	return r->rotation < 0 ? -1 : watch(r, r->rotation, EPOLLIN, FROM_ROTATION);
}

static int open_control(struct recorder *r)
{
	if (!r->o->control)
		return 0;
	if (control_open(&r->control, r->o->control))
		return -1;
	return watch(r, control_fd(r->control), EPOLLIN, FROM_CONTROL);
}

static int prepare_loop(struct recorder *r)
{
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return error("cannot wait for events: %s", strerror(errno));
	if (watch(r, r->signals, EPOLLIN, FROM_SIGNALS) || watch_events(r))
		return -1;
	return start_timers(r) || open_control(r) ? -1 : 0;
}

static void drain_all(struct recorder *r, enum drain_how how)
{
	for (struct drain *d = r->drains; d; d = d->next) {
		int64_t n = d->drain(d, r->output.writer, how);

		if (n < 0)
			r->write_error = (int)n;
	}
	if (r->write_error)
		r->stop = true;
}

/* A thread has ended, and its children: nothing more comes from here, and epoll would say so for ever. */
static void hung_up(struct recorder *r, const struct opened *e)
{
	epoll_ctl(r->epoll, EPOLL_CTL_DEL, e->fd, NULL);
	r->nr_watched--;
	if (!r->nr_watched && r->ends_with_threads)
		r->stop = true;
}

/* Save what the areas hold. The events stand still meanwhile: what tells of the trace is in the file before it. */
static void take_snapshot(struct recorder *r)
{
	struct recorder_aux *aux = r->o->aux;

	r->snapshot = false;
	aux->stop(aux);
	drain_all(r, DRAIN_WRITE);
	if (!r->write_error)
		r->write_error = aux->save(aux, r->output.writer);
	if (r->write_error)
		r->stop = true;
	else
		aux->resume(aux);
}

/* ---- files ---- */

static void append_lost(struct recorder *r)
{
	struct buf b = {0};

	describe_lost(&b, &r->set, &r->tally);
	append(r, &b);
	buf_release(&b);
}

static int finish_file(struct recorder *r)
{
	struct features f = {0};
	int err;

	if (!r->write_error)
		append_lost(r);
	if (!r->write_error && r->o->tail_synthesize)
		append_past(r, true);
	if (r->o->aux)
		r->o->aux->index(r->o->aux, &f);
	describe_features(&f, r->o, &r->set, &r->tally);
	if (r->tracing.len) {
		f.tracing_data = xmalloc(r->tracing.len);
		f.tracing_data_size = r->tracing.len;
		memcpy(f.tracing_data, r->tracing.data, r->tracing.len);
		f.has[FEATURE_TRACING_DATA] = true;
	}
	err = data_writer_finish(r->output.writer, &f, &r->set.table);
	features_release(&f);
	return err;
}

/* ---- what wakes the loop ---- */

/* SIGUSR2, or the command "snapshot". */
static void take_wish(struct recorder *r)
{
	r->rotate = r->o->output.rotate;
	r->snapshot = r->o->aux && r->o->aux->snapshot;
}

static void take_signals(struct recorder *r)
{
	int signal;

	while ((signal = signals_next(r->signals))) {
		if (signal == SIGCHLD)
			r->stop = r->stop || workload_poll(&r->workload);
		else if (signal == SIGUSR2)
			take_wish(r);
		else
			r->stop = true;
	}
}

static void take_commands(struct recorder *r)
{
	struct control_wishes w = {0};

	if (!control_take(r->control, &r->set, str_eq(r->o->output.path, "-"), &w))
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, control_fd(r->control), NULL);
	r->stop = r->stop || w.stop;
	if (!w.snapshot)
		return;
	take_wish(r);
	if (!r->rotate && !r->snapshot)
		warning("control: without --switch-output or -S there is nothing to take a snapshot of");
}

/* On, off, on ...: after the last off there is nothing more to record. */
static void next_step(struct recorder *r)
{
	bool on = r->step % 2 == 0;

	event_set_switch(&r->set, NULL, on);
	if (schedule_arm(&r->o->schedule, r->schedule, ++r->step, r->started_ns))
		return;
	epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->schedule, NULL);
	r->stop = r->stop || !on;
}

static void next_period(struct recorder *r)
{
	uint64_t times;

	if (read(r->rotation, &times, sizeof(times)) == sizeof(times))
		r->rotate = true;
}

/* Returns whether there is something to drain. */
static bool handle(struct recorder *r, const struct epoll_event *e)
{
	switch (e->data.u64) {
	case FROM_SIGNALS:
		take_signals(r);
		return false;
	case FROM_SCHEDULE:
		next_step(r);
		return false;
	case FROM_ROTATION:
		next_period(r);
		return false;
	case FROM_CONTROL:
		take_commands(r);
		return false;
	}
	if (!(e->events & (EPOLLHUP | EPOLLERR)))
		return true;
	hung_up(r, &r->set.opened.v[e->data.u64]);
	return e->events & EPOLLIN;
}

/* Finish this file and begin the next, which tells again what was there before. */
static void rotate(struct recorder *r)
{
	r->rotate = false;
	drain_all(r, DRAIN_LAST);
	if (r->stop || finish_file(r) || output_close_file(&r->output) || output_next(&r->output, &r->set.table)) {
		r->stop = true;
		return;
	}
	info("wrote '%s'", r->output.last);
	r->tally.first_time = r->tally.last_time = 0;
	if (append_aux(r) || (!r->o->tail_synthesize && append_past(r, true)))
		r->stop = true;
}

static void look_at_sizes(struct recorder *r)
{
	r->rotate = r->rotate || output_file_is_full(&r->output);
	if (!output_is_full(&r->output) || r->stop)
		return;
	info("the output has the size that --max-size allows: stopping");
	r->stop = true;
}

static void loop(struct recorder *r)
{
	struct epoll_event events[EPOLL_BATCH];

	while (!r->stop) {
		int nr = epoll_wait(r->epoll, events, EPOLL_BATCH, -1);
		bool data = false;

		for (int i = 0; i < nr; i++)
			data |= handle(r, &events[i]);
		r->wakeups += data;
		if (data && !r->stop)
			drain_all(r, DRAIN_SOME);
		if (data)
			look_at_sizes(r);
		if (r->snapshot && !r->stop)
			take_snapshot(r);
		if (r->rotate && !r->stop)
			rotate(r);
		control_answer(r->control);
	}
}

/* ---- the end ---- */

static int finish(struct recorder *r)
{
	struct verdict v = { .set = &r->set, .tally = &r->tally, .wakeups = r->wakeups };
	int err;

	event_set_disable(&r->set);
	/* Who asks for a snapshot in the last moment gets it. */
	take_signals(r);
	if (!r->write_error)
		drain_all(r, DRAIN_LAST);
	if (!r->write_error && r->o->aux && (r->o->aux->at_exit || r->snapshot))
		r->write_error = r->o->aux->save(r->o->aux, r->output.writer);
	/* What went down a pipe has no end that could be mended. */
	err = r->write_error && str_eq(r->o->output.path, "-") ? 0 : finish_file(r);
	if (r->write_error)
		error("cannot write '%s': %s; what was written until then can be read", r->o->output.path,
		      strerror(-r->write_error));
	if (output_close_file(&r->output))
		return -1;
	v.output = r->output.last;
	v.bytes = output_bytes(&r->output);
	v.wall_ns = clock_ns(CLOCK_MONOTONIC) - r->started_ns;
	verdict_print(&v);
	if (r->o->aux)
		r->o->aux->tell(r->o->aux);
	control_answer(r->control);
	return r->write_error || err ? -1 : 0;
}

/* ---- together ---- */

static int prepare(struct recorder *r)
{
	if (list_cpus(r) || list_threads(r) || target_open_cgroup(&r->o->target) ||
	    open_until_complete(r) || open_output(r) || prepare_loop(r))
		return -1;
	if (append_aux(r) || (!r->o->tail_synthesize && append_past(r, false)))
		return error("cannot write '%s': %s", r->o->output.path, strerror(-r->write_error));
	return 0;
}

/* Returns 0, or the exit status where the command cannot be executed. */
static int go(struct recorder *r)
{
	int status;

	r->started_ns = clock_ns(CLOCK_MONOTONIC);
	schedule_arm(&r->o->schedule, r->schedule, r->step, r->started_ns);
	if (!r->places.on_exec && schedule_at_once(&r->o->schedule))
		event_set_enable(&r->set);
	status = r->workload.pid ? workload_go(&r->workload, r->o->workload[0]) : 0;
	if (status || !r->workload.stops)
		return status;
	if (symbol_breaks_place(&r->set, &r->o->events, r->workload.pid, schedule_at_once(&r->o->schedule)))
		return 1;
	workload_continue(&r->workload);
	return 0;
}

/* Out of memory: the file reads up to what was written; the command must not go on unwatched. */
static void at_die(void *arg)
{
	struct recorder *r = arg;

	event_set_disable(&r->set);
	workload_finish(&r->workload, r->o->workload ? r->o->workload[0] : NULL);
}

static bool stops_when_loaded(const struct recorder *r)
{
	return target_is_workload(&r->o->target) && symbol_breaks_any(&r->o->events);
}

/* Symbols are those of the command, or of the first process that is watched. */
static int find_symbols(struct recorder *r)
{
	const struct target *t = &r->o->target;

	if (!symbol_breaks_any(&r->o->events) || stops_when_loaded(r))
		return 0;
	if (t->pids.list.nr || t->tids.list.nr)
		return symbol_breaks_locate(&r->o->events, t->pids.list.nr ? t->pids.list.v[0] : t->tids.list.v[0]);
	return error("a breakpoint at a symbol needs a command or a process: its program has the symbol");
}

/* The recorder's own; the command was forked already. */
static int take_priority(const struct recorder *r)
{
	struct sched_param p = { .sched_priority = (int)r->o->priority };

	if (!r->o->priority || !sched_setscheduler(0, SCHED_FIFO, &p))
		return 0;
	return error("cannot take real-time priority %d: %s (SCHED_FIFO has 1 to 99, and needs CAP_SYS_NICE)",
		     p.sched_priority, strerror(errno));
}

static int fork_workload(struct recorder *r)
{
	return workload_fork(&r->workload, r->o->workload, &r->o->mask, str_eq(r->o->output.path, "-"),
			     stops_when_loaded(r));
}

static int record(struct recorder *r)
{
	const char *command = r->o->workload ? r->o->workload[0] : NULL;
	int status = command ? workload_check(command) : 0, command_status;

	if (status)
		return status;
	r->signals = signals_catch();
	if (r->signals < 0 || find_symbols(r) || (command && fork_workload(r)) || take_priority(r) || prepare(r))
		return 1;
	status = go(r);
	if (!status)
		loop(r);
	if (finish(r))
		status = 1;
	/* From here on a second interrupt ends us, should the command not end. */
	signals_release(r->signals, &r->o->mask);
	command_status = workload_finish(&r->workload, command);
	return status ? status : command_status;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int recorder_run(struct recorder_opts *o)
{
	struct recorder r = {
		.o = o, .epoll = -1, .signals = -1, .schedule = -1, .rotation = -1,
		 .workload = { .go = -1, .failed = -1 },
	};
	int status;

	log_at_die(at_die, &r);
	status = record(&r);
	log_at_die(NULL, NULL);
	workload_finish(&r.workload, o->workload ? o->workload[0] : NULL);
	output_release(&r.output);
	control_free(r.control);
	ring_drain_free(r.rings);
	buf_release(&r.tracing);
	tally_release(&r.tally);
	event_set_close_behind(&r.set);
	places_release(&r.places);
	vec_free(&r.threads.list);
	cpus_release(&r.online);
	close_fd(r.epoll);
	close_fd(r.signals);
	close_fd(r.schedule);
	close_fd(r.rotation);
	return status;
}
