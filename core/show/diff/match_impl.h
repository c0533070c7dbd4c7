/*
 * Defines struct match, the list of all functions in the two recordings that prec diff compares. If two entries of the list are
 * versions of the same function, match.c or rename.c merges them into one.
 */
#ifndef CORE_SHOW_DIFF_MATCH_IMPL_H
#define CORE_SHOW_DIFF_MATCH_IMPL_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/show/diff/match.h"
#include "core/profile/profile.h"

struct unit {			/* all functions of one name in one file */
	const char *name, *dso;	/* interned */
	double share[NR_SIDES];	/* share of the samples in its code, which includes code inlined into it; added up over runs */
	uint64_t size[NR_SIDES];	/* bytes of the symbol, if known */
	bool inlined[NR_SIDES];	/* it was inlined somewhere on this side */
	bool cloned[NR_SIDES];	/* a clone of it was sampled on this side only */
	bool apart[NR_SIDES];	/* samples in its inlined frames on this side count for it, not for the outer function */
	bool lines[NR_SIDES];	/* its file has inlined frames, so line information is available */
	bool unnamed;
	bool one_build;		/* both sides ran the same build of its file: a function missing on one was only not sampled */
	bool noted;		/* match_put_note() may append a note */
	uint32_t base;		/* a clone: 1 + the unit of the original function; else 0 */
	uint32_t to;		/* the unit that it was merged into; its own number if it was not merged */
};

struct renamed { const char *in_a, *in_b; };	/* the names of one file on both sides; interned */

struct match {
	struct diff_run *runs;	/* owned */
	size_t nr_runs;
	struct strtab *strings;
	VEC(struct unit) units;
	struct index by_name;
	uint32_t **unit_of;	/* unit_of[run][function of the run's profile]: index in .units */
	VEC(struct renamed) renamed;
};

static inline uint32_t match_final(const struct match *m, uint32_t unit)
{
	while (m->units.v[unit].to != unit)
		unit = m->units.v[unit].to;
	return unit;
}

/* rename.c: merges functions of B with functions of A that have another name, but similar callers and callees. */
void match_renamed(struct match *m);

#endif
