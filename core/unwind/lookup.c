/*
 * Finds the unwind rule for the code at an address, or recognizes code without a rule, such as a PLT stub or signal trampoline.
 * Caches answer most requests. tables.c has the unwind tables. unwinder.c unwinds to the caller.
 */
#include "core/unwind/lookup.h"

#include "core/arch.h"
#include "core/model/dso.h"
#include "core/unwind/caller.h"
#include "core/unwind/fallback.h"
#include "core/unwind/memory_ops.h"

#define KNOWN_BITS	14
#define REGION_BITS	10
#define RUNTIME_BITS	10
#define RUNTIME_WAYS	4
#define REGION_SHIFT	24	/* a region has at most so many bits of addresses, more than the code of most files */

enum call { CALL_UNKNOWN, CALL_NONE, CALL_ENDS };

/* Caches of the last maps, of addresses in files, and of code in no file, such as JIT code, avoid most searches. */
struct region {			/* addresses in one map, or in none; empty .span: the element is unused */
	struct ip_span span;
	uint32_t space;
	const struct map *map;			/* NULL: nothing is mapped there */
	const struct file_tables *tables;	/* NULL: the mapping is no file */
};

struct known {			/* the result for an address of a file */
	const struct file_tables *tables;	/* the tables of the file; NULL: the element is unused */
	uint64_t offset;			/* in the file; of an address after a call, the offset of the byte before */
	bool interrupted;			/* else a call ends at the address */
	uint8_t kind;				/* enum code_kind */
	uint8_t call;				/* enum call: whether a call instruction is just before the address */
	struct epilogue_scan epilogue;			/* for CODE_EPILOGUE */
	const struct rule *rule;
	const struct rule_table *table;
	uint64_t addr;				/* virtual address in the file of .offset */
};

struct runtime_code {		/* the result for an address of code that is in no file */
	uint64_t pc;
	uint32_t space;				/* 0: the element is unused */
	bool interrupted, has_epilogue;
	bool called;				/* a call instruction is just before .pc */
	struct epilogue_scan epilogue;
	struct jvm_frame jvm;
};

struct lookup {
	const struct memory_ops *memory;
	struct region regions[1 << REGION_BITS];
	struct known known[1 << KNOWN_BITS];
	struct runtime_code runtime[1 << RUNTIME_BITS][RUNTIME_WAYS];	/* the last used of a set comes first */
};

struct lookup *lookup_new(const struct memory_ops *m)
{
	struct lookup *l = xcalloc(1, sizeof(*l));

	l->memory = m;
	return l;
}

void lookup_free(struct lookup *l)
{
	free(l);
}

static const struct region *region_of(struct lookup *l, uint32_t space, uint64_t pc)
{
	struct region *r = &l->regions[hash_pair(space, pc >> REGION_SHIFT) >> (64 - REGION_BITS)];

	if (r->space == space && r->span.from <= pc && pc < r->span.to)
		return r;
	*r = (struct region){ .space = space };
	r->map = l->memory->map(l->memory, space, pc, &r->span);
	r->tables = r->map ? l->memory->tables(l->memory, r->map) : NULL;
	return r;
}

/* True for the start of a signal trampoline. The kernel makes it the return address of a signal handler, so no call precedes it. */
static bool returns_from_signal(struct lookup *l, const struct arch *arch, const struct region *r, const struct known *k,
				uint64_t pc)
{
	uint8_t code[TRAMPOLINE_MAX];
	size_t n;

	if (k->interrupted || !k->tables->has_file)
		return false;
	if (k->kind == CODE_RULE && (k->rule->flags & RULE_SIGNAL || !rule_table_begins(k->table, k->addr + 1)))
		return false;
	n = l->memory->code(l->memory, r->space, pc, code, sizeof(code));
	return is_trampoline(arch, code, n);
}

/*
 * True for a return address at the start of a function or of its table entry, without a call before it. A return instruction
 * enters such a function: swapcontext() continues a context so, and the first function of makecontext() begins so.
 */
static bool is_gone_to(struct lookup *l, const struct arch *arch, const struct region *r, const struct known *k, uint64_t pc)
{
	const struct rule_table *whose;
	uint64_t before = MIN(CALL_MAX, pc - r->map->start);
	uint8_t code[CALL_MAX];
	size_t n;

	if (k->interrupted || !file_tables_find(k->tables, k->addr + 1, &whose) || !rule_table_begins(whose, k->addr + 1))
		return false;
	if (!k->rule)
		return true;
	n = k->rule->flags & RULE_SIGNAL ? 0 : l->memory->code(l->memory, r->space, pc - before, code, before);
	return n == before && !may_end_with_call(arch, r->map->dso, code, n);
}

static enum code_kind interrupted_stub(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc)
{
	static const enum code_kind kinds[] = {
		[STUB_NONE] = CODE_NO_RULE, [STUB_UNTOUCHED] = CODE_STUB, [STUB_PUSHED] = CODE_PUSHED_STUB,
	};
	uint64_t before = MIN(STUB_BEFORE, pc - r->map->start);
	uint8_t code[STUB_BEFORE + STUB_MAX];
	size_t n = l->memory->code(l->memory, r->space, pc - before, code, before + STUB_MAX);

	return kinds[n > before ? find_stub(arch, code, before, n - before) : STUB_NONE];
}

static bool read_epilogue(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc, struct epilogue_scan *out)
{
	uint64_t before = MIN(WAY_BEFORE, pc - r->map->start);
	uint8_t code[WAY_BEFORE + WAY_MAX];
	size_t n = l->memory->code(l->memory, r->space, pc - before, code, before + WAY_MAX);

	return n > before && find_epilogue(arch, code, before, n - before, out);
}

/* Scans for the epilogue if the file has unwind tables. A file without tables is unwound by frame pointers instead. */
static bool has_epilogue(struct lookup *l, const struct arch *arch, const struct region *r, struct known *k, uint64_t pc)
{
	return (k->tables->frames[0] || k->tables->frames[1]) && read_epilogue(l, arch, r, pc, &k->epilogue);
}

static bool call_ends(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc)
{
	uint64_t before = MIN(CALL_MAX, pc - r->map->start);
	uint8_t code[CALL_MAX];

	return before && l->memory->code(l->memory, r->space, pc - before, code, before) == before &&
	       may_end_with_call(arch, r->map->dso, code, before);
}

/* False if since the lookup the JVM has replaced the code, or may have made code where there was none. True for other code. */
static bool runtime_code_holds(const struct lookup *l, const struct runtime_code *m)
{
	return m->jvm.kind == JVM_NONE && !m->jvm.code ? true : l->memory->jvm_holds(l->memory, m->jvm.code);
}

/* Looks up everything at once, because the code may be gone the next time. */
static void look_up_runtime_code(struct lookup *l, const struct arch *arch, const struct region *r, struct runtime_code *m)
{
	if (l->memory->jvm)
		l->memory->jvm(l->memory, r->space, m->pc, m->interrupted, &m->jvm);
	/* JIT code usually has frame pointers, so scan it only if the result is certain. */
	m->has_epilogue = m->jvm.kind == JVM_NONE && read_epilogue(l, arch, r, m->pc, &m->epilogue) && m->epilogue.is_straight;
	m->called = !m->interrupted && call_ends(l, arch, r, m->pc);
}

static const struct runtime_code *find_runtime_code(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc,
						    bool interrupted)
{
	struct runtime_code *set = l->runtime[hash_pair(r->space, pc << 1 | interrupted) >> (64 - RUNTIME_BITS)], m;
	size_t i = 0;

	while (i < RUNTIME_WAYS - 1 && (set[i].pc != pc || set[i].space != r->space || set[i].interrupted != interrupted))
		i++;
	m = set[i];
	if (m.pc != pc || m.space != r->space || m.interrupted != interrupted || !runtime_code_holds(l, &m)) {
		m = (struct runtime_code){ .pc = pc, .space = r->space, .interrupted = interrupted };
		look_up_runtime_code(l, arch, r, &m);
	}
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = m;
	return set;
}

static void use_interrupted(struct lookup *l, const struct arch *arch, const struct region *r, struct known *k, uint64_t pc)
{
	k->kind = interrupted_stub(l, arch, r, pc);
	if (k->kind == CODE_NO_RULE && has_epilogue(l, arch, r, k, pc))
		k->kind = CODE_EPILOGUE;
}

/* For an interrupted first instruction, takes the rule of the second one if that one is right: see is_return_above_cfa(). */
static void use_second_rule(struct known *k, const struct arch *arch)
{
	const struct rule_table *whose;
	const struct rule *r;

	if (arch != &arch_arm64 || !k->interrupted || k->rule->nr_saved || !rule_table_begins(k->table, k->addr))
		return;
	r = file_tables_find(k->tables, k->addr + 4, &whose);
	if (!r || !is_return_above_cfa(arch, r) || r->cfa != k->rule->cfa || r->cfa_reg != k->rule->cfa_reg ||
	    r->cfa_value != k->rule->cfa_value)
		return;
	k->rule = r;
	k->table = whose;
}

/*
 * True for a sample in a signal trampoline, if the code has no rule, or a rule that is right only after a return to the trampoline.
 * The latter is so in arm64's vdso: its rule leads to the link register of the interrupted code.
 */
static bool is_interrupted_trampoline(struct lookup *l, const struct arch *arch, const struct region *r, const struct known *k,
				      uint64_t pc)
{
	uint64_t before = MIN(TRAMPOLINE_MAX, pc - r->map->start);
	uint8_t code[2 * TRAMPOLINE_MAX];
	size_t n;

	if (!k->interrupted || (k->kind == CODE_RULE && !is_return_above_cfa(arch, k->rule)))
		return false;
	n = l->memory->code(l->memory, r->space, pc - before, code, before + TRAMPOLINE_MAX);
	return n > before && is_in_trampoline(arch, code, before, n - before);
}

static void use_entry(struct known *k)
{
	k->kind = CODE_ENTRY;
	k->rule = file_tables_find(k->tables, k->addr + 1, &k->table);
}

/* Fills @k, of which the key is set. @pc: the address at which the code continues. */
static void find(struct lookup *l, const struct arch *arch, const struct region *r, struct known *k, uint64_t pc)
{
	k->addr = elf_segments_addr(&r->map->dso->segments, k->offset);
	if (!map_can_run(r->map, pc - !k->interrupted))
		return;
	k->rule = file_tables_find(k->tables, k->addr, &k->table);
	k->kind = k->rule ? CODE_RULE : CODE_NO_RULE;
	if (k->rule)
		use_second_rule(k, arch);
	if (returns_from_signal(l, arch, r, k, pc) || is_interrupted_trampoline(l, arch, r, k, pc))
		k->kind = CODE_TRAMPOLINE;
	else if (is_gone_to(l, arch, r, k, pc))
		use_entry(k);
	else if (k->kind == CODE_NO_RULE && k->interrupted)
		use_interrupted(l, arch, r, k, pc);
}

static struct known *known_of(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc,
				    bool interrupted)
{
	uint64_t offset = pc - !interrupted - r->map->start + r->map->pgoff;
	struct known *k = &l->known[hash_pair((uintptr_t)r->tables, offset << 1 | interrupted) >> (64 - KNOWN_BITS)];

	if (k->tables == r->tables && k->offset == offset && k->interrupted == interrupted)
		return k;
	*k = (struct known){ .tables = r->tables, .offset = offset, .interrupted = interrupted };
	find(l, arch, r, k, pc);
	return k;
}

void lookup_code(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc, bool interrupted, struct code *out)
{
	/* A call may be the last instruction of its function. */
	uint64_t at = pc - !interrupted;
	const struct region *r = region_of(l, space, at);
	const struct runtime_code *m;
	const struct known *k;

	out->kind = CODE_NONE;
	out->dso = NULL;
	if (!r->map)
		return;
	if (!r->tables) {
		out->kind = map_can_run(r->map, at) ? CODE_NO_RULE : CODE_NONE;
		m = out->kind == CODE_NO_RULE && r->map->dso->kind == DSO_ANON ?
		    find_runtime_code(l, arch, r, pc, interrupted) : NULL;
		if (m && m->jvm.kind != JVM_NONE) {
			out->kind = CODE_JVM;
			out->jvm = m->jvm;
		} else if (m && m->has_epilogue) {
			out->kind = CODE_EPILOGUE;
			out->epilogue = m->epilogue;
		}
	} else {
		k = known_of(l, arch, r, pc, interrupted);
		out->kind = k->kind;
		out->epilogue = k->epilogue;
		out->place = (struct rule_place){ k->rule, k->table, at - k->addr };
	}
	out->dso = out->kind == CODE_NONE ? NULL : r->map->dso;
}

bool lookup_is_called(struct lookup *l, const struct arch *arch, uint32_t space, uint64_t pc)
{
	const struct region *r = region_of(l, space, pc - 1);
	struct known *k;

	if (!r->map || !map_can_run(r->map, pc - 1))
		return false;
	if (!r->tables)
		return find_runtime_code(l, arch, r, pc, false)->called;
	k = known_of(l, arch, r, pc, false);
	if (k->call == CALL_UNKNOWN)
		k->call = call_ends(l, arch, r, pc) ? CALL_ENDS : CALL_NONE;
	return k->call == CALL_ENDS;
}
