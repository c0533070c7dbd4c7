/*
 * Joins the recordings of prec diff into one profile, so that code that reads a profile, such as the terminal browser, can show
 * both sides A and B. Samples of A belong to process 1, and samples of B belong to process 2. A function that was renamed in B is
 * shown with its name in A.
 * Layer: diff
 */
#ifndef CORE_SHOW_DIFF_JOINED_PROFILE_H
#define CORE_SHOW_DIFF_JOINED_PROFILE_H

#include "core/base/hash.h"
#include "core/show/diff/diff.h"

#define JOINED_PID(side) ((uint32_t)(side) + 1)

struct joined_event {		/* an event that all recordings have */
	const struct diff_run *runs;	/* those of A first; borrowed */
	size_t nr;
	struct match *match;		/* of the runs; owned */
	double scale;			/* a period of the profile is an amount times this */
};

struct joined_name {		/* the identity of its functions */
	const char *name, *dso;		/* interned; name NULL: no symbol is known */
	uint32_t function;		/* of the profile; until that is finished of the builder */
};

/* Periods of the profile are averages over the recordings of a side per unit of work (--per), scaled to whole numbers. */
struct joined_profile {
	struct profile *profile;	/* owned; its events are those of .events */
	VEC(struct joined_event) events;
	bool has_chains;
	struct strtab *strings;
	struct index by_name;
	VEC(struct joined_name) names;
};

/*
 * @runs: @nr runs of each of @nr_events events, one event after the other; borrowed, as the profiles, for as long as it lives.
 * Prints what is wrong; 0 and *out (joined_profile_free()), or -1.
 */
int joined_profile_new(struct joined_profile **out, const struct diff_run *runs, size_t nr, size_t nr_events,
		       const struct diff_opts *opts);
void joined_profile_free(struct joined_profile *j);

/* The function of a diff row of .events.v[@event], from its match, in the profile; PROFILE_NONE: no function. */
uint32_t joined_profile_function(const struct joined_profile *j, size_t event, uint32_t function);

#endif
