/*
 * Looks up an address. Two small caches precede the searches: of regions of the last spaces, and of addresses of the last
 * files.
 * Layer: unwind
 */
#include "core/unwind/lookup.h"

#include "core/arch.h"
#include "core/model/dso.h"
#include "core/unwind/caller.h"
#include "core/unwind/fallback.h"
#include "core/unwind/world.h"

#define KNOWN_BITS	14
#define REGION_BITS	10
#define REGION_SHIFT	24	/* of addresses: wider than most files' code */

struct region {			/* an empty span: nothing is known */
	struct ip_span span;
	uint32_t space;
	const struct map *map;			/* NULL: nothing is mapped there */
	const struct file_tables *tables;	/* NULL: the mapping is no file */
};

struct known {			/* the result for an address of a file */
	const struct file_tables *tables;	/* whose; NULL: nothing is known */
	uint64_t offset;			/* in the file, */
	bool interrupted;			/* or just after that, and it called */
	uint8_t kind;				/* enum code_kind */
	struct epilogue_scan way;			/* of CODE_WAY_OUT */
	const struct rule *rule;
	const struct rule_table *table;
	uint64_t addr;				/* of .offset, in the file's own terms */
};

struct lookup {
	const struct unwind_world *world;
	struct region regions[1 << REGION_BITS];
	struct known known[1 << KNOWN_BITS];
};

struct lookup *lookup_new(const struct unwind_world *w)
{
	struct lookup *l = xcalloc(1, sizeof(*l));

	l->world = w;
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
	r->map = l->world->map(l->world, space, pc, &r->span);
	r->tables = r->map ? l->world->tables(l->world, r->map) : NULL;
	return r;
}

/* True for a return address at a function's start, as the kernel sets one for signals: no call precedes it. */
static bool returns_from_signal(struct lookup *l, const struct arch *arch, const struct region *r, const struct known *k,
				uint64_t pc)
{
	uint8_t code[TRAMPOLINE_MAX];
	size_t n;

	if (k->interrupted || !k->tables->has_file)
		return false;
	if (k->kind == CODE_RULE && (k->rule->flags & RULE_SIGNAL || !rule_table_begins(k->table, k->addr + 1)))
		return false;
	n = l->world->code(l->world, r->space, pc, code, sizeof(code));
	return is_trampoline(arch, code, n);
}

/*
 * True for a return address at the start of a function or of its table entry, without a call before it: a return instruction
 * enters the function. swapcontext() continues so, and first functions of made stacks are returned to so.
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
	n = k->rule->flags & RULE_SIGNAL ? 0 : l->world->code(l->world, r->space, pc - before, code, before);
	return n == before && !may_end_with_call(arch, r->map->dso, code, n);
}

static enum code_kind interrupted_stub(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc)
{
	static const enum code_kind kinds[] = {
		[STUB_NONE] = CODE_NO_RULE, [STUB_UNTOUCHED] = CODE_STUB, [STUB_PUSHED] = CODE_PUSHED_STUB,
	};
	uint64_t before = MIN(STUB_BEFORE, pc - r->map->start);
	uint8_t code[STUB_BEFORE + STUB_MAX];
	size_t n = l->world->code(l->world, r->space, pc - before, code, before + STUB_MAX);

	return kinds[n > before ? find_stub(arch, code, before, n - before) : STUB_NONE];
}

/* Files without tables are left to frame pointers. */
static bool has_epilogue(struct lookup *l, const struct arch *arch, const struct region *r, struct known *k, uint64_t pc)
{
	uint64_t before = MIN(WAY_BEFORE, pc - r->map->start);
	uint8_t code[WAY_BEFORE + WAY_MAX];
	size_t n;

	if (!k->tables->frames[0] && !k->tables->frames[1])
		return false;
	n = l->world->code(l->world, r->space, pc - before, code, before + WAY_MAX);
	return n > before && find_epilogue(arch, code, before, n - before, &k->way);
}

static void take_interrupted(struct lookup *l, const struct arch *arch, const struct region *r, struct known *k, uint64_t pc)
{
	k->kind = interrupted_stub(l, arch, r, pc);
	if (k->kind == CODE_NO_RULE && has_epilogue(l, arch, r, k, pc))
		k->kind = CODE_WAY_OUT;
}

/* Takes the rule of the second instruction if it holds for the first, too: see is_return_above_cfa(). */
static void take_rule_of_second(struct known *k, const struct arch *arch)
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
 * A sample in a signal trampoline, which has no rule, or one for what returns there: that of arm64's vdso leads to the link
 * register of what was interrupted.
 */
static bool is_interrupted_trampoline(struct lookup *l, const struct arch *arch, const struct region *r, const struct known *k,
				      uint64_t pc)
{
	uint64_t before = MIN(TRAMPOLINE_MAX, pc - r->map->start);
	uint8_t code[2 * TRAMPOLINE_MAX];
	size_t n;

	if (!k->interrupted || (k->kind == CODE_RULE && !is_return_above_cfa(arch, k->rule)))
		return false;
	n = l->world->code(l->world, r->space, pc - before, code, before + TRAMPOLINE_MAX);
	return n > before && is_in_trampoline(arch, code, before, n - before);
}

static void take_entry(struct known *k)
{
	k->kind = CODE_ENTRY;
	k->rule = file_tables_find(k->tables, k->addr + 1, &k->table);
}

/* @pc: where it goes on. */
static void find(struct lookup *l, const struct arch *arch, const struct region *r, struct known *k, uint64_t pc)
{
	k->addr = elf_segments_addr(&r->map->dso->segments, k->offset);
	if (!map_can_run(r->map, pc - !k->interrupted))
		return;
	k->rule = file_tables_find(k->tables, k->addr, &k->table);
	k->kind = k->rule ? CODE_RULE : CODE_NO_RULE;
	if (k->rule)
		take_rule_of_second(k, arch);
	if (returns_from_signal(l, arch, r, k, pc) || is_interrupted_trampoline(l, arch, r, k, pc))
		k->kind = CODE_TRAMPOLINE;
	else if (is_gone_to(l, arch, r, k, pc))
		take_entry(k);
	else if (k->kind == CODE_NO_RULE && k->interrupted)
		take_interrupted(l, arch, r, k, pc);
}

static const struct known *known_of(struct lookup *l, const struct arch *arch, const struct region *r, uint64_t pc,
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
	/* After a call may be another function, or nothing. */
	uint64_t at = pc - !interrupted;
	const struct region *r = region_of(l, space, at);
	const struct known *k;

	out->kind = CODE_NONE;
	out->dso = NULL;
	if (!r->map)
		return;
	if (!r->tables) {
		out->kind = map_can_run(r->map, at) ? CODE_NO_RULE : CODE_NONE;
	} else {
		k = known_of(l, arch, r, pc, interrupted);
		out->kind = k->kind;
		out->way = k->way;
		out->place = (struct rule_place){ k->rule, k->table, at - k->addr };
	}
	out->dso = out->kind == CODE_NONE ? NULL : r->map->dso;
}
