/*
 * Finds the unwind rule at an address, or the reason why there is none. The result is cached, so an address in a file is looked
 * up once for all processes that map the file.
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
	CODE_NONE,		/* there is no executable map */
	CODE_RULE,
	CODE_NO_RULE,
	CODE_TRAMPOLINE,	/* a signal trampoline without a rule */
	CODE_STUB,		/* a PLT stub without a rule */
	CODE_PUSHED_STUB,	/* the same, after it has pushed something: STUB_PUSHED */
	CODE_EPILOGUE,		/* without a rule, but its return was found */
	CODE_JVM,		/* of HotSpot */
	CODE_ENTRY,		/* entered by a return instruction, as the first function of makecontext() is */
};

struct code {
	enum code_kind kind;
	struct rule_place place;	/* for CODE_RULE; for CODE_ENTRY that of the first instruction */
	struct epilogue_scan epilogue;		/* of CODE_EPILOGUE */
	struct jvm_frame jvm;		/* of CODE_JVM */
	const struct dso *dso;		/* borrowed; NULL: of CODE_NONE */
};

/* For one worker. @m is borrowed. */
struct lookup;
struct lookup *lookup_new(const struct memory_ops *m);
void lookup_free(struct lookup *l);

/*
 * Looks up @pc. @interrupted: the function was interrupted there; else a call ends just before @pc. The result is borrowed from
 * the tables.
 */
void lookup_code(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc, bool interrupted, struct code *out);
/* True if the code just before @pc is a call instruction. */
bool lookup_is_called(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc);

#endif
