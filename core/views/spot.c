/* Sites to spots: collect, resolve in parallel, join those that are one. Layer: views */
#include "core/views/spot.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/pool.h"
#include "core/format/abi.h"
#include "core/model/machine.h"
#include "core/model/site.h"
#include "core/model/srcline.h"

#define BATCH 512	/* sites that a worker takes at a time */

/* ---- resolving ---- */

struct naming {
	const struct site_table *sites;
	const struct machine *machine;
	bool inlines;
	struct found { struct spot spot; struct frames frames; } *found;	/* of each site */
};

static bool kernel_dso(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF;
}

static char level_of(const struct machine *m, const struct site *a, const struct dso *dso)
{
	const struct arch *arch = machine_arch(m);

	if (dso)
		return kernel_dso(dso) ? 'k' : '.';
	switch (a->mode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_USER:
		return '.';
	case PERF_RECORD_MISC_CPUMODE_UNKNOWN:	/* of a frame in a chain, too */
		return arch && arch->kernel_start && a->ip >= arch->kernel_start ? 'k' : '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	default:
		return 'H';
	}
}

static struct found find(const struct naming *n, const struct site *a)
{
	struct found found = { .spot = { .addr = a->ip, .ip = a->ip } };
	struct spot *spot = &found.spot;
	struct place place;

	machine_resolve(n->machine, a->space, a->ip, &place);
	spot->dso = place.dso;
	spot->level = level_of(n->machine, a, place.dso);
	if (place.symbol) {
		spot->name = place.symbol->name;
		spot->addr = place.symbol->start;
	} else if (place.dso && !kernel_dso(place.dso)) {
		spot->addr = place.file_addr;
	}
	if (n->inlines && a->in_chain && place.symbol && place.dso->kind == DSO_USER)
		found.frames = place_frames(&place);
	return found;
}

static void resolve_batch(void *ctx, unsigned worker, size_t batch)
{
	struct naming *n = ctx;
	size_t end = MIN((batch + 1) * BATCH, n->sites->list.nr);

	(void)worker;
	for (size_t i = batch * BATCH; i < end; i++)
		n->found[i] = find(n, &n->sites->list.v[i]);
}

/* A symbol's name is one pointer; inlined functions are one where their names read the same. */
static bool same_spot(const struct spot *a, const struct spot *b)
{
	if (a->dso != b->dso || a->addr != b->addr || a->inlined != b->inlined || a->level != b->level)
		return false;
	return a->inlined ? str_eq(a->name, b->name) : a->name == b->name;
}

/* The number of the spot that is the same as @found; added if new. */
static uint32_t join(struct spots *s, const struct spot *found)
{
	uint64_t name = found->inlined ? hash_bytes(found->name, strlen(found->name)) : (uintptr_t)found->name;
	uint64_t h = hash_pair((uintptr_t)found->dso ^ name << 1, found->addr);
	uint32_t pos;

	for (size_t i = index_first(&s->by_place, h); (pos = index_at(&s->by_place, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || !same_spot(&s->list.v[pos], found))
			continue;
		s->list.v[pos].ip = MIN(s->list.v[pos].ip, found->ip);
		return pos;
	}
	pos = (uint32_t)s->list.nr;
	index_add(&s->by_place, h, pos);
	vec_push(&s->list, *found);
	return pos;
}

/* The last of the frames is the function that the symbol names. */
static void join_inlines(struct spots *s, struct named_site *a, const struct found *found)
{
	a->inlines = (uint32_t)s->inlines.nr;
	for (uint32_t i = 0; i + 1 < found->frames.nr; i++) {
		struct spot spot = found->spot;

		if (!found->frames.v[i].function)
			continue;
		spot.name = found->frames.v[i].function;
		spot.inlined = true;
		spot.addr = 0;
		vec_push(&s->inlines, join(s, &spot));
		a->nr_inlines++;
	}
}

void spots_name(struct spots *s, const struct site_table *sites, const struct machine *m, bool inlines, unsigned jobs)
{
	size_t nr = sites->list.nr;
	struct naming n = { .sites = sites, .machine = m, .inlines = inlines };

	n.found = xmalloc(MAX(nr, 1) * sizeof(*n.found));
	pool_run(jobs, (nr + BATCH - 1) / BATCH, resolve_batch, &n);
	for (size_t i = 0; i < nr; i++) {
		struct named_site named = { .spot = join(s, &n.found[i].spot) };

		join_inlines(s, &named, &n.found[i]);
		vec_push(&s->sites, named);
	}
	free(n.found);
}

uint32_t spots_of_dso(struct spots *s, const struct dso *dso)
{
	return join(s, &(struct spot){ .dso = dso, .level = dso && kernel_dso(dso) ? 'k' : '.' });
}

void spot_put_name(const struct spot *s, struct buf *out)
{
	buf_puts(out, s->name);
	if (s->inlined)
		buf_puts(out, " (inlined)");
}

void spots_release(struct spots *s)
{
	vec_free(&s->sites);
	vec_free(&s->list);
	vec_free(&s->inlines);
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
		return a->dso ? -1 : 1;
	order = a->dso ? strcmp(a->dso->name, b->dso->name) : 0;
	if (!order && a->dso)
		order = compare_u64(a->dso->number, b->dso->number);
	if (!order && !a->name != !b->name)
		return a->name ? -1 : 1;
	if (!order)
		order = compare_u64(a->addr, b->addr);
	if (!order && a->inlined && b->inlined)
		order = strcmp(a->name, b->name);
	if (!order)
		order = a->inlined - b->inlined;
	return order ? order : a->level - b->level;
}
