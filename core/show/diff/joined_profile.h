/*
 * Merges the recordings that prec diff compares, A and B, into one profile, in which A is process 1 and B is process 2.
 * cmd/diff_browse.c shows this profile in the terminal browser.
 */
#ifndef CORE_SHOW_DIFF_JOINED_PROFILE_H
#define CORE_SHOW_DIFF_JOINED_PROFILE_H

#include "core/base/hash.h"
#include "core/show/diff/diff.h"

#define JOINED_PID(side) ((uint32_t)(side) + 1)

struct joined_event {		/* an event that all recordings have */
	const struct diff_run *runs;	/* those of A first; borrowed */
	size_t nr;
	struct match *match;		/* the match of the runs; owned */
	double scale;			/* the profile's periods are amounts multiplied by this */
};

struct joined_name {		/* functions with this name and file are one function of the profile */
	const char *name, *dso;		/* interned; name NULL: no symbol is known */
	uint32_t function;		/* its number in the profile; until that is finished, in the builder */
};

/* Periods: averages over a side's runs per unit of work (--per), scaled to integers. Functions renamed in B have A's name. */
struct joined_profile {
	struct profile *profile;	/* owned; has the events of .events in the same order */
	VEC(struct joined_event) events;
	bool has_chains;
	struct strtab *strings;
	struct index by_name;
	VEC(struct joined_name) names;
};

/* @runs: @nr for each event in turn; they and their profiles are borrowed by *out (joined_profile_free()). 0, or -1 (printed). */
int joined_profile_new(struct joined_profile **out, const struct diff_run *runs, size_t nr, size_t nr_events,
		       const struct diff_opts *opts);
void joined_profile_free(struct joined_profile *j);

/* @function: as the match and the diff rows of .events.v[@event] number it. PROFILE_NONE: not in the profile. */
uint32_t joined_profile_function(const struct joined_profile *j, size_t event, uint32_t function);

#endif
