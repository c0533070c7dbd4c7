/*
 * Watches for triggers of --on that are not perf events: a file appears (inotify(7)), or the load or the pressure (PSI, Linux
 * 4.20) rises above a limit.
 * Layer: trigger
 */
#ifndef CORE_RECORD_TRIGGER_TRIGGER_WATCH_H
#define CORE_RECORD_TRIGGER_TRIGGER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct trigger_opts;

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
/* Checks all files and values, and calls @hit for each trigger that fired. */
void trigger_watch_read(struct trigger_watch *w, const struct trigger_opts *o, void (*hit)(void *ctx, uint32_t spec), void *ctx);
void trigger_watch_release(struct trigger_watch *w);

#endif
