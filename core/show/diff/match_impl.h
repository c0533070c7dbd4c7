/* Declares the data that match.c and rename.c share to match functions (match.h). Layer: diff */
#ifndef CORE_SHOW_DIFF_MATCH_IMPL_H
#define CORE_SHOW_DIFF_MATCH_IMPL_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/show/diff/match.h"
#include "core/profile/profile.h"

struct unit {			/* functions of one name in one file */
	const char *name, *dso;	/* interned */
	double share[NR_SIDES];	/* of the samples, as a symbol; added up over runs */
	uint64_t size[NR_SIDES];	/* bytes of the symbol, if known */
	bool inlined[NR_SIDES];	/* inlined somewhere */
	bool cloned[NR_SIDES];	/* a clone of it was sampled on this side only */
	bool apart[NR_SIDES];	/* samples in its inlined frames on this side count for it, not for the outer function */
	bool lines[NR_SIDES];	/* its file has inlined frames, so line information is available */
	bool unnamed;
	bool one_build;		/* both sides ran the same build of its file: a function missing on one was only not sampled */
	bool noted;		/* match_put_note() has something to say */
	uint32_t base;		/* of a clone: the original function's unit + 1 */
	uint32_t to;		/* the unit that it was merged into; its own number: none */
};

struct renamed { const char *in_a, *in_b; };	/* names of files; interned */

struct match {
	struct diff_run *runs;	/* owned */
	size_t nr_runs;
	struct strtab *strings;
	VEC(struct unit) units;
	struct index by_name;
	uint32_t **unit_of;	/* by run and function */
	VEC(struct renamed) renamed;
};

/* The final unit that @unit was merged into. */
static inline uint32_t match_final(const struct match *m, uint32_t unit)
{
	while (m->units.v[unit].to != unit)
		unit = m->units.v[unit].to;
	return unit;
}

/* rename.c: merges functions of B with functions of A that have another name, but similar callers and callees. */
void match_renamed(struct match *m);

#endif
