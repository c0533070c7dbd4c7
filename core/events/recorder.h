/*
 * A recording: open events, start the command, move what the rings hold into the file until it is time to stop,
 * finish the file.
 * Layer: events
 */
#ifndef CORE_EVENTS_RECORDER_H
#define CORE_EVENTS_RECORDER_H

#include "core/events/event_request.h"
#include "core/events/sampling.h"
#include "core/events/target.h"

#define DELAY_FOREVER (-1)

struct recorder_opts {
	const char *output;		/* borrowed, as all strings here; "-": standard output */
	const char *version;		/* of the program */
	char *const *cmdline;		/* the program's words, NULL-terminated */
	char *const *workload;		/* the command's words, NULL-terminated; NULL: none */
	struct event_requests events;
	struct target target;
	struct sampling_opts sampling;
	uint64_t ring_bytes;		/* data of a ring, a power of two of pages */
	int64_t delay_ms;		/* until the events are enabled; DELAY_FOREVER: never by themselves */
	bool all_build_ids;		/* --buildid-all, or no build ids in the maps: keep the names of mapped files */
	bool no_build_ids;		/* -B: no build ids in the header */
};

/* Record. Prints errors and what was lost; returns the exit status of the program: see prec-record(1). */
int recorder_run(struct recorder_opts *o);

#endif
