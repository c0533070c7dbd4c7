/*
 * What is at an address, as far as unwinding goes: its rule, or why it has none. Found once for an address of a file, in whatever
 * process it is seen, and remembered.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_LOOKUP_H
#define CORE_UNWIND_LOOKUP_H

#include "core/unwind/step.h"
#include "core/unwind/way_out.h"

struct dso;
struct unwind_world;

enum code_kind {
	CODE_NONE,		/* nothing is mapped there that could run */
	CODE_RULE,
	CODE_NO_RULE,
	CODE_TRAMPOLINE,	/* signal handlers return there; no rule says so */
	CODE_STUB,		/* of the procedure linkage table, without a rule */
	CODE_PUSHED_STUB,	/* the same, which has pushed something: STUB_PUSHED */
	CODE_WAY_OUT,		/* without a rule; its return may be known */
	CODE_ENTRY,		/* nobody called there: it was to be gone to by a return, as first functions of makecontext() are */
};

struct code {
	enum code_kind kind;
	struct rule_place place;	/* of CODE_RULE, and of CODE_ENTRY: that of its first instruction */
	struct way_out way;		/* of CODE_WAY_OUT */
	const struct dso *dso;		/* borrowed; NULL: of CODE_NONE */
};

/* Belongs to one worker. @w is borrowed. */
struct lookup;
struct lookup *lookup_new(const struct unwind_world *w);
void lookup_free(struct lookup *l);

/* @interrupted: the function was, at @pc; else it called, just before @pc. What is found is borrowed from the tables. */
void lookup_code(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc, bool interrupted, struct code *out);

#endif
