/*
 * Watches for triggers of --on that are not perf events: a file appears (inotify(7)), or the load or the pressure (PSI, Linux
 * 4.20) rises above a limit.
 */
#ifndef CORE_RECORD_TRIGGER_TRIGGER_WATCH_H
#define CORE_RECORD_TRIGGER_TRIGGER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct trigger_opts;

struct trigger_hit {
	uint64_t time;			/* ns by the recording's clock; 0: the trigger is no event */
	uint64_t mono_ns;		/* about the same time by CLOCK_MONOTONIC, never too early */
	uint32_t pid, tid;		/* of the task; 0: none */
	uint32_t spec;			/* number in trigger_opts.specs */
};

struct trigger_hits {
	VEC(struct trigger_hit) list;	/* trigger_read() appends event hits by time, then calls and waits by time, then others */
	uint64_t lost;			/* hits that found no room in a ring buffer */
};

#define PSI_STEPS	10		/* readings, PSI_STEP_MS apart, that cover the last second */
#define PSI_STEP_MS	100

struct watched_file { int wd; uint32_t spec; char *name; };	/* .name: owned, without the folder */
struct watched_value {
	uint32_t spec;
	bool above;			/* the last reading was above the limit */
	uint64_t next_ns;		/* time of the next reading */
	uint64_t stalled_us[PSI_STEPS + 1], at_ns[PSI_STEPS + 1];	/* PSI: the last readings and their times, as a ring */
	unsigned nr;			/* PSI: number of readings so far */
};

struct trigger_watch {			/* trigger_watch_release() */
	int files;			/* inotify; -1: none is watched */
	VEC(struct watched_file) names;
	VEC(struct watched_value) values;
};

/* Begins to watch for the triggers in @o. Prints errors; returns 0 or -1. */
int trigger_watch_open(struct trigger_watch *w, const struct trigger_opts *o);
/* Checks all files and values. Appends the triggers that fired. */
void trigger_watch_read(struct trigger_watch *w, const struct trigger_opts *o, struct trigger_hits *out);
/* Appends a hit of trigger @spec, which is no event, at the present time. */
void trigger_hits_add(struct trigger_hits *out, uint32_t spec);
void trigger_watch_release(struct trigger_watch *w);

#endif
