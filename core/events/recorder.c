/*
 * The recorder: one thread, one epoll loop. It wakes when a ring is half full, a signal came, the delay is over
 * or the last watched thread has ended; it does not know what it drains.
 * Layer: events
 */
#include "core/events/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/events/drain.h"
#include "core/events/event_set.h"
#include "core/events/hostinfo.h"
#include "core/events/procscan.h"
#include "core/events/symbol_break.h"
#include "core/events/tally.h"
#include "core/events/tracefs.h"
#include "core/events/verdict.h"
#include "core/events/workload.h"
#include "core/format/data_writer.h"
#include "core/format/feature.h"
#include "core/format/record.h"

#define EPOLL_BATCH	64
#define MAX_TRIES	4		/* of attaching to all threads of a process */
/* What an epoll event belongs to: a number of an opened event, or one of these. */
#define FROM_SIGNALS	UINT64_MAX
#define FROM_TIMER	(UINT64_MAX - 1)

struct recorder {
	struct recorder_opts *o;
	struct cpus online;
	struct pid_list threads;
	struct places places;
	struct event_set set;
	struct workload workload;
	struct data_writer *writer;
	struct buf tracing;		/* the section TRACING_DATA; empty without tracepoints */
	struct tally tally;
	struct drain *rings;
	struct drain *drains;		/* borrowed; the rings first */
	int epoll, signals, timer;
	sigset_t old_mask;
	size_t nr_watched;		/* threads (times CPUs) that have not ended */
	bool ends_with_threads;		/* -p and -t without a command */
	bool stop;
	int write_error;		/* -errno of what could not be written */
	uint64_t wakeups, started_ns;
};

/* ---- signals ---- */

/*
 * SIGHUP that is ignored (nohup) stays so. SIGUSR2 is kept from killing us before somebody wants it, SIGPIPE so that
 * a reader of our output that has gone is an error like others.
 */
static int catch_signals(struct recorder *r)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGQUIT, SIGCHLD, SIGUSR2, SIGPIPE };
	struct sigaction hup;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		sigaddset(&set, wanted[i]);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signals < 0 ? error("cannot create a signalfd: %s", strerror(errno)) : 0;
}

static void take_signals(struct recorder *r)
{
	struct signalfd_siginfo s;

	while (read(r->signals, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo == SIGCHLD)
			r->stop = r->stop || workload_poll(&r->workload);
		else if (s.ssi_signo != SIGUSR2)
			r->stop = true;
	}
}

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
	s->on_exec = r->places.on_exec && !r->o->delay_ms;
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

/* What the tracepoints' data mean, as long as the kernel can tell. A stream's reader needs it before the samples. */
static int describe_tracepoints(struct recorder *r)
{
	struct features f = {0};
	VEC(const char *) names = {0};

	vec_for(e, &r->o->events.list)
		if (e->tracepoint)
			vec_push(&names, e->tracepoint);
	if (!names.nr)
		return 0;
	tracefs_section(&r->tracing, names.v, names.nr);
	vec_free(&names);
	f.tracing_data = r->tracing.data;
	f.tracing_data_size = r->tracing.len;
	f.has[FEATURE_TRACING_DATA] = r->tracing.len;
	return data_writer_announce(r->writer, &f, &r->set.table);
}

static int open_output(struct recorder *r)
{
	struct data_writer_opts o = { .path = r->o->output, .keep_old = true };
	bool kernel_gives_ids = event_set_side_band(&r->set)->attr.build_id;

	if (data_writer_open(&r->writer, &o, &r->set.table))
		return -1;
	tally_init(&r->tally, &r->set.table, !r->o->no_build_ids && (r->o->all_build_ids || !kernel_gives_ids));
	r->rings = ring_drain_new(&r->set, &r->tally);
	r->drains = r->rings;
	return describe_tracepoints(r);
}

/* ---- what was there before ---- */

static int append(struct recorder *r, struct buf *b)
{
	int err = b->len ? data_writer_append(r->writer, b->data, b->len) : 0;

	b->len = 0;
	if (err)
		r->write_error = err;
	return err;
}

static void scan_threads(struct recorder *r, struct procscan *s, struct buf *b)
{
	pid_t last = 0;

	vec_for(pid, &r->o->target.pids.list)
		procscan_process(s, b, *pid);
	vec_for(tid, &r->o->target.tids.list) {
		pid_t pid = procscan_process_of(*tid);

		if (pid && pid != last)
			procscan_process(s, b, pid);
		last = pid;
	}
}

/* A workload needs no more than the kernel: its own past is the exec, which the side band tells of. */
static int describe_past(struct recorder *r)
{
	struct event *ev = event_set_side_band(&r->set);
	struct procscan_opts o = {
		.layout = &ev->layout, .id = ev->ids.v[0], .data_maps = r->o->sampling.addr,
		.build_ids = ev->attr.build_id,
	};
	struct record_header init = { .type = RECORD_FINISHED_INIT, .size = sizeof(init) };
	struct procscan *s = procscan_new(&o);
	struct buf b = {0};
	int err;

	procscan_kernel(s, &b);
	if (target_system_wide(&r->o->target))
		procscan_all(s, &b);
	else
		scan_threads(r, s, &b);
	buf_put(&b, &init, sizeof(init));
	err = append(r, &b);
	procscan_free(s);
	buf_release(&b);
	return err;
}

/* ---- the loop ---- */

static int watch_fd(struct recorder *r, int fd, uint64_t from)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = from };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) ? error("cannot wait for events: %s", strerror(errno)) : 0;
}

/*
 * A ring is waited for through the events that write to it, and ends of threads show as hang-ups. Where threads
 * are attached to, every place of the first event is waited for; else one event a ring is enough.
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
		err = watch_fd(r, e->fd, i);
		r->nr_watched++;
	}
	r->ends_with_threads = all && !r->workload.pid;
	free(seen);
	return err;
}

static int start_timer(struct recorder *r)
{
	int64_t ms = r->o->delay_ms;
	struct itimerspec t = { .it_value = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 } };

	if (ms <= 0)
		return 0;
	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->timer < 0 || timerfd_settime(r->timer, 0, &t, NULL))
		return error("cannot start a timer: %s", strerror(errno));
	return watch_fd(r, r->timer, FROM_TIMER);
}

static int prepare_loop(struct recorder *r)
{
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return error("cannot wait for events: %s", strerror(errno));
	return watch_fd(r, r->signals, FROM_SIGNALS) || watch_events(r) || start_timer(r) ? -1 : 0;
}

static void drain_all(struct recorder *r, bool last)
{
	for (struct drain *d = r->drains; d; d = d->next) {
		int64_t n = d->drain(d, r->writer, last);

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

static bool handle(struct recorder *r, const struct epoll_event *e)
{
	if (e->data.u64 == FROM_SIGNALS) {
		take_signals(r);
	} else if (e->data.u64 == FROM_TIMER) {
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->timer, NULL);
		event_set_enable(&r->set);
	} else if (e->events & (EPOLLHUP | EPOLLERR)) {
		hung_up(r, &r->set.opened.v[e->data.u64]);
		return e->events & EPOLLIN;
	} else {
		return true;
	}
	return false;
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
			drain_all(r, false);
	}
}

/* ---- the end ---- */

/* Readers learn what each event lost on each CPU from these, as from the kernel's own of other losses. */
static void append_lost(struct recorder *r)
{
	struct buf b = {0};

	event_set_count_lost(&r->set);
	vec_for(e, &r->set.opened) {
		struct record rec = { .header.type = PERF_RECORD_LOST_SAMPLES, .lost.lost = e->lost };

		if (!e->lost || event_set_is_side_band(&r->set, e->event))
			continue;
		rec.id = (struct sample_id){ .id = e->id, .cpu = (uint32_t)e->place.cpu, .time = r->tally.last_time };
		record_append(&b, &r->set.table.events.v[e->event]->layout, &rec);
	}
	append(r, &b);
	buf_release(&b);
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	return clock_gettime(id, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void describe_clock(struct features *f, const struct event_attr *a)
{
	struct timespec res;

	if (!a->use_clockid)
		return;
	if (!clock_getres(a->clockid, &res)) {
		f->clockid_res = (uint64_t)res.tv_nsec;
		f->has[FEATURE_CLOCKID] = true;
	}
	f->clock_id = (uint32_t)a->clockid;
	f->clock_wall_ns = clock_ns(CLOCK_REALTIME);
	f->clock_mono_ns = clock_ns(a->clockid);
	f->has[FEATURE_CLOCK_DATA] = true;
}

static int finish_file(struct recorder *r)
{
	struct features f = {0};
	int err;

	hostinfo_read(&f, r->o->version, r->o->cmdline);
	f.has[FEATURE_EVENT_DESC] = true;
	if (r->tracing.len) {
		f.tracing_data = r->tracing.data;
		f.tracing_data_size = r->tracing.len;
		f.has[FEATURE_TRACING_DATA] = true;
		r->tracing = (struct buf){0};
	}
	if (r->o->no_build_ids)
		f.has[FEATURE_BUILD_ID] = false;
	else
		tally_build_ids(&r->tally, &f);
	if (r->tally.first_time) {
		f.first_sample = r->tally.first_time;
		f.last_sample = r->tally.last_time;
		f.has[FEATURE_SAMPLE_TIME] = true;
	}
	describe_clock(&f, &event_set_side_band(&r->set)->attr);
	err = data_writer_finish(r->writer, &f, &r->set.table);
	features_release(&f);
	return err;
}

static int finish(struct recorder *r)
{
	struct verdict v = { .set = &r->set, .tally = &r->tally, .output = r->o->output, .wakeups = r->wakeups };

	event_set_disable(&r->set);
	if (!r->write_error)
		drain_all(r, true);
	if (!r->write_error)
		append_lost(r);
	if (r->write_error)
		error("cannot write '%s': %s; what was written until then can be read", r->o->output,
		      strerror(-r->write_error));
	if (finish_file(r) && !r->write_error)
		return -1;
	v.bytes = data_writer_offset(r->writer);
	v.wall_ns = clock_ns(CLOCK_MONOTONIC) - r->started_ns;
	verdict_print(&v);
	return r->write_error ? -1 : 0;
}

/* ---- together ---- */

static int prepare(struct recorder *r)
{
	if (list_cpus(r) || list_threads(r) || open_until_complete(r) || open_output(r) || prepare_loop(r))
		return -1;
	return describe_past(r) ? error("cannot write '%s': %s", r->o->output, strerror(-r->write_error)) : 0;
}

/* Returns 0, or the exit status where the command cannot be executed. */
static int go(struct recorder *r)
{
	int status;

	r->started_ns = clock_ns(CLOCK_MONOTONIC);
	if (!r->places.on_exec && !r->o->delay_ms)
		event_set_enable(&r->set);
	status = r->workload.pid ? workload_go(&r->workload, r->o->workload[0]) : 0;
	if (status || !r->workload.stops)
		return status;
	if (symbol_breaks_place(&r->set, &r->o->events, r->workload.pid, !r->o->delay_ms))
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

static int fork_workload(struct recorder *r)
{
	return workload_fork(&r->workload, r->o->workload, &r->old_mask, str_eq(r->o->output, "-"),
			     stops_when_loaded(r));
}

static int record(struct recorder *r)
{
	const char *command = r->o->workload ? r->o->workload[0] : NULL;
	int status = command ? workload_check(command) : 0, command_status;

	if (status)
		return status;
	if (find_symbols(r) || catch_signals(r) || (command && fork_workload(r)) || prepare(r))
		return 1;
	status = go(r);
	if (!status)
		loop(r);
	if (finish(r))
		status = 1;
	/* From here on a second interrupt ends us, should the command not end. */
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
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
		.o = o, .epoll = -1, .signals = -1, .timer = -1, .workload = { .go = -1, .failed = -1 },
	};
	int status;

	log_at_die(at_die, &r);
	status = record(&r);
	log_at_die(NULL, NULL);
	workload_finish(&r.workload, o->workload ? o->workload[0] : NULL);
	if (r.writer)
		data_writer_close(r.writer);
	ring_drain_free(r.rings);
	buf_release(&r.tracing);
	tally_release(&r.tally);
	event_set_close_behind(&r.set);
	places_release(&r.places);
	vec_free(&r.threads.list);
	cpus_release(&r.online);
	close_fd(r.epoll);
	close_fd(r.signals);
	close_fd(r.timer);
	return status;
}
