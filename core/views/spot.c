/* Addresses to spots: collect, resolve in parallel, join those that are one. Layer: views */
#include "core/views/spot.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/pool.h"
#include "core/format/abi.h"
#include "core/model/machine.h"

#define BATCH 512	/* addresses that a worker takes at a time */

uint32_t spots_address(struct spots *s, uint32_t space, uint64_t ip, uint32_t mode)
{
	uint64_t h = hash_pair((uint64_t)space << 16 ^ mode, ip);
	uint32_t pos;

	for (size_t i = index_first(&s->by_address, h); (pos = index_at(&s->by_address, i, h)) != INDEX_END; i++) {
		const struct address *a = &s->addresses.v[pos];

		if (pos != INDEX_OTHER && a->ip == ip && a->space == space && a->mode == mode)
			return pos;
	}
	pos = (uint32_t)s->addresses.nr;
	index_add(&s->by_address, h, pos);
	vec_push(&s->addresses, ((struct address){ .ip = ip, .space = space, .mode = mode }));
	return pos;
}

/* ---- resolving ---- */

struct naming {
	struct spots *spots;
	const struct machine *machine;
	struct spot *found;	/* of each address */
};

static bool kernel_dso(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF;
}

static char level_of(const struct machine *m, const struct address *a, const struct dso *dso)
{
	const struct arch *arch = machine_arch(m);

	if (dso)
		return kernel_dso(dso) ? 'k' : '.';
	switch (a->mode) {
	case 0:
		return arch && arch->kernel_start && a->ip >= arch->kernel_start ? 'k' : '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	default:
		return 'H';
	}
}

static struct spot spot_of(const struct machine *m, const struct address *a)
{
	struct spot spot = { .addr = a->ip, .ip = a->ip };
	struct place place;

	machine_resolve(m, a->space, a->ip, &place);
	spot.dso = place.dso;
	spot.symbol = place.symbol;
	spot.level = level_of(m, a, place.dso);
	if (place.symbol)
		spot.addr = place.symbol->start;
	else if (place.dso && !kernel_dso(place.dso))
		spot.addr = place.file_addr;
	return spot;
}

static void resolve_batch(void *ctx, unsigned worker, size_t batch)
{
	struct naming *n = ctx;
	size_t end = MIN((batch + 1) * BATCH, n->spots->addresses.nr);

	(void)worker;
	for (size_t i = batch * BATCH; i < end; i++)
		n->found[i] = spot_of(n->machine, &n->spots->addresses.v[i]);
}

/* The number of the spot that is the same as @found; added if new. */
static uint32_t join(struct spots *s, const struct spot *found)
{
	uint64_t h = hash_pair((uint64_t)(uintptr_t)found->dso ^ (uint64_t)(uintptr_t)found->symbol << 1, found->addr);
	uint32_t pos;

	for (size_t i = index_first(&s->by_place, h); (pos = index_at(&s->by_place, i, h)) != INDEX_END; i++) {
		struct spot *spot = &s->list.v[pos];

		if (pos == INDEX_OTHER || spot->dso != found->dso || spot->symbol != found->symbol ||
		    spot->addr != found->addr || spot->level != found->level)
			continue;
		spot->ip = MIN(spot->ip, found->ip);
		return pos;
	}
	pos = (uint32_t)s->list.nr;
	index_add(&s->by_place, h, pos);
	vec_push(&s->list, *found);
	return pos;
}

void spots_name(struct spots *s, const struct machine *m, unsigned jobs)
{
	size_t nr = s->addresses.nr;
	struct naming n = { .spots = s, .machine = m };

	n.found = xmalloc(MAX(nr, 1) * sizeof(*n.found));
	pool_run(jobs, (nr + BATCH - 1) / BATCH, resolve_batch, &n);
	for (size_t i = 0; i < nr; i++)
		s->addresses.v[i].spot = join(s, &n.found[i]);
	free(n.found);
}

void spots_release(struct spots *s)
{
	vec_free(&s->addresses);
	vec_free(&s->list);
	index_release(&s->by_address);
	index_release(&s->by_place);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int spot_compare(const struct spot *a, const struct spot *b)
{
	int order;

	if (!a->dso != !b->dso)
		return a->dso ? 1 : -1;
	order = a->dso ? strcmp(a->dso->name, b->dso->name) : 0;
	if (!order && a->dso)
		order = compare_u64(a->dso->number, b->dso->number);
	if (!order && !a->symbol != !b->symbol)
		return a->symbol ? -1 : 1;
	if (!order)
		order = compare_u64(a->addr, b->addr);
	return order ? order : a->level - b->level;
}
