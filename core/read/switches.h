/*
 * Finds the ranges of time in which samples are shown, from an event of --switch-on to the next event of --switch-off. filter.c
 * calls it before a command reads the samples, so worker threads can filter samples in any order.
 */
#ifndef CORE_READ_SWITCHES_H
#define CORE_READ_SWITCHES_H

#include <stdbool.h>

#include "core/base/vec.h"

struct item;
struct session;

struct switch_opts {
	const char *on, *off;	/* names of events; .on NULL: show from the start; .off NULL: show to the end */
	bool show;		/* show the samples that switch, too */
};

struct switch_span { uint64_t from, to; };	/* ns: times of the samples that switched on (or 0) and off (or UINT64_MAX) */

struct switches {
	const char *on, *off;
	bool show;
	VEC(struct switch_span) spans;	/* ascending, without overlaps */
};

/* Finds the ranges; walks over the recording if @o names an event. Prints errors; 0 and *s (switches_release()), or -1. */
int switches_find(struct switches *s, const struct switch_opts *o, struct session *session);
void switches_release(struct switches *s);
/* True if there are no switch events; then everything is shown. */
static inline bool switches_none(const struct switches *s) { return !s->on && !s->off; }
bool switches_show(const struct switches *s, const struct item *item);
/* True if switches_show() may be true for an item between two times (ns, both included). */
bool switches_may_show(const struct switches *s, uint64_t from, uint64_t to);

#endif
