/*
 * Runs a recording from start to end, for cmd/record.c. recorder_wakes.c handles signals and timers, recorder_files.c writes the
 * start and end of files, and switch_output.c writes snapshots and dumps.
 */
#include "core/record/loop/recorder_opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/bpf_rings.h"
#include "core/record/loop/control.h"
#include "core/record/loop/descriptors.h"
#include "core/record/live/jit_maps.h"
#include "core/record/live/binary_saver.h"
#include "core/record/loop/kernel_names.h"
#include "core/record/loop/map_watch.h"
#include "core/record/loop/pumps.h"
#include "core/record/loop/recorder_aux.h"
#include "core/record/loop/recorder_state.h"
#include "core/record/loop/short_waits.h"
#include "core/record/loop/signals.h"
#include "core/record/live/stats.h"
#include "core/record/loop/summary.h"
#include "core/record/trigger/symbol_break.h"
#include "core/record/live/python.h"

/* ---- the loop ---- */

/* True if every hit of an event is a sample. A tracepoint may have a million hits a second. */
static bool may_burst(const struct recorder *r)
{
	const struct event_set *set = &r->at.set;

	vec_for(ev, &set->table.events)
		if (!(*ev)->attr.freq && (*ev)->attr.sample_period == 1 && !event_set_is_side_band(set, (*ev)->number))
			return true;
	return false;
}

static bool is_urgent(const struct recorder *r)
{
	return !r->pumps && r->readers.nr == 1 && !r->o->aux && r->o->priority == PRIORITY_UNLESS_GIVEN && may_burst(r);
}

/*
 * Runs the first reader of ring buffers (readers.h), whose epoll also waits for signals, timers and control commands
 * (recorder_wakes.c). Between two turns of the reader, takes snapshots, begins new files and writes dumps (switch_output.c).
 */
static void loop(struct recorder *r)
{
	struct reader *own = &r->readers.list[0];

	cpu_waits_begin(&r->waits);
	if (is_urgent(r))
		urgency_raise(&r->urgency);
	while (!r->stop) {
		bool wrote = reader_turn(own, recorder_handle, r);

		cpu_waits_read(&r->waits);
		urgency_keep(&r->urgency);

		if (own->unsure)	/* epoll_wait() failed: what woke it is unknown */
			recorder_read_signals(r);
		if (own->write_error)
			r->write_error = own->write_error;
		r->stop |= r->write_error != 0;
		recorder_keep_room(r);
		if (wrote && r->readers.report_writes)
			recorder_on_reader_event(r);
		if (r->snapshot && !r->stop)
			recorder_take_snapshot(r);
		if (r->rotate && !r->stop)
			recorder_rotate(r);
		if (r->jit_maps)
			jit_maps_poll(r->jit_maps);
		recorder_dump(r, false);
		recorder_arm_dump(r);
		control_answer(r->control);
	}
	urgency_drop(&r->urgency);
	cpu_waits_end(&r->waits);
}

/* ---- the end ---- */

static void print_summary(struct recorder *r)
{
	recorder_findings(r, &r->o->found);
	if (log_level() > 0 || !isatty(STDERR_FILENO))
		findings_print(&r->o->found);
	else
		findings_print_worst(&r->o->found);
	summary_print(r);
}

/* After a write error a file still gets its header and features; a pipe cannot. Returns 0, or -1 (printed). */
static int write_end(struct recorder *r)
{
	int err = r->write_error && str_eq(r->o->output.path, "-") ? 0 : recorder_finish_file(r);

	if (r->write_error)
		error("cannot write '%s': %s; what was written until then can be read", r->o->output.path,
		      strerror(-r->write_error));
	return r->write_error || err ? -1 : 0;
}

/* Ends the last file. With @keep false, removes it: only dumps were wanted, and it is not a dump. Returns 0 or -1 (printed). */
static int end_file(struct recorder *r, bool keep)
{
	int err = write_end(r);

	if (!keep && !err) {
		output_discard(&r->output);
		return 0;
	}
	r->output.in_use = on_file_waiting(&r->on_file);
	if (output_close_file(&r->output))
		return -1;
	on_file_give(&r->on_file, r->output.last);
	return err;
}

static void end_map_watch(struct recorder *r)
{
	map_watch_end(r->map_watch);
	r->map_watch = NULL;
}

static int finish(struct recorder *r)
{
	bool keep;
	int err;

	event_set_disable(&r->at.set);
	cpu_accounting_end(&r->cpu_accounting);
	workload_poll(&r->workload);
	end_map_watch(r);
	readers_stop(&r->readers);
	pumps_stop(r->pumps);
	/* A snapshot (SIGUSR2) or a trigger at the last moment still counts. */
	recorder_read_signals(r);
	recorder_read_triggers(r);
	recorder_dump(r, true);
	keep = recorder_drain_last(r);
	readers_collect(&r->readers);
	if (!r->write_error && r->o->aux && (r->o->aux->at_exit || r->snapshot))
		r->write_error = r->o->aux->save(r->o->aux, r->output.file.writer);
	if (r->jit_maps)
		jit_maps_ask(r->jit_maps);
	err = end_file(r, keep);
	if (r->binary_saver) {
		binary_saver_finish(r->binary_saver);
		kernel_names_keep();
	}
	print_summary(r);
	control_answer(r->control);
	return r->failed ? -1 : err;
}

/* ---- the start ---- */

/*
 * Chooses if MMAP and similar records get ring buffers of their own, so that they are read at once (map_watch.h): binaries must be
 * opened while they exist, and Python frames are read only after the map of Python is known. Binaries alone are no reason if
 * context switches are recorded, because these would wake the thread too often. If each record wakes the recorder, it reads all
 * maps at once anyway.
 */
static void keep_binaries(struct recorder *r)
{
	struct sampling_opts *s = &r->o->sampling;

	r->binary_saver = r->o->no_copies ? NULL : binary_saver_new();
	s->side_band_apart = ((r->binary_saver && !s->switches) || r->reads_python) && !s->no_time && !s->no_buffering;
}

static int prepare(struct recorder *r)
{
	const struct attach_opts opts = {
		.target = &r->o->target, .sampling = &r->o->sampling, .events = &r->o->events, .ring_bytes = r->o->ring_bytes,
		.at_once = schedule_at_once(&r->o->schedule), .workload = r->workload.pid,
	};

	r->reads_python = recorder_wants_python(r->o);
	keep_binaries(r);
	if (!r->o->no_jit_maps && !str_eq(r->o->output.path, "-"))	/* a stream has no sections of prec's own */
		r->jit_maps = jit_maps_new(target_is_workload(&r->o->target));
	if (attach_open(&r->at, &opts) ||
	    trigger_open(&r->trigger, &r->o->triggers, &r->at.places, &r->o->sampling, &r->at.threads) ||
	    recorder_open_output(r) || recorder_watch(r))
		return -1;
	if (recorder_write_preamble(r, false))
		return error("cannot write '%s': %s", r->o->output.path, strerror(-r->write_error));
	if (readers_start(&r->readers) || pumps_start(r->pumps, r->o->priority == PRIORITY_UNLESS_GIVEN))
		return -1;
	r->map_watch = map_watch_begin(&r->at.set, &r->readers, r->binary_saver, r->jit_maps, r->python);
	return r->map_watch ? 0 : recorder_watch_side_band(r);
}

/* Enables the events and executes the command. Returns 0, or the exit status if that fails (printed). */
static int start(struct recorder *r)
{
	int status;

	r->started_ns = now_ns();
	schedule_arm(&r->o->schedule, r->timers[TIMER_SCHEDULE], r->step, r->started_ns);
	cpu_accounting_begin(&r->cpu_accounting);
	if (!r->at.places.on_exec && schedule_at_once(&r->o->schedule))
		event_set_switch(&r->at.set, NULL, true);
	if (!r->at.places.on_exec || !schedule_at_once(&r->o->schedule))
		trigger_enable(&r->trigger);
	if (r->o->aux)	/* a fast device fills its areas before the loop first waits for it */
		reader_flush_now(&r->readers.list[0]);
	status = r->workload.pid ? workload_go(&r->workload, r->o->workload[0]) : 0;
	if (status || !r->workload.stops || r->workload.ended)
		return status;
	if (symbol_breaks_place(&r->at.set, &r->o->events, r->workload.pid, schedule_at_once(&r->o->schedule)) ||
	    symbol_breaks_place(&r->trigger.hits, &r->o->triggers.hits, r->workload.pid, true))
		return 1;
	workload_continue(&r->workload);
	return 0;
}

/* Called by die(), out of memory. The file so far is readable. The command is ended: it must not go on unrecorded. */
static void at_die(void *arg)
{
	struct recorder *r = arg;

	event_set_disable(&r->at.set);
	workload_finish(&r->workload, r->o->workload ? r->o->workload[0] : NULL, "it is not recorded any more");
}

static bool any_symbols(const struct recorder_opts *o)
{
	return symbol_breaks_any(&o->events) || symbol_breaks_any(&o->triggers.hits);
}

/* A breakpoint at a symbol can be set only when the command's program is in memory. */
static bool stops_when_loaded(const struct recorder *r)
{
	return target_is_workload(&r->o->target) && any_symbols(r->o);
}

/* Looks up the symbols of breakpoints in the first watched process or thread; for a command start() does. */
static int find_symbols(struct recorder *r)
{
	const struct target *t = &r->o->target;
	pid_t pid;

	if (!any_symbols(r->o) || stops_when_loaded(r))
		return 0;
	if (!t->pids.list.nr && !t->tids.list.nr)
		return error("a breakpoint at a symbol needs a command or a process: its program has the symbol");
	pid = t->pids.list.nr ? t->pids.list.v[0] : t->tids.list.v[0];
	return symbol_breaks_locate(&r->o->events, pid) || symbol_breaks_locate(&r->o->triggers.hits, pid) ? -1 : 0;
}

static int fork_workload(struct recorder *r)
{
	return workload_fork(&r->workload, r->o->workload, &r->o->mask, str_eq(r->o->output.path, "-"),
			     stops_when_loaded(r));
}

static int catch_signals(const struct recorder *r)
{
	sigset_t triggers;

	sigemptyset(&triggers);
	vec_for(s, &r->o->triggers.specs)
		if (s->kind == TRIGGER_SIGNAL)
			sigaddset(&triggers, s->signal);
	return signals_catch(&triggers);
}

/* Ends the command, which must not go on unrecorded. Returns its exit status. */
static int end_command(struct recorder *r, const char *command)
{
	char *why = NULL;
	int status;

	if (r->write_error == -ENOSPC)
		why = xasprintf("no space is left for '%s'", r->o->output.path);
	else if (r->write_error)
		why = xasprintf("'%s' cannot be written any more", r->o->output.path);
	status = workload_finish(&r->workload, command, why);
	free(why);
	return status;
}

/* Returns the exit status. */
static int record(struct recorder *r)
{
	const char *command = r->o->workload ? r->o->workload[0] : NULL;
	int status = command ? workload_check(command, target_is_workload(&r->o->target)) : 0, command_status;

	if (status)
		return status;
	/* First, so that the process for --on-file inherits no descriptors that are opened below. */
	if (on_file_begin(&r->on_file, r->o->on_file, &r->o->mask))
		return 1;
	r->signals = catch_signals(r);
	if (r->signals < 0 || find_symbols(r) || (command && fork_workload(r)) ||
	    realtime_request(r->o->priority == PRIORITY_UNLESS_GIVEN ? 0 : r->o->priority) || prepare(r))
		return 1;
	status = start(r);
	if (status)
		return status;
	r->failed = output_begun(&r->output) != 0;
	loop(r);
	if (finish(r))
		status = 1;
	/* From here on Ctrl-C ends prec itself, in case the command does not end. */
	signals_release(r->signals, &r->o->mask);
	if (r->dumps.dumped && r->dumps.dumped == r->o->triggers.at_most)
		workload_wait(&r->workload);
	command_status = end_command(r, command);
	on_file_end(&r->on_file);
	output_remove_old(&r->output, 0);
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
		.o = o, .signals = -1, .timers = { [0 ... NR_TIMERS - 1] = -1 }, .dumps.o = &o->triggers,
		.workload = { .go = -1, .failed = -1 }, .hotplug = HOTPLUG_INIT, .on_file = ON_FILE_INIT,
	};
	int status;

	log_at_die(at_die, &r);
	status = record(&r);
	log_at_die(NULL, NULL);
	workload_finish(&r.workload, o->workload ? o->workload[0] : NULL, NULL);
	end_map_watch(&r);
	pumps_free(r.pumps);
	readers_release(&r.readers);
	binary_saver_free(r.binary_saver);
	jit_maps_free(r.jit_maps);
	short_waits_free(r.short_waits);
	descriptors_free(r.descriptors);
	bpf_rings_free(r.bpf_rings);
	live_unwind_free(r.live);
	live_unwind_free(r.stack_probe);
	python_free(r.python);
	output_release(&r.output);
	on_file_end(&r.on_file);
	control_free(r.control);
	hotplug_close(&r.hotplug);
	buf_release(&r.tracing);
	trigger_release(&r.trigger);
	attach_release(&r.at);
	close_fd(r.signals);
	for (size_t i = 0; i < NR_TIMERS; i++)
		close_fd(r.timers[i]);
	vec_free(&r.counting.printed);
	vec_free(&r.hits.list);
	buf_release(&r.side_band.records);
	dumps_release(&r.dumps);
	return status;
}
