/*
 * Parses the triggers of prec record --on. trigger.h opens the events that the triggers need, and lists the triggers that have
 * fired.
 *
 * When a trigger fires, the records before it are saved. The grammar is
 *
 *	trigger  := event				each hit of an event that -e accepts, such as u:PATH:FUNC%return
 *	          | "slow:" path ":" function ">" time	a call that took longer than the time, when it returns
 *	          | "wait>" time			a thread that waited longer (preemption does not count), when it runs again
 *	          | "signal:" name			a signal that is sent to the recorder
 *	          | "file:" path			a file is created at this path or moved to it
 *	          | "load>" number			the load average of the last minute rises above the number
 *	          | "psi:" resource [":full"] ">" percent	tasks waited for the resource for a larger part of the last second
 *	resource := "cpu" | "memory" | "io"		":full" counts the time in which all tasks waited, not only some
 *	time     := number "us" | "ms" | "s"
 *
 */
#ifndef CORE_RECORD_TRIGGER_TRIGGER_SPEC_H
#define CORE_RECORD_TRIGGER_TRIGGER_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/record/events/event_request.h"

enum trigger_kind { TRIGGER_EVENT, TRIGGER_SLOW, TRIGGER_WAIT, TRIGGER_SIGNAL, TRIGGER_FILE, TRIGGER_LOAD, TRIGGER_PSI };

struct trigger_spec {
	enum trigger_kind kind;
	char *text;			/* owned: as it was written */
	uint64_t limit;			/* SLOW, WAIT: ns; LOAD, PSI: hundredths (of a percent) */
	int signal;			/* SIGNAL */
	char *path;			/* owned; FILE: the file; PSI: its file in procfs */
	bool full;			/* PSI: all tasks waited, not only some */
	size_t nr_events;		/* number of its events in trigger_opts.hits or .calls, which have the order of the specs */
};

struct trigger_opts {
	VEC(struct trigger_spec) specs;
	struct event_requests hits;	/* events of the kind EVENT: each hit is a trigger */
	struct event_requests calls;	/* two events for each trigger of the kind SLOW: entry and return */
	uint64_t after_ns;		/* --after */
	uint64_t pause_ns;		/* --pause: triggers so soon after a dump are missed */
	uint64_t at_most;		/* dumps, after which the recording ends; 0: no limit */
};

/* Adds a trigger. Prints errors; returns 0, -EINVAL, or -ENODEV if this machine's tracepoints cannot be read. */
int trigger_spec_add(struct trigger_opts *o, const char *text);
void trigger_opts_release(struct trigger_opts *o);

/* Parses a time such as "20us", "5ms" or "1.5s". A number alone is in ms if @plain. Returns 0 or -EINVAL. */
int trigger_time_parse(const char *text, bool plain, uint64_t *ns);

#endif
