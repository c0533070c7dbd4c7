/* Accesses to bytes, bytes to values. Layer: profile */
#include "core/profile/mem_key.h"

#include <string.h>

#include "core/arch.h"
#include "core/flow/item.h"
#include "core/format/abi.h"
#include "core/format/data_src.h"
#include "core/model/machine.h"
#include "core/profile/blob.h"
#include "core/profile/key.h"
#include "core/profile/spot.h"
#include "core/profile/view.h"
#include "core/profile/weight.h"

#define LINE_SIZE	64u	/* of a data cache, as perf takes it on all machines whose lines are as long */

/* Zero where not needed; no padding: compared as bytes. */
struct access {
	uint64_t data_src, phys, page_size, addr;
	uint64_t base;			/* start of the symbol, as an address of the same space */
	const char *name;		/* of the symbol, borrowed from the machine; NULL: none covers it */
	uint32_t dso;			/* number; NO_DSO: nothing is mapped there */
	uint8_t level;			/* as of struct spot: of the code that accessed it */
	uint8_t is_function, unused[2];
};

_Static_assert(sizeof(struct access) == 6 * 8 + 2 * 4, "an access has holes");

struct mem_place { uint64_t addr, base; const char *name; uint32_t dso; uint8_t level, is_function, unused[2]; };

struct mem_values {
	const struct blobs *details;	/* borrowed */
	size_t offset;			/* of the access in each */
	struct blobs places;		/* of struct mem_place */
	VEC(uint32_t) place_of, line_of, phys_of;	/* by detail */
};

/* ---- blobs ---- */

static void find_place(struct access *a, const struct machine *m, const struct item *item)
{
	const struct arch *arch = machine_arch(m);
	bool kernel = arch ? a->addr >= arch->kernel_start : a->addr >> 63;
	struct place place;

	machine_resolve(m, kernel ? item->where->kernel_space : item->where->user_space, a->addr, &place);
	a->level = (uint8_t)spot_level(item->cpumode);
	a->dso = place.dso ? place.dso->number : SITE_NO_DSO;
	if (!place.symbol)
		return;
	a->name = place.symbol->name;
	a->base = place_unmap(&place, place.symbol->start);
	a->is_function = place.symbol->function;
}

uint64_t mem_weight(const struct item *item)
{
	return MAX(weight_of(item, 0), 1);
}

const size_t mem_put_size = sizeof(struct access);

void mem_put(const struct mem_reader *r, const struct item *item, struct buf *out)
{
	const struct sample *s = item->sample;
	struct access a = { 0 };

	if (r->needs & RAW_MEM_SOURCE)
		a.data_src = s->data_src;
	if (r->needs & RAW_MEM_PHYS) {
		a.phys = s->phys_addr;
		a.level = (uint8_t)spot_level(item->cpumode);
		a.page_size = s->data_page_size;
	}
	if (r->needs & RAW_MEM_PLACE) {
		a.addr = s->addr;
		find_place(&a, r->machine, item);
	}
	buf_put(out, &a, sizeof(a));
}

/* ---- values ---- */

static struct access access_at(const struct mem_values *v, uint32_t number)
{
	struct access a;
	size_t n;

	memcpy(&a, blobs_get(v->details, number, &n) + v->offset, sizeof(a));
	return a;
}

static struct mem_place place_at(const struct view *v, uint64_t number)
{
	struct mem_place p;
	size_t n;

	memcpy(&p, blobs_get(&v->mem->places, (uint32_t)number, &n), sizeof(p));
	return p;
}

struct mem_values *mem_values_new(const struct blobs *details, size_t offset)
{
	struct mem_values *v = xcalloc(1, sizeof(*v));

	v->details = details;
	v->offset = offset;
	for (uint32_t i = 0; i < details->ends.nr; i++) {
		struct access a = access_at(v, i);
		struct mem_place p = { a.addr, a.base, a.name, a.dso, a.level, a.is_function, { 0 } };

		vec_push(&v->place_of, blobs_add(&v->places, &p, sizeof(p)));
		p.addr &= ~(uint64_t)(LINE_SIZE - 1);
		if (p.dso == SITE_NO_DSO)
			p.level = 'X';
		vec_push(&v->line_of, blobs_add(&v->places, &p, sizeof(p)));
		p = (struct mem_place){ .addr = a.phys, .dso = SITE_NO_DSO, .level = a.level };
		vec_push(&v->phys_of, blobs_add(&v->places, &p, sizeof(p)));
	}
	return v;
}

void mem_values_free(struct mem_values *v)
{
	if (!v)
		return;
	blobs_release(&v->places);
	vec_free(&v->place_of);
	vec_free(&v->line_of);
	vec_free(&v->phys_of);
	free(v);
}

static uint64_t level_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return data_src_level(access_at(v->mem, raw->detail).data_src);
}

static uint64_t snoop_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return data_src_snoop(access_at(v->mem, raw->detail).data_src);
}

static uint64_t tlb_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return data_src_tlb(access_at(v->mem, raw->detail).data_src);
}

static uint64_t lock_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return data_src_lock(access_at(v->mem, raw->detail).data_src);
}

static uint64_t blocked_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return data_src_blocked(access_at(v->mem, raw->detail).data_src);
}

static uint64_t phys_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return v->mem->phys_of.v[raw->detail];
}

static uint64_t page_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return access_at(v->mem, raw->detail).page_size;
}

static uint64_t symbol_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return v->mem->place_of.v[raw->detail];
}

static uint64_t line_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	(void)spot;
	return v->mem->line_of.v[raw->detail];
}

static uint64_t dso_value(const struct view *v, const struct raw_key *raw, uint32_t spot)
{
	uint32_t dso = access_at(v->mem, raw->detail).dso;

	(void)spot;
	return dso == SITE_NO_DSO ? SITE_NO_DSO : v->dso_alias.v[dso];
}

/* ---- texts ---- */

static void level_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	data_src_put_level(value, out);
}

static void snoop_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	data_src_put_snoop(value, out);
}

static void tlb_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	data_src_put_tlb(value, out);
}

static void lock_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	data_src_put_lock(value, out);
}

static void blocked_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	data_src_put_blocked(value, out);
}

static void page_print(const struct view *v, uint64_t value, struct buf *out)
{
	(void)v;
	page_size_put(value, out);
}

/* Of data how far into it; functions are only named. */
static void place_print(const struct view *v, uint64_t value, struct buf *out)
{
	struct mem_place p = place_at(v, value);

	buf_printf(out, "[%c] ", p.level);
	if (!p.name) {
		spot_put_addr(p.addr, out);
		return;
	}
	buf_puts(out, p.name);
	if (!p.is_function) {
		buf_puts(out, "+0x");
		buf_hex(out, p.addr - p.base, 0);
	}
}

static int place_order(const struct view *v, uint64_t a, uint64_t b)
{
	struct mem_place x = place_at(v, a), y = place_at(v, b);

	if (x.addr != y.addr)
		return x.addr < y.addr ? -1 : 1;
	if (x.dso != y.dso)
		return x.dso < y.dso ? -1 : 1;
	if (x.name && y.name && x.name != y.name)
		return strcmp(x.name, y.name);
	return x.level - y.level;
}

/* ---- keys ---- */

static const struct key keys[] = {
	{ "mem", NULL, "Memory access", RAW_MEM_SOURCE, 0, 39, .value = level_value, .print = level_print },
	{ "symbol_daddr", NULL, "Data Symbol", RAW_MEM_PLACE, 0, 22, .value = symbol_value, .order = place_order,
	  .print = place_print },
	{ "dso_daddr", NULL, "Data Object", RAW_MEM_PLACE, 0, 16, .value = dso_value, .order = key_dso_order,
	  .print = key_dso_print },
	{ "dcacheline", NULL, "Data Cacheline", RAW_MEM_PLACE, 0, 22, .value = line_value, .order = place_order,
	  .print = place_print },
	{ "phys_daddr", NULL, "Data Physical Address", RAW_MEM_PHYS, 0, 22, .value = phys_value,
	  .order = place_order, .print = place_print },
	{ "data_page_size", NULL, "Data Page Size", RAW_MEM_PHYS, 0, 22, .value = page_value, .print = page_print },
	{ "snoop", NULL, "Snoop", RAW_MEM_SOURCE, 0, 12, .value = snoop_value, .print = snoop_print },
	{ "tlb", NULL, "TLB access", RAW_MEM_SOURCE, 0, 22, .value = tlb_value, .print = tlb_print },
	{ "locked", NULL, "Locked", RAW_MEM_SOURCE, 0, 6, .value = lock_value, .print = lock_print },
	{ "blocked", NULL, "Blocked", RAW_MEM_SOURCE, 0, 10, .value = blocked_value, .print = blocked_print },
};

const struct key_table mem_keys = { keys, ARRAY_SIZE(keys) };
