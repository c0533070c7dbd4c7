/*
 * Takes AUX snapshots (-S, SIGUSR2), begins new output files (--switch-output), and writes dumps. A dump is an output file with
 * the records before a trigger (option --on). recorder.c calls these functions.
 */
#include "core/record/loop/recorder_state.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/record/loop/recorder_aux.h"
#include "core/record/loop/recorder_opts.h"

/* Empties the ring buffers of all readers. No other reader may run meanwhile. */
static void recorder_drain_all(struct recorder *r, enum drain_how how)
{
	int err = readers_drain(&r->readers, how);

	if (err)
		r->write_error = err;
	r->stop |= err != 0;
}

/*
 * Stops the trace meanwhile, and empties the ring buffers first, so that the records about the trace are before it in the file.
 * There are no other readers, because AUX areas and --threads exclude each other.
 */
void recorder_take_snapshot(struct recorder *r)
{
	struct recorder_aux *aux = r->o->aux;

	r->snapshot = false;
	aux->stop(aux);
	recorder_drain_all(r, DRAIN_WRITE);
	if (!r->write_error)
		r->write_error = aux->save(aux, r->output.file.writer);
	if (r->write_error)
		r->stop = true;
	else
		aux->resume(aux);
}

static void next_file(struct recorder *r)
{
	readers_collect(&r->readers);
	if (!r->write_error && recorder_next_file(r))
		r->stop = r->failed = true;
}

void recorder_rotate(struct recorder *r)
{
	r->rotate = false;
	readers_hold(&r->readers);
	recorder_drain_all(r, DRAIN_LAST);
	next_file(r);
	readers_go_on(&r->readers);
}

/* ---- triggers ---- */

void recorder_read_triggers(struct recorder *r)
{
	trigger_read(&r->trigger, &r->hits);
	dumps_see(&r->dumps, &r->hits);
}

/*
 * Writes the data up to the end of the dump of @hit into the file, and no later data. Returns false if all of them were
 * overwritten. An overwrite ring buffer also has records that the kernel wrote after the trigger. Records after the end of the dump
 * (the trigger's time plus --after) are kept for the next dump, which needs them if its trigger follows soon.
 */
static bool drain_until(struct recorder *r, const struct trigger_hit *hit)
{
	readers_until(&r->readers, dumps_until(&r->dumps, hit));
	recorder_drain_all(r, DRAIN_LAST);
	readers_until(&r->readers, UINT64_MAX);
	if (readers_snapshot(&r->readers) != SNAPSHOT_LATE)
		return true;
	dumps_miss(&r->dumps, MISSED_LATE);
	return false;
}

/*
 * Makes the current file the dump of @hit, and begins the next file. @last: the recording ends with this dump, so no file follows.
 * Ring buffers other than overwrite ring buffers are written to the dump completely.
 */
static void dump_to_file(struct recorder *r, const struct trigger_hit *hit, bool last)
{
	readers_hold(&r->readers);
	if (!r->o->dumps_exact && !last)
		recorder_drain_all(r, DRAIN_LAST);
	if (!r->o->dumps_exact || drain_until(r, hit)) {
		dumps_done(&r->dumps, r->o->dumps_exact);
		r->dump_at_end = last;
		if (!last)
			next_file(r);
	}
	readers_go_on(&r->readers);
}

/* The AUX areas are written completely, also data after the end of the dump. */
static void dump_trace(struct recorder *r)
{
	recorder_take_snapshot(r);
	dumps_done(&r->dumps, false);
	recorder_read_triggers(r);
	dumps_miss_all(&r->dumps, MISSED_SAVING);
	if (r->o->output.rotate)
		recorder_rotate(r);
}

/*
 * Writes the next dump if it is due. Returns true if there may be another one. At the end of a recording without overwrite ring
 * buffers, the current file is the dump of all triggers that wait.
 */
static bool dump_next(struct recorder *r, bool all)
{
	uint64_t due;
	const struct trigger_hit *hit = dumps_next(&r->dumps, &due);
	bool last = dumps_is_last(&r->dumps) || (all && !r->o->dumps_exact);

	if (!hit || r->write_error || r->failed || r->dump_at_end || (!all && now_ns() < due))
		return false;
	if (r->o->aux && r->o->aux->snapshot && !all)
		dump_trace(r);
	else
		dump_to_file(r, hit, last);
	r->snapshot |= r->dump_at_end && r->o->aux && r->o->aux->snapshot;
	r->stop |= last && r->dumps.dumped >= r->o->triggers.at_most;
	return true;
}

void recorder_dump(struct recorder *r, bool all)
{
	if (!r->trigger.o || (r->stop && !all))
		return;
	while (dump_next(r, all))
		;
}

bool recorder_drain_last(struct recorder *r)
{
	bool dumped = r->dump_at_end && r->o->dumps_exact;

	if (!r->write_error)
		recorder_drain_all(r, dumped || r->o->dumps_only ? DRAIN_WRITE : DRAIN_LAST);
	if (r->write_error)
		readers_count_unwritten(&r->readers);
	trigger_count_lost(&r->trigger, &r->hits);
	dumps_see(&r->dumps, &r->hits);
	dumps_miss_all(&r->dumps, MISSED_MOST);
	return !r->o->dumps_only || r->dump_at_end;
}
