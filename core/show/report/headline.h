/*
 * Prints the lines above the table of prec report on a terminal: the command and date of the recording, how complete its CPU
 * time and call stacks are, its worst problem, and the number of samples of an event.
 */
#ifndef CORE_SHOW_REPORT_HEADLINE_H
#define CORE_SHOW_REPORT_HEADLINE_H

#include "core/hists/hist.h"

struct session;
struct terminal;

/*
 * Appends a line about the recording, one about its quality, and the worst of @found, if it matters. Sorts @found.
 * @chains: the state of the call chains; NULL: not checked. Returns the number of findings printed.
 */
size_t headline_print(const struct session *s, const struct broken_chains *chains, struct findings *found, const struct terminal *t,
		      struct buf *out);
/*
 * Appends "99.7 % of 2.01 s CPU is here; 7984 of 7997 stacks whole; 5 samples lost". Unknown parts are left out. @chains: NULL: not
 * checked; else @found has the findings on chains, of session_findings().
 */
void headline_put_quality(const struct session *s, const struct broken_chains *chains, const struct findings *found,
			  struct buf *out);

/* The function for which inlined code counts: not printed; the inlined function itself; the function around it. */
enum head_inlines { HEAD_INLINES_NONE, HEAD_INLINES_OWN, HEAD_INLINES_AROUND };

struct event_head {
	const char *names;	/* name of the event, or names of the events of a group */
	const char *time;	/* --time as given; NULL: not */
	uint64_t nr, amount;	/* samples and the sum of their periods, over all members */
	uint64_t idle;		/* the part of .amount that idle tasks have */
	bool clock;		/* .amount is ns of CPU time */
	bool off_cpu;		/* with .clock: time off the CPU instead */
	bool wall;		/* with .clock: lifetime of threads instead */
	bool weight;		/* .amount is the cost of memory accesses */
	enum head_inlines inlines;
};

/* "cpu-clock: 2593 samples, 0.65 s of CPU, idle 20.3 %" */
void headline_print_event(const struct event_head *e, const struct terminal *t, struct buf *out);

#endif
