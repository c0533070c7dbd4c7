/*
 * Unwinding: from frame to frame, until the thread's root or what is not known.
 *
 * What an address is - its rule, or why it has none - is found once and remembered in a table by its hash: later frames at the
 * address cost that, and a word or two of the stack.
 * Layer: unwind
 */
#include "core/unwind/unwinder.h"

#include <string.h>

#include "core/arch.h"
#include "core/format/abi.h"
#include "core/model/code.h"
#include "core/model/machine.h"
#include "core/unwind/caller.h"
#include "core/unwind/fallback.h"
#include "core/unwind/step.h"
#include "core/unwind/tables.h"

#define STACK_REACH	(1ull << 30)	/* above the stack pointer: still the stack, whose end nobody recorded */
#define SIGNAL_REACH	(64u << 10)	/* a signal's frame is no larger: what was interrupted further away has another stack */
#define KNOWN_BITS	13

enum code_kind {
	CODE_NONE,		/* nothing is mapped there that could run */
	CODE_RULE,
	CODE_NO_RULE,
	CODE_TRAMPOLINE,	/* signal handlers return there; no rule says so */
	CODE_ENTRY,		/* a stack was made so that its first function returns there, as makecontext() does */
};

struct known {			/* what is at an address */
	uint64_t pc;
	uint32_t space;
	uint8_t kind;		/* enum code_kind */
	bool interrupted;	/* at .pc; or it called before it */
	bool is_set;
	struct rule_place place;
	const struct dso *dso;	/* NULL: of CODE_NONE */
};

struct unwinder {
	const struct machine *machine;
	struct unwind_tables *tables;
	struct known known[1 << KNOWN_BITS];
	/* The sample at hand. */
	const struct unwind_input *in;
	const struct arch *arch;
	uint64_t sp;		/* where the copy of the stack begins */
	uint64_t missed;	/* the address that was read last, and is not known */
	bool left_stack;	/* a signal had interrupted another stack */
};

/* ---- the sample's registers and memory ---- */

/* The value of a register by its PERF_REG_* number. */
static bool reg_value(const struct unwind_input *in, unsigned reg, uint64_t *value)
{
	uint64_t bit = reg < 64 ? 1ull << reg : 0, at;

	if (!(in->mask & bit))
		return false;
	at = (uint64_t)__builtin_popcountll(in->mask & (bit - 1));
	if (at >= in->regs.nr)
		return false;
	*value = words_at(&in->regs, at);
	return true;
}

/* Beside the stack only what a file has is known. */
static bool read_file(struct unwinder *u, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct map *map = machine_map(u->machine, u->in->space, addr);

	return map && (map->dso->kind == DSO_USER || map->dso->kind == DSO_VDSO) &&
	       code_at(u->machine, u->in->space, addr, value, size) == size;
}

static bool read_memory(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	struct unwinder *u = ctx;
	uint64_t at = addr - u->sp, v = 0;

	if (u->in->stack_size >= size && at <= u->in->stack_size - size) {
		memcpy(&v, u->in->stack + at, size);
	} else if (at < STACK_REACH || !read_file(u, addr, size, &v)) {
		u->missed = addr;
		return false;
	}
	*value = le64toh(v);
	return true;
}

static bool first_frame(struct unwinder *u, struct frame *f)
{
	const struct arch *arch = u->arch;
	uint64_t value;

	f->known = 0;
	f->interrupted = true;
	for (unsigned i = 0; i < arch->nr_dwarf_regs; i++)
		if (reg_value(u->in, arch->dwarf_regs[i], &value))
			frame_set(f, i, value);
	return reg_value(u->in, arch->pc_reg, &f->pc) && reg_value(u->in, arch->sp_reg, &u->sp);
}

/* ---- what is at an address ---- */

/* A return address where another function begins: nobody calls there, but kernels return there from signals. */
static bool returns_from_signal(struct unwinder *u, const struct known *k, const struct file_tables *tables, uint64_t addr)
{
	uint8_t code[TRAMPOLINE_MAX];
	size_t n;

	if (k->interrupted || !tables->has_file)
		return false;
	if (k->kind == CODE_RULE && (k->place.rule->flags & RULE_SIGNAL || !rule_table_begins(k->place.table, addr)))
		return false;
	n = code_at(u->machine, u->in->space, k->pc, code, sizeof(code));
	return is_trampoline(u->arch, code, n);
}

static void look_up_file(struct unwinder *u, struct known *k, const struct file_tables *tables, const struct map *map,
			 uint64_t pc)
{
	uint64_t addr = elf_segments_addr(&map->dso->segments, pc - map->start + map->pgoff);

	k->place.bias = pc - addr;
	k->place.rule = file_tables_find(tables, addr, &k->place.table);
	k->kind = k->place.rule ? CODE_RULE : CODE_NO_RULE;
	addr += k->pc - pc;
	if (returns_from_signal(u, k, tables, addr))
		k->kind = CODE_TRAMPOLINE;
	else if (k->kind == CODE_NO_RULE && !k->interrupted && file_tables_find(tables, addr, &k->place.table))
		k->kind = CODE_ENTRY;
}

static void look_up(struct unwinder *u, struct known *k)
{
	/* Behind a call may be another function, or nothing. */
	uint64_t pc = k->pc - !k->interrupted;
	const struct map *map = machine_map(u->machine, u->in->space, pc);

	const struct file_tables *tables;

	k->dso = NULL;
	k->kind = CODE_NONE;
	if (!map)
		return;
	tables = unwind_tables_of(u->tables, map->dso);
	if (!map_can_run(map, pc))
		return;
	k->dso = map->dso;
	k->kind = CODE_NO_RULE;
	if (tables)
		look_up_file(u, k, tables, map, pc);
}

static const struct known *known_at(struct unwinder *u, uint64_t pc, bool interrupted)
{
	struct known *k = &u->known[hash_pair(pc, u->in->space + (uint64_t)interrupted) >> (64 - KNOWN_BITS)];

	if (k->is_set && k->pc == pc && k->space == u->in->space && k->interrupted == interrupted)
		return k;
	*k = (struct known){ .pc = pc, .space = u->in->space, .interrupted = interrupted, .is_set = true };
	look_up(u, k);
	return k;
}

/* ---- frames ---- */

/* Is the function at @f one that has not saved its return address? Without tables: it is in another function, and is no frame's. */
static bool is_leaf(struct unwinder *u, const struct frame *f)
{
	const struct arch *arch = u->arch;
	struct addr_location here, there;
	uint64_t link, fp, saved;

	if (!arch->link_reg || !f->interrupted || !frame_reg(f, arch->link_reg, &link))
		return false;
	if (frame_reg(f, arch->dwarf_fp, &fp) && read_memory(u, fp + arch->word, arch->word, &saved) && saved == link)
		return false;
	machine_resolve(u->machine, u->in->space, f->pc, &here);
	machine_resolve(u->machine, u->in->space, link, &there);
	return there.map && map_can_run(there.map, link) && (!here.symbol || here.symbol != there.symbol);
}

static enum step next_frame(struct unwinder *u, struct frame *f, const struct known *k)
{
	const struct memory memory = { read_memory, u };
	uint64_t sp = f->regs[u->arch->dwarf_sp];
	enum step step;

	if (k->kind == CODE_RULE)
		step = frame_step(f, u->arch, &k->place, &memory);
	else if (k->kind == CODE_ENTRY)
		step = STEP_ROOT;
	else if (k->kind == CODE_TRAMPOLINE)
		step = trampoline_step(f, u->arch, &memory);
	else
		step = frame_pointer_step(f, u->arch, &memory, is_leaf(u, f));
	if (step == STEP_CALLER && f->interrupted && f->regs[u->arch->dwarf_sp] - sp > SIGNAL_REACH)
		u->left_stack = true;
	return step;
}

/* Why the memory that was missed is not there. */
static enum unwound_end missing_memory(const struct unwinder *u)
{
	if (u->left_stack || u->missed - u->sp >= STACK_REACH)
		return UNWOUND_OTHER_STACK;
	return u->in->stack_size < u->in->stack_wanted ? UNWOUND_UNCOPIED : UNWOUND_STACK;
}

static enum unwound_end end_of(const struct unwinder *u, const struct known *k, enum step step)
{
	enum unwound_end end = UNWOUND_ROOT;

	if (step == STEP_MEMORY)
		end = missing_memory(u);
	else if (step == STEP_BAD)
		end = k->kind == CODE_NO_RULE ? UNWOUND_NO_TABLES : UNWOUND_BAD_RULE;
	/* A frame pointer that leads elsewhere is none. */
	if (k->kind == CODE_NO_RULE && end == UNWOUND_OTHER_STACK && !u->left_stack)
		end = UNWOUND_NO_TABLES;
	return end;
}

/* Nobody calls from there: the return address is where the function begins. Tables of such code begin a byte before it, if any. */
static bool is_returned_to(const struct known *k)
{
	return k->kind == CODE_TRAMPOLINE || k->kind == CODE_ENTRY ||
	       (k->kind == CODE_RULE && k->place.rule->flags & RULE_SIGNAL);
}

/* Appends the callers of @f, which is at @k. */
static enum unwound_end walk(struct unwinder *u, struct frame *f, const struct known *k, unsigned left, struct unwound *out)
{
	while (k->kind != CODE_NONE) {
		const struct known *from = k;
		bool had_rule = k->kind != CODE_NO_RULE;
		enum step step;

		out->dso = k->dso;
		step = next_frame(u, f, k);
		if (step != STEP_CALLER)
			return end_of(u, from, step);
		k = known_at(u, f->pc, f->interrupted);
		if (k->kind == CODE_NONE || f->pc >= CHAIN_CONTEXT_MAX)
			return had_rule ? UNWOUND_NO_CODE : UNWOUND_NO_TABLES;
		if (!left--)
			return UNWOUND_DEPTH;
		vec_push(&out->ips, f->pc - !(f->interrupted || is_returned_to(k)));
	}
	return UNWOUND_NO_CODE;
}

/* The machine's own, or for a program of 32 bits the one that it is one of; NULL: not known, or not to be unwound. */
static const struct arch *arch_of(const struct machine *m, uint64_t abi)
{
	const struct arch *arch = machine_arch(m);

	if (arch && arch->compat && abi == PERF_SAMPLE_REGS_ABI_32)
		arch = arch->compat;
	return arch && arch->nr_dwarf_regs && arch->nr_dwarf_regs <= UNWIND_REGS ? arch : NULL;
}

unsigned unwinder_frames(struct unwinder *u, const struct unwind_input *in, unsigned max_depth, struct unwound *out)
{
	/* A call leaves at least its return address; only the innermost may have left none, or one in a register. */
	uint64_t possible = in->stack_size / 4 + 2;
	size_t before = out->ips.nr;
	struct frame f;

	out->end = UNWOUND_ROOT;
	out->dso = NULL;
	u->in = in;
	u->arch = arch_of(u->machine, in->abi);
	u->left_stack = false;
	if (!u->arch || !max_depth || !first_frame(u, &f) || f.pc >= CHAIN_CONTEXT_MAX)
		return 0;
	vec_push(&out->ips, f.pc);
	out->end = walk(u, &f, known_at(u, f.pc, true), (unsigned)MIN(max_depth - 1, possible), out);
	/* So many frames cannot be: it goes round in circles. */
	if (out->end == UNWOUND_DEPTH && max_depth - 1 > possible)
		out->end = UNWOUND_BAD_RULE;
	return (unsigned)(out->ips.nr - before);
}

/*
 * Of the registers only these are known. Where the caller's address was saved it is on the stack, which is not, so that nothing
 * is found.
 */
uint64_t unwinder_leaf_caller(struct unwinder *u, uint32_t space, uint64_t pc, uint64_t link)
{
	struct unwind_input in = { .space = space, .abi = PERF_SAMPLE_REGS_ABI_64 };
	const struct memory nothing = { read_memory, u };
	struct frame f = { .pc = pc, .interrupted = true };
	const struct known *k;

	u->in = &in;
	u->sp = 0;
	u->arch = arch_of(u->machine, in.abi);
	if (!u->arch || !u->arch->link_reg)
		return 0;
	frame_set(&f, u->arch->dwarf_sp, 0);
	frame_set(&f, u->arch->link_reg, link);	/* of 64 bits: its DWARF number is perf's */
	k = known_at(u, pc, true);
	if (k->kind != CODE_RULE || frame_step(&f, u->arch, &k->place, &nothing) != STEP_CALLER)
		return 0;
	return f.pc - 1;
}

struct unwinder *unwinder_new(const struct machine *m, struct unwind_tables *tables)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->machine = m;
	u->tables = tables;
	return u;
}

void unwinder_free(struct unwinder *u)
{
	free(u);
}
