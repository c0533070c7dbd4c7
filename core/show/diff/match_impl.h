/* The internals of a match, for match.c and rename.c. Layer: diff */
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
	bool inlined[NR_SIDES];	/* somewhere */
	bool cloned[NR_SIDES];	/* only this side has one of its clones */
	bool apart[NR_SIDES];	/* its inlined frames of this side count for it, and not for the function around */
	bool lines[NR_SIDES];	/* something is inlined in its file: its lines are known */
	bool unnamed;
	bool one_build;		/* both sides ran the same build of its file: what one has not was only not seen there */
	bool noted;		/* match_put_note() has something to say */
	uint32_t base;		/* of a clone the unit of the function + 1 */
	uint32_t to;		/* the unit that it is one with; its own number: none */
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

/* rename.c: lead functions of B together with those of A that have another name, and callers and callees in common. */
void match_renamed(struct match *m);

#endif
