/*
 * The recorder's loop: turns of the first reader (crew.h), which also wakes when a signal or a command came, a timer
 * fired or the last watched thread has ended. What is wished then is fulfilled between two turns.
 * Layer: events
 */
#include "core/events/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/events/attach.h"
#include "core/events/control.h"
#include "core/events/crew.h"
#include "core/events/describe.h"
#include "core/events/hotplug.h"
#include "core/events/promptness.h"
#include "core/events/recorder_aux.h"
#include "core/events/signals.h"
#include "core/events/symbol_break.h"
#include "core/events/trigger.h"
#include "core/events/verdict.h"
#include "core/events/workload.h"
#include "core/format/data_writer.h"
#include "core/format/feature.h"

/* What an epoll event belongs to, beside those of crew.h. */
#define FROM_SIGNALS	(FROM_OTHERS)
#define FROM_SCHEDULE	(FROM_OTHERS + 1)
#define FROM_ROTATION	(FROM_OTHERS + 2)
#define FROM_CONTROL	(FROM_OTHERS + 3)
#define FROM_TRIGGER	(FROM_OTHERS + 4)
#define FROM_HOTPLUG	(FROM_OTHERS + 5)

struct recorder {
	struct recorder_opts *o;
	struct attached at;
	struct trigger trigger;
	struct workload workload;
	struct output output;
	struct control *control;
	struct hotplug hotplug;
	struct buf tracing;		/* the section TRACING_DATA; empty without tracepoints */
	struct crew crew;
	struct tally *tally;		/* the first reader's, and everybody's after crew_collect() */
	int signals, schedule, rotation;
	size_t nr_watched;		/* threads (times CPUs) that have not ended */
	bool ends_with_threads;		/* -p and -t without a command */
	bool stop, rotate, snapshot;	/* wishes, fulfilled at the end of a turn of the loop */
	size_t step;			/* of the schedule, the next */
	int write_error;		/* -errno of what could not be written */
	uint64_t started_ns;
};

/* ---- opening ---- */

static int announce_tracepoints(struct recorder *r)
{
	struct features f = {0};

	if (!r->tracing.len)
		return 0;
	f.tracing_data = r->tracing.data;
	f.tracing_data_size = r->tracing.len;
	f.has[FEATURE_TRACING_DATA] = true;
	return data_writer_announce(r->output.writer, &f, &r->at.set.table);
}

/* Where the readers write: the file as it is now. */
static void take_writers(struct recorder *r)
{
	for (size_t i = 0; i < r->crew.nr; i++)
		r->crew.readers[i].writer = output_writer(&r->output, i);
}

/* With --threads each share has a file. */
static int fit_threads(struct recorder *r)
{
	const struct target *t = &r->o->target;

	if (!r->o->threads.given)
		return 0;
	if (thread_layout_fit(&r->o->threads, t->has_cpus ? &t->cpus : &r->at.online, &r->at.online))
		return -1;
	r->o->output.nr_parts = (unsigned)r->o->threads.shares.nr;
	r->o->drain.no_rounds = true;
	return 0;
}

static int open_output(struct recorder *r)
{
	bool kernel_gives_ids = event_set_side_band(&r->at.set)->attr.build_id;
	bool take_names = !r->o->no_build_ids && (r->o->all_build_ids || !kernel_gives_ids);

	if (fit_threads(r) || output_open(&r->output, &r->o->output, &r->at.set.table) ||
	    crew_init(&r->crew, &r->at.set, &r->o->threads, &r->o->drain, take_names))
		return -1;
	r->tally = &r->crew.readers[0].tally;
	r->crew.tell_writes = r->o->output.max_bytes || r->o->output.rotate_bytes;
	take_writers(r);
	if (r->o->aux && r->o->aux->start(r->o->aux, &r->at.set, r->tally, r->crew.readers[0].rings))
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

	describe_past(&b, r->o, &r->at.set, everyone);
	err = append(r, &b);
	buf_release(&b);
	return err;
}

/* ---- the loop ---- */

static int watch(struct recorder *r, int fd, uint64_t from)
{
	return reader_watch(&r->crew.readers[0], fd, EPOLLIN, from);
}

/* Events of other readers' rings are watched here for hang-ups, which epoll tells unasked. */
static int watch_event(struct recorder *r, const struct opened *e, uint64_t number, bool all)
{
	struct reader *own = &r->crew.readers[0], *reader = crew_reader_of(&r->crew, e->ring);
	uint32_t what = r->at.set.rings.v[e->ring].overwrite ? 0 : EPOLLIN;

	if (reader_watch(reader, e->fd, what, number))
		return -1;
	r->nr_watched++;
	return all && reader != own ? reader_watch(own, e->fd, 0, number) : 0;
}

/*
 * A ring is waited for through the events that write to it, and ends of threads show as hang-ups. Where threads
 * are attached to, every place of the first event is waited for; else one event a ring is enough. What an overwrite
 * ring holds is not waited for.
 */
static int watch_events(struct recorder *r)
{
	bool all = r->at.threads.list.nr && !r->at.places.on_exec;
	bool *seen = xcalloc(r->at.set.rings.nr, sizeof(*seen));
	int err = 0;

	for (size_t i = 0; i < r->at.set.opened.nr && !err; i++) {
		const struct opened *e = &r->at.set.opened.v[i];

		if (seen[e->ring] && (!all || e->event))
			continue;
		seen[e->ring] = true;
		err = watch_event(r, e, i, all);
	}
	vec_for(ring, &r->trigger.set.rings)
		if (!err)
			err = watch(r, ring->fd, FROM_TRIGGER);
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
	if (r->schedule == -1 || (r->schedule >= 0 && watch(r, r->schedule, FROM_SCHEDULE)))
		return -1;
	if (!r->o->output.rotate_ms)
		return 0;
	r->rotation = periodic_timer(r->o->output.rotate_ms);
	return r->rotation < 0 ? -1 : watch(r, r->rotation, FROM_ROTATION);
}

static int open_control(struct recorder *r)
{
	if (!r->o->control)
		return 0;
	if (control_open(&r->control, r->o->control))
		return -1;
	return watch(r, control_fd(r->control), FROM_CONTROL);
}

/* What CPUs do matters to who watches CPUs, not tasks. */
static int watch_cpus(struct recorder *r)
{
	const struct target *t = &r->o->target;

	if (!target_system_wide(t))
		return 0;
	hotplug_open(&r->hotplug, t->has_cpus ? &t->cpus : &r->at.online, !t->has_cpus);
	return r->hotplug.fd < 0 ? 0 : watch(r, r->hotplug.fd, FROM_HOTPLUG);
}

static int prepare_loop(struct recorder *r)
{
	if (watch(r, r->signals, FROM_SIGNALS) || watch_events(r))
		return -1;
	return start_timers(r) || open_control(r) || watch_cpus(r) ? -1 : 0;
}

static void unwatch(struct recorder *r, int fd)
{
	epoll_ctl(r->crew.readers[0].epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* With everybody standing still. */
static void drain_all(struct recorder *r, enum drain_how how)
{
	int err = crew_drain(&r->crew, how);

	if (err)
		r->write_error = err;
	r->stop |= err != 0;
}

/* A thread has ended, and its children: nothing more comes from here, and epoll would say so for ever. */
static void hung_up(struct recorder *r, const struct opened *e)
{
	unwatch(r, e->fd);
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

	describe_lost(&b, &r->at.set, r->tally);
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
	/* perf complains of a stream's section that it does not know; of a file's it says nothing. */
	if (!r->write_error && !str_eq(r->o->output.path, "-"))
		describe_losses(&f, &r->at.set, r->tally);
	describe_features(&f, r->o, &r->at.set, r->tally);
	if (r->tracing.len) {
		f.tracing_data = xmalloc(r->tracing.len);
		f.tracing_data_size = r->tracing.len;
		memcpy(f.tracing_data, r->tracing.data, r->tracing.len);
		f.has[FEATURE_TRACING_DATA] = true;
	}
	err = output_finish_file(&r->output, &f, &r->at.set.table);
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

	if (!control_take(r->control, &r->at.set, str_eq(r->o->output.path, "-"), &w))
		unwatch(r, control_fd(r->control));
	r->stop = r->stop || w.stop;
	if (!w.snapshot)
		return;
	take_wish(r);
	if (!r->rotate && !r->snapshot)
		warning("control: without --switch-output or -S there is nothing to take a snapshot of");
}

/* Of an event of --switch-output-event. */
static void take_hits(struct recorder *r)
{
	if (trigger_take(&r->trigger))
		take_wish(r);
}

/* On, off, on ...: after the last off there is nothing more to record. */
static void next_step(struct recorder *r)
{
	bool on = r->step % 2 == 0;

	event_set_switch(&r->at.set, NULL, on);
	if (schedule_arm(&r->o->schedule, r->schedule, ++r->step, r->started_ns))
		return;
	unwatch(r, r->schedule);
	r->stop = r->stop || !on;
}

static void next_period(struct recorder *r)
{
	uint64_t times;

	if (read(r->rotation, &times, sizeof(times)) == sizeof(times))
		r->rotate = true;
}

static void look_at_sizes(struct recorder *r)
{
	r->rotate = r->rotate || output_file_is_full(&r->output);
	if (!output_is_full(&r->output) || r->stop)
		return;
	info("the output has the size that --max-size allows: stopping");
	r->stop = true;
}

/* Another reader failed or wrote. */
static void take_news(struct recorder *r)
{
	eventfd_t nr;

	eventfd_read(r->crew.news, &nr);
	crew_hold(&r->crew);
	look_at_sizes(r);
	for (size_t i = 0; i < r->crew.nr; i++)
		if (r->crew.readers[i].write_error)
			r->write_error = r->crew.readers[i].write_error;
	crew_go_on(&r->crew);
	r->stop |= r->write_error != 0;
}

static void take_hotplug(struct recorder *r)
{
	hotplug_take(&r->hotplug);
}

/* Returns whether rings may hold data. */
static bool handle(void *ctx, const struct epoll_event *e)
{
	static void (*const takers[])(struct recorder *) = {
		[FROM_SIGNALS - FROM_OTHERS] = take_signals, [FROM_SCHEDULE - FROM_OTHERS] = next_step,
		[FROM_ROTATION - FROM_OTHERS] = next_period, [FROM_CONTROL - FROM_OTHERS] = take_commands,
		[FROM_TRIGGER - FROM_OTHERS] = take_hits, [FROM_HOTPLUG - FROM_OTHERS] = take_hotplug,
		[FROM_NEWS - FROM_OTHERS] = take_news,
	};
	struct recorder *r = ctx;

	if (e->data.u64 >= FROM_OTHERS) {
		takers[e->data.u64 - FROM_OTHERS](r);
		return false;
	}
	if (!(e->events & (EPOLLHUP | EPOLLERR)))
		return true;
	hung_up(r, &r->at.set.opened.v[e->data.u64]);
	return e->events & EPOLLIN;
}

/* Finish this file and begin the next, which tells again what was there before. */
static void next_file(struct recorder *r)
{
	drain_all(r, DRAIN_LAST);
	crew_collect(&r->crew);
	if (r->stop || finish_file(r) || output_close_file(&r->output) || output_next(&r->output, &r->at.set.table)) {
		r->stop = true;
		return;
	}
	take_writers(r);
	info("wrote '%s'", r->output.last);
	r->tally->first_time = r->tally->last_time = 0;
	if (append_aux(r) || (!r->o->tail_synthesize && append_past(r, true)))
		r->stop = true;
}

static void rotate(struct recorder *r)
{
	r->rotate = false;
	crew_hold(&r->crew);
	next_file(r);
	crew_go_on(&r->crew);
}

static void loop(struct recorder *r)
{
	struct reader *own = &r->crew.readers[0];

	while (!r->stop) {
		bool wrote = reader_turn(own, handle, r);

		if (own->write_error)
			r->write_error = own->write_error;
		r->stop |= r->write_error != 0;
		if (wrote && r->crew.tell_writes)
			take_news(r);
		if (r->snapshot && !r->stop)
			take_snapshot(r);
		if (r->rotate && !r->stop)
			rotate(r);
		control_answer(r->control);
	}
}

/* ---- the end ---- */

static void print_verdict(struct recorder *r)
{
	struct verdict v = {
		.set = &r->at.set, .tally = r->tally, .wakeups = r->crew.readers[0].wakeups, .output = r->output.last,
		.bytes = output_bytes(&r->output), .wall_ns = clock_ns(CLOCK_MONOTONIC) - r->started_ns,
	};

	hotplug_close(&r->hotplug);
	verdict_print(&v);
	if (r->o->aux)
		r->o->aux->tell(r->o->aux);
}

/* What went down a pipe has no end that could be mended. Returns 0 or -1. */
static int write_end(struct recorder *r)
{
	int err = r->write_error && str_eq(r->o->output.path, "-") ? 0 : finish_file(r);

	if (r->write_error)
		error("cannot write '%s': %s; what was written until then can be read", r->o->output.path,
		      strerror(-r->write_error));
	return r->write_error || err ? -1 : 0;
}

static int finish(struct recorder *r)
{
	int err;

	event_set_disable(&r->at.set);
	crew_stop(&r->crew);
	/* Who asks for a snapshot in the last moment gets it. */
	take_signals(r);
	if (!r->write_error)
		drain_all(r, DRAIN_LAST);
	crew_collect(&r->crew);
	if (!r->write_error && r->o->aux && (r->o->aux->at_exit || r->snapshot))
		r->write_error = r->o->aux->save(r->o->aux, r->output.writer);
	err = write_end(r);
	if (output_close_file(&r->output))
		return -1;
	print_verdict(r);
	control_answer(r->control);
	return err;
}

/* ---- together ---- */

static int prepare(struct recorder *r)
{
	if (attach_open(&r->at, r->o, r->workload.pid) ||
	    trigger_open(&r->trigger, &r->o->switch_events, &r->at.places, &r->o->sampling) ||
	    open_output(r) || prepare_loop(r))
		return -1;
	if (append_aux(r) || (!r->o->tail_synthesize && append_past(r, false)))
		return error("cannot write '%s': %s", r->o->output.path, strerror(-r->write_error));
	return crew_start(&r->crew);
}

/* Returns 0, or the exit status where the command cannot be executed. */
static int go(struct recorder *r)
{
	int status;

	r->started_ns = clock_ns(CLOCK_MONOTONIC);
	schedule_arm(&r->o->schedule, r->schedule, r->step, r->started_ns);
	if (!r->at.places.on_exec && schedule_at_once(&r->o->schedule))
		event_set_enable(&r->at.set);
	if (!r->at.places.on_exec || !schedule_at_once(&r->o->schedule))
		trigger_enable(&r->trigger);
	status = r->workload.pid ? workload_go(&r->workload, r->o->workload[0]) : 0;
	if (status || !r->workload.stops)
		return status;
	if (symbol_breaks_place(&r->at.set, &r->o->events, r->workload.pid, schedule_at_once(&r->o->schedule)))
		return 1;
	workload_continue(&r->workload);
	return 0;
}

/* Out of memory: the file reads up to what was written; the command must not go on unwatched. */
static void at_die(void *arg)
{
	struct recorder *r = arg;

	event_set_disable(&r->at.set);
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
	if (r->signals < 0 || find_symbols(r) || (command && fork_workload(r)) || take_promptness(r->o->priority) ||
	    prepare(r))
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
		.o = o, .signals = -1, .schedule = -1, .rotation = -1,
		.workload = { .go = -1, .failed = -1 }, .hotplug = HOTPLUG_INIT,
	};
	int status;

	log_at_die(at_die, &r);
	status = record(&r);
	log_at_die(NULL, NULL);
	workload_finish(&r.workload, o->workload ? o->workload[0] : NULL);
	crew_release(&r.crew);
	output_release(&r.output);
	control_free(r.control);
	hotplug_close(&r.hotplug);
	buf_release(&r.tracing);
	trigger_release(&r.trigger);
	attach_release(&r.at);
	close_fd(r.signals);
	close_fd(r.schedule);
	close_fd(r.rotation);
	return status;
}
