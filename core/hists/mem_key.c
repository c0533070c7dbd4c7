/*
 * Implements the sort keys for memory accesses, such as symbol_daddr, the symbol of the accessed data. detail.c stores each
 * access as bytes, together with other values of the sample. The keys read these bytes.
 */
#include "core/hists/mem_key.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/byte_table.h"
#include "core/read/item.h"
#include "core/perfdata/data_src.h"
#include "core/model/machine.h"
#include "core/hists/key.h"
#include "core/hists/key_table.h"
#include "core/hists/location.h"
#include "core/hists/key_context.h"
#include "core/hists/weight.h"

#define LINE_SIZE	64u	/* bytes of a data cache line; perf uses that of the machine, which usually is equal */

/* Compared as bytes, so it has no padding, and unused members are zero. */
struct access {
	uint64_t data_src, phys, page_size, addr;
	uint64_t base;			/* start of the symbol, as an address of the same space */
	const char *name;		/* of the symbol, borrowed from the machine; NULL: none covers it */
	uint32_t dso;			/* number; NO_DSO: nothing is mapped there */
	uint8_t level;			/* location.level of the code that made the access */
	uint8_t is_function, unused[2];
};

_Static_assert(sizeof(struct access) == MEM_PUT_SIZE, "an access has holes");

struct data_location { uint64_t addr, base; const char *name; uint32_t dso; uint8_t level, is_function, unused[2]; };

struct mem_values {
	const struct byte_table *details;	/* borrowed */
	size_t offset;			/* of the access, in each detail */
	struct byte_table locations;		/* each is a struct data_location */
	VEC(uint32_t) location_of, line_of, phys_of;	/* by detail */
};

/* ---- byte strings ---- */

static void resolve_access(struct access *a, const struct machine *m, const struct item *item)
{
	const struct arch *arch = machine_arch(m);
	bool kernel = arch ? a->addr >= arch->kernel_start : a->addr >> 63;
	struct addr_location al;

	machine_resolve(m, kernel ? item->context->kernel_space : item->context->user_space, a->addr, &al);
	a->level = (uint8_t)location_level(item->cpumode);
	a->dso = al.dso ? al.dso->number : DSO_NONE;
	if (!al.symbol)
		return;
	a->name = al.symbol->name;
	a->base = addr_location_unmap(&al, al.symbol->start);
	a->is_function = al.symbol->function;
}

uint64_t mem_weight(const struct item *item)
{
	return MAX(weight_of(item, 0), 1);
}

void mem_put(const struct machine *m, unsigned needs, const struct item *item, struct buf *out)
{
	const struct sample *s = item->sample;
	struct access a = { 0 };

	if (needs & NEED_MEM_SOURCE)
		a.data_src = s->data_src;
	if (needs & NEED_MEM_PHYS) {
		a.phys = s->phys_addr;
		a.level = (uint8_t)location_level(item->cpumode);
		a.page_size = s->data_page_size;
	}
	if (needs & NEED_MEM_ADDRESS) {
		a.addr = s->addr;
		resolve_access(&a, m, item);
	}
	buf_put(out, &a, sizeof(a));
}

/* ---- values ---- */

static struct access access_at(const struct mem_values *v, uint32_t number)
{
	struct access a;
	size_t n;

	memcpy(&a, byte_table_get(v->details, number, &n) + v->offset, sizeof(a));
	return a;
}

uint64_t mem_source(const struct mem_values *v, uint32_t number)
{
	return access_at(v, number).data_src;
}

static struct data_location data_location_at(const struct key_context *c, uint64_t number)
{
	struct data_location p;
	size_t n;

	memcpy(&p, byte_table_get(&c->mem->locations, (uint32_t)number, &n), sizeof(p));
	return p;
}

struct mem_values *mem_values_new(const struct byte_table *details, size_t offset)
{
	struct mem_values *v = xcalloc(1, sizeof(*v));

	v->details = details;
	v->offset = offset;
	for (uint32_t i = 0; i < details->ends.nr; i++) {
		struct access a = access_at(v, i);
		struct data_location p = { a.addr, a.base, a.name, a.dso, a.level, a.is_function, { 0 } };

		vec_push(&v->location_of, byte_table_add(&v->locations, &p, sizeof(p)));
		p.addr &= ~(uint64_t)(LINE_SIZE - 1);
		if (p.dso == DSO_NONE)
			p.level = 'X';
		vec_push(&v->line_of, byte_table_add(&v->locations, &p, sizeof(p)));
		p = (struct data_location){ .addr = a.phys, .dso = DSO_NONE, .level = a.level };
		vec_push(&v->phys_of, byte_table_add(&v->locations, &p, sizeof(p)));
	}
	return v;
}

void mem_values_free(struct mem_values *v)
{
	if (!v)
		return;
	byte_table_release(&v->locations);
	vec_free(&v->location_of);
	vec_free(&v->line_of);
	vec_free(&v->phys_of);
	free(v);
}

static uint64_t phys_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return c->mem->phys_of.v[bucket->detail];
}

static uint64_t page_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return access_at(c->mem, bucket->detail).page_size;
}

static uint64_t symbol_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return c->mem->location_of.v[bucket->detail];
}

static uint64_t line_value(const struct key_context *c, const struct bucket_key *bucket)
{
	return c->mem->line_of.v[bucket->detail];
}

static uint64_t dso_value(const struct key_context *c, const struct bucket_key *bucket)
{
	uint32_t dso = access_at(c->mem, bucket->detail).dso;

	return dso == DSO_NONE ? DSO_NONE : c->dso_alias.v[dso];
}

/* ---- texts ---- */

/* Writes the name, and for data also the offset. */
static void data_location_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	struct data_location p = data_location_at(c, value);

	buf_printf(out, "[%c] ", p.level);
	if (!p.name) {
		location_put_addr(p.addr, out);
		return;
	}
	buf_puts(out, p.name);
	if (!p.is_function) {
		buf_puts(out, "+0x");
		buf_hex(out, p.addr - p.base, 0);
	}
}

static int data_location_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	struct data_location x = data_location_at(c, a), y = data_location_at(c, b);

	if (x.addr != y.addr || x.dso != y.dso)
		return compare_numbers(x.addr, y.addr) ?: compare_numbers(x.dso, y.dso);
	if (x.name && y.name && x.name != y.name)
		return strcmp(x.name, y.name);
	return x.level - y.level;
}

/* ---- keys ---- */

static const struct key keys[] = {
	{ "mem", NULL, "Memory access", NEED_MEM_SOURCE, 0, 39, .source = data_src_level, .put = data_src_put_level },
	{ "symbol_daddr", NULL, "Data Symbol", NEED_MEM_ADDRESS, 0, 22, .value = symbol_value, .order = data_location_order,
	  .print = data_location_print },
	{ "dso_daddr", NULL, "Data Object", NEED_MEM_ADDRESS, 0, 16, .value = dso_value, .order = key_dso_order,
	  .print = key_dso_print },
	{ "dcacheline", NULL, "Data Cacheline", NEED_MEM_ADDRESS, 0, 22, .value = line_value, .order = data_location_order,
	  .print = data_location_print },
	{ "phys_daddr", NULL, "Data Physical Address", NEED_MEM_PHYS, 0, 22, .value = phys_value,
	  .order = data_location_order, .print = data_location_print },
	{ "data_page_size", NULL, "Data Page Size", NEED_MEM_PHYS, 0, 22, .value = page_value, .put = page_size_put },
	{ "snoop", NULL, "Snoop", NEED_MEM_SOURCE, 0, 12, .source = data_src_snoop, .put = data_src_put_snoop },
	{ "tlb", NULL, "TLB access", NEED_MEM_SOURCE, 0, 22, .source = data_src_tlb, .put = data_src_put_tlb },
	{ "locked", NULL, "Locked", NEED_MEM_SOURCE, 0, 6, .source = data_src_lock, .put = data_src_put_lock },
	{ "blocked", NULL, "Blocked", NEED_MEM_SOURCE, 0, 10, .source = data_src_blocked, .put = data_src_put_blocked },
};

const struct key_table mem_keys = { keys, ARRAY_SIZE(keys), "memory accesses (record -d)" };
