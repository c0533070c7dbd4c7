/* Finds the map, the dso and the symbol of an address in an address space, and demangles the name of the symbol. */
#include <string.h>

#include "core/base/printable.h"
#include "core/binary/demangle.h"
#include "core/model/machine.h"
#include "core/model/machine_state.h"
#include "core/model/python.h"

/* The address as the dso's symbols have it (.addr of struct addr_location). The dso must be loaded. */
static uint64_t own_addr(const struct dso *dso, uint64_t ip, uint64_t file_addr)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_GUEST:
		return ip - dso->relocation;
	case DSO_BPF:
		return ip;
	case DSO_MODULE:
		return dso->relative ? file_addr : ip;
	case DSO_USER:
	case DSO_VDSO:
		return elf_segments_addr(&dso->segments, file_addr);
	default:
		return file_addr;
	}
}

/* Demangles a symbol's name, if wanted, and makes it printable, when the symbol is first found. Safe from any thread. */
static void name_symbol(struct dso *dso, struct symbol *sym, enum symbol_named wanted)
{
	char *plain;

	if (__atomic_load_n(&sym->named, __ATOMIC_ACQUIRE) >= wanted)
		return;
	pthread_mutex_lock(&dso->lock);
	plain = sym->named || !dso->mangled ? NULL : demangle(sym->name);
	if (!plain && !sym->named && !is_plain_text(sym->name, strlen(sym->name)))
		plain = xstrdup(sym->name);
	if (plain) {
		plain = printable_text(plain);
		vec_push(&dso->symbols.text, plain);
		sym->name = plain;
	}
	__atomic_store_n(&sym->named, (uint8_t)wanted, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&dso->lock);
}

bool machine_space_is_kernel(const struct machine *m, uint32_t space)
{
	return space < m->spaces.image_of.nr && m->spaces.image_of.v[space] == KERNEL_IMAGE;
}

const struct map *machine_map(const struct machine *m, uint32_t space, uint64_t ip)
{
	struct ip_span span;

	return machine_map_span(m, space, ip, &span);
}

/* Interpreted code is in all spaces, and in no map of theirs. */
static const struct map *interpreted_map(const struct machine *m, uint64_t ip, struct ip_span *span)
{
	const struct map *map = ip < JAVA_BASE ? &m->python : &m->java;

	span->from = ip < JAVA_BASE ? PYTHON_BASE : JAVA_BASE;
	span->to = ip < JAVA_BASE ? JAVA_BASE : PYTHON_BASE + PYTHON_SIZE;
	return map->dso ? map : NULL;
}

const struct map *machine_map_span(const struct machine *m, uint32_t space, uint64_t ip, struct ip_span *span)
{
	bool interprets = m->python.dso || m->java.dso;
	const struct map *map;

	if (is_interpreted(ip) && interprets)
		return interpreted_map(m, ip, span);
	map = spaces_find(&m->spaces, space, ip, span);
	/* Without interpreted code, keep the span: one of all addresses means that the process has no maps. */
	if (map || !interprets)
		return map;
	if (ip < PYTHON_BASE)
		span->to = MIN(span->to, PYTHON_BASE);
	else
		span->from = MAX(span->from, PYTHON_BASE + PYTHON_SIZE);
	return map;
}

void machine_resolve(const struct machine *m, uint32_t space, uint64_t ip, struct addr_location *out)
{
	const struct map *map = machine_map(m, space, ip);
	struct dso *dso;

	*out = (struct addr_location){ .map = map, .addr = ip, .file_addr = ip };
	if (!map)
		return;
	dso = map->dso;
	/* Callers see a const machine; lazily loaded parts change under locks. */
	dso_load((struct machine *)(uintptr_t)m, dso);
	out->dso = dso;
	out->file_addr = ip - map->start + map->pgoff;
	out->addr = own_addr(dso, ip, out->file_addr);
	out->symbol = symbols_find(&dso->symbols, out->addr);
	if (out->symbol)
		name_symbol(dso, (struct symbol *)(uintptr_t)out->symbol, m->noting ? SYMBOL_NOTED : SYMBOL_NAMED);
}

void machine_resolve_data(const struct machine *m, uint32_t space, uint64_t addr, struct addr_location *out)
{
	struct addr_location before;
	const struct symbol *symbol;
	uint64_t own;

	machine_resolve(m, space, addr, out);
	if (!out->map || out->symbol || out->dso->kind != DSO_ANON || !out->map->start)
		return;
	machine_resolve(m, space, out->map->start - 1, &before);
	if (!before.map || before.dso->kind != DSO_USER)
		return;
	own = before.addr + (addr - (out->map->start - 1));
	symbol = symbols_find(&before.dso->symbols, own);
	if (!symbol || own < symbol->start || own >= symbol->end)
		return;
	name_symbol(before.map->dso, (struct symbol *)(uintptr_t)symbol, m->noting ? SYMBOL_NOTED : SYMBOL_NAMED);
	out->dso = before.dso;
	out->symbol = symbol;
	out->addr = own;
}

uint64_t addr_location_unmap(const struct addr_location *l, uint64_t addr)
{
	if (!l->map)
		return addr;
	/* In one segment the process's addresses and the dso's differ by the same number everywhere. */
	return l->file_addr - l->map->pgoff + l->map->start + (addr - l->addr);
}
