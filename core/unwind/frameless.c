/*
 * Detects that a frame-pointer chain lacks the caller of its innermost function. The sign is that the call instruction before
 * the first return address does not call that function. core/hists/chain_breaks.c calls it.
 */
#include "core/unwind/frameless.h"

#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/util.h"
#include "core/model/addr_key.h"
#include "core/model/code.h"
#include "core/model/machine.h"
#include "core/unwind/caller.h"
#include "core/unwind/lookup.h"
#include "core/unwind/tables.h"

struct frameless {
	const struct machine *machine;
	struct unwind_tables *own, *tables;	/* .own: owned, if the caller gave no tables. NULL until they are first needed */
	struct lookup *lookup;			/* owned; NULL until it is first needed */
};

struct frameless *frameless_new(const struct machine *m, struct unwind_tables *tables)
{
	struct frameless *f = xcalloc(1, sizeof(*f));

	f->machine = m;
	f->tables = tables;
	return f;
}

void frameless_free(struct frameless *f)
{
	if (f->lookup)
		lookup_free(f->lookup);
	if (f->own)
		unwind_tables_free(f->own);
	free(f);
}

/* Finds the function that is called by a direct call just before @ip; false: there is no such call. */
static bool find_called(const struct machine *m, uint32_t space, uint64_t ip, struct addr_location *out)
{
	const struct arch *arch = machine_arch(m);
	uint8_t code[CALL_MAX];
	struct addr_location here;
	struct insn insn;
	size_t n;

	machine_resolve(m, space, ip - 1, &here);
	if (!arch || !arch->insn || !here.dso || ip < CALL_MAX)
		return false;
	n = code_if_known(m, space, ip - CALL_MAX, code, CALL_MAX);
	for (size_t size = 2; n == CALL_MAX && size <= CALL_MAX; size++) {
		if (arch->insn(&insn, code + n - size, size, insn_mode_of(&here)) || insn.size != size || insn.kind != INSN_CALL)
			continue;
		machine_resolve(m, space, ip - size + (uint64_t)insn.disp, out);
		if (out->symbol && out->symbol->start == out->addr)
			return true;
	}
	return false;
}

/* True if @at may be a part of @function: compilers move parts to NAME.cold, and PLT stubs are NAME@plt. */
static bool may_be_in(const struct symbol *function, const struct symbol *at)
{
	size_t n = strcspn(function->name, ".@"), part = strcspn(at->name, ".@");

	return function == at || at->label || function->name[n] == '@' || (n == part && !memcmp(function->name, at->name, n));
}

/* True if at the address of @key the frame-pointer register still has the caller's value. */
static bool has_no_frame(struct frameless *f, const struct addr_key *key)
{
	const struct arch *arch = machine_arch(f->machine);
	struct code code;

	if (!f->tables)
		f->tables = f->own = unwind_tables_of_machine(f->machine);
	if (!f->lookup)
		f->lookup = lookup_new(unwind_tables_memory_ops(f->tables));
	lookup_code(f->lookup, arch, key->space, key->ip, true, &code);
	if (code.kind != CODE_RULE || code.place.rule->cfa != CFA_REGISTER)
		return false;
	for (uint32_t i = 0; i < code.place.rule->nr_saved; i++) {
		const struct saved *s = &code.place.rule->saved[i];

		if (s->reg == code.place.rule->return_reg && s->how == SAVED_NOWHERE)
			return false;	/* the outermost function */
		/* On x86 it is pushed before it is set; on arm64 frames are addressed by the stack pointer, too. */
		if (s->reg == arch->dwarf_fp && s->how != SAVED_SAME)
			return arch->family == ARCH_X86 && code.place.rule->cfa_reg == arch->dwarf_sp;
	}
	return true;
}

void frameless_look_up(struct frameless *f, const struct addr_key *key)
{
	struct addr_location called;

	if (key->calls) {
		find_called(f->machine, key->space, key->ip, &called);
		find_called(f->machine, key->space, key->ip + 1, &called);
	} else {
		has_no_frame(f, key);
	}
}

bool frameless_lacks_caller(struct frameless *f, const struct addr_key *function, const struct addr_key *next)
{
	struct addr_location at, called;

	machine_resolve(f->machine, function->space, function->ip, &at);
	if (!at.symbol || !(find_called(f->machine, next->space, next->ip, &called) ||
			    find_called(f->machine, next->space, next->ip + 1, &called)))
		return false;
	return !may_be_in(called.symbol, at.symbol) && has_no_frame(f, function);
}
