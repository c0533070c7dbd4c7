/*
 * Finds out how the code at an address can be unwound: by an unwind rule, or if there is none, by the kind of code. unwinder.c then
 * takes the step to the caller.
 */
#ifndef CORE_UNWIND_LOOKUP_H
#define CORE_UNWIND_LOOKUP_H

#include "core/unwind/step.h"
#include "core/unwind/epilogue_scan.h"
#include "core/unwind/jvm_code.h"

struct dso;
struct memory_ops;

enum code_kind {
	CODE_NONE,		/* there is no executable map */
	CODE_RULE,		/* there is an unwind rule: .place */
	CODE_NO_RULE,		/* nothing is known about the code */
	CODE_TRAMPOLINE,	/* a signal trampoline without a rule */
	CODE_STUB,		/* a PLT stub without a rule */
	CODE_PUSHED_STUB,	/* the same, after it has pushed something: STUB_PUSHED */
	CODE_EPILOGUE,		/* without a rule, but its return instruction was found: .epilogue */
	CODE_JVM,		/* code of HotSpot: .jvm */
	CODE_ENTRY,		/* entered by a return instruction, as the first function of makecontext() is */
};

struct code {
	enum code_kind kind;
	struct rule_place place;	/* for CODE_RULE; for CODE_ENTRY the rule of the first instruction */
	struct epilogue_scan epilogue;		/* for CODE_EPILOGUE */
	struct jvm_frame jvm;		/* for CODE_JVM */
	const struct dso *dso;		/* borrowed; NULL for CODE_NONE */
};

/* The caches of one worker. @m is borrowed. */
struct lookup;
struct lookup *lookup_new(const struct memory_ops *m);
void lookup_free(struct lookup *l);

/*
 * Looks up the code at @pc. @interrupted: the function was interrupted there; else a call ends just before @pc. The result is
 * borrowed from the unwind tables. The result for an address in a file is cached, and used for all processes that map the file.
 */
void lookup_code(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc, bool interrupted, struct code *out);
/* True if the code just before @pc is a call instruction. */
bool lookup_is_called(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc);

#endif
