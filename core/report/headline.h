/* The lines above a report on a terminal: the recording, its time and options, and an event's counts. Layer: report */
#ifndef CORE_REPORT_HEADLINE_H
#define CORE_REPORT_HEADLINE_H

#include "core/profile/hist.h"

struct buf;
struct findings;
struct session;
struct terminal;

/* One line on the recording, and one on the most severe of @found, if it is no mere note. @found is sorted then. */
void headline_print(const struct session *s, struct findings *found, const struct terminal *t, struct buf *out);

enum head_inlines { HEAD_INLINES_NONE, HEAD_INLINES_OWN, HEAD_INLINES_AROUND };	/* whose time that of inlined code is */

struct event_head {
	const char *names;	/* of the event, or of a group */
	const char *time;	/* --time as given; NULL: not */
	uint64_t nr, amount;	/* samples and their periods, of all members */
	uint64_t idle;		/* of .amount: of the idle tasks */
	bool clock;		/* .amount is ns of CPU time */
	bool off_cpu;		/* .clock: of time off the CPU */
	bool wall;		/* .clock: of the lifetime of threads */
	bool weight;		/* .amount is what memory accesses cost */
	enum head_inlines inlines;
};

/* "cpu-clock: 2593 samples, 0.65 s of CPU, idle 20.3 %" */
void headline_print_event(const struct event_head *e, const struct terminal *t, struct buf *out);

#endif
