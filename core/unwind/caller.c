/* Checks whether an address can be a return address: it must be in executable code, just after a call instruction. */
#include "core/unwind/caller.h"

#include <string.h>
#include <sys/mman.h>

#include "core/arch.h"
#include "core/base/util.h"
#include "core/model/addr_key.h"
#include "core/model/code.h"
#include "core/model/machine.h"
#include "core/unwind/fallback.h"

/*
 * A file's segments are authoritative: maps of a file may have been merged. Else use the prot of the MMAP2 record, or the one
 * made up for an MMAP record; some tools left it at 0.
 */
bool map_can_run(const struct map *map, uint64_t pc)
{
	const struct elf_segments *segments = &map->dso->segments;

	if (segments->list.nr)
		return elf_segments_can_run(segments, elf_segments_addr(segments, pc - map->start + map->pgoff));
	return !map->prot || map->prot & PROT_EXEC;
}

/*
 * Functions that a new stack returns to, although they have called nothing. glibc's makecontext() sets up such a stack
 * (sysdeps/unix/sysv/linux; on i386 it returns to the end of makecontext() itself). Go's scheduler does so, too, with the address
 * after the first instruction (src/runtime/asm_*.s).
 */
static bool is_first_function(const struct addr_location *al)
{
	static const char *const names[] = { "__start_context", "__startcontext", "makecontext" };

	for (size_t i = 0; al->symbol && i < ARRAY_SIZE(names); i++)
		if (str_eq(al->symbol->name, names[i]))
			return true;
	return al->symbol && str_starts(al->symbol->name, "runtime.goexit");
}

/* True if a call ends with the last of the @n bytes. */
static bool ends_with(const struct arch *arch, unsigned mode, const uint8_t *code, size_t n)
{
	size_t least = arch->family == ARCH_ARM && mode != 16 ? 4 : 2, most = arch->family == ARCH_ARM ? 4 : CALL_MAX;
	struct insn insn;

	for (size_t size = least; size <= MIN(n, most); size++)
		if (!arch->insn(&insn, code + n - size, size, mode) && insn.size == size &&
		    (insn.kind == INSN_CALL || insn.kind == INSN_CALL_INDIRECT || insn.kind == INSN_FAR_CALL))
			return true;
	return false;
}

/* The instruction set of a dso; 0: unknown. */
static unsigned mode_of(const struct arch *arch, const struct dso *dso)
{
	if (!arch || !arch->insn || (arch->family == ARCH_ARM && dso->elf_class == 32))
		return 0;
	return dso->elf_class;
}

/* 32-bit Arm has two instruction sets, and the file does not say which code is in which. */
bool may_end_with_call(const struct arch *arch, const struct dso *dso, const uint8_t *code, size_t n)
{
	unsigned mode = mode_of(arch, dso);

	if (!n || !arch->insn || (!mode && arch->family != ARCH_ARM))
		return true;
	return mode ? ends_with(arch, mode, code, n) : ends_with(arch, 16, code, n) || ends_with(arch, 32, code, n);
}

static bool may_return_to(const struct machine *m, uint32_t space, uint64_t ip, const struct map *map)
{
	const struct arch *arch = machine_arch(m);
	uint8_t code[CALL_MAX + TRAMPOLINE_MAX];
	size_t before = MIN(CALL_MAX, ip - map->start), n;

	n = mode_of(arch, map->dso) ? code_if_known(m, space, ip - before, code, before + TRAMPOLINE_MAX) : 0;
	if (n <= before)
		return true;
	return may_end_with_call(arch, map->dso, code, before) || may_end_with_call(arch, map->dso, code, before + 1) ||
	       is_trampoline(arch, code + before, n - before);
}

bool can_be_caller(const struct machine *m, uint32_t space, uint64_t ip)
{
	struct ip_span span = { 0, UINT64_MAX };
	const struct map *map = machine_map_span(m, space, ip, &span);
	struct addr_location al;

	/* If a process has no known maps, any address can be code. */
	if (!map)
		return !span.from && span.to == UINT64_MAX;
	machine_resolve(m, space, ip, &al);
	switch (map->dso->kind) {
	case DSO_USER:
		return map_can_run(map, ip) && (may_return_to(m, space, ip, map) || is_first_function(&al));
	case DSO_ANON:
		return map_can_run(map, ip);
	default:	/* the kernel; the vdso, which signal handlers return to */
		return true;
	}
}

bool is_broken_caller(const struct machine *m, const struct addr_key *key)
{
	return key->unmapped || (key->calls && !can_be_caller(m, key->space, key->ip));
}
