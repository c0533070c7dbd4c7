/*
 * Finds the unwind rule at an address, or the reason why there is none. This is done once per address of a file, for all
 * processes, and cached.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_LOOKUP_H
#define CORE_UNWIND_LOOKUP_H

#include "core/unwind/step.h"
#include "core/unwind/epilogue_scan.h"
#include "core/unwind/jvm_code.h"

struct dso;
struct memory_ops;

enum code_kind {
	CODE_NONE,		/* nothing is mapped there that could run */
	CODE_RULE,
	CODE_NO_RULE,
	CODE_TRAMPOLINE,	/* signal handlers return there; no rule says so */
	CODE_STUB,		/* of the procedure linkage table, without a rule */
	CODE_PUSHED_STUB,	/* the same, which has pushed something: STUB_PUSHED */
	CODE_EPILOGUE,		/* without a rule; its return may be known */
	CODE_JVM,		/* of HotSpot */
	CODE_ENTRY,		/* entered by a return instruction, as first functions of makecontext() are */
};

struct code {
	enum code_kind kind;
	struct rule_place place;	/* of CODE_RULE, and of CODE_ENTRY: that of its first instruction */
	struct epilogue_scan epilogue;		/* of CODE_EPILOGUE */
	struct jvm_frame jvm;		/* of CODE_JVM */
	const struct dso *dso;		/* borrowed; NULL: of CODE_NONE */
};

/* Belongs to one worker. @w is borrowed. */
struct lookup;
struct lookup *lookup_new(const struct memory_ops *m);
void lookup_free(struct lookup *l);

/*
 * @interrupted: the function was interrupted at @pc; else it called, just before @pc. The result is borrowed from the tables.
 */
void lookup_code(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc, bool interrupted, struct code *out);
/* True if there is code that a call ends just before @pc. */
bool lookup_is_called(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc);

#endif
