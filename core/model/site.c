/*
 * Addresses to sites. Two small memories stand before the searches: of what is mapped in regions of the spaces
 * asked for last, and of the sites of the frames that were seen last, in whatever process.
 * Layer: model
 */
#include "core/model/site.h"

#include <stdlib.h>

#include "core/base/util.h"
#include "core/model/machine.h"

#define AHEAD		16	/* sites that are asked for before they are looked at */
#define RECENT_BITS	14
#define REGION_BITS	10
#define REGION_SHIFT	24	/* of addresses: wider than most files' code */

struct recent_site {		/* of a frame */
	uint64_t at, ip;	/* ip, space: no lower ones than the site's in the table */
	uint32_t home, space;
	uint32_t number;	/* the site's + 1; 0: nothing is known */
	bool calls;		/* no more than the site's */
};

struct region {			/* an empty span: nothing is known */
	struct ip_span span;
	uint64_t distance;	/* offset in the file - ip */
	uint32_t space, dso;
	bool in_file;
};

struct site_finder {
	const struct machine *machine;
	struct region regions[1 << REGION_BITS];
};

/* ---- finding ---- */

struct site_finder *site_finder_new(const struct machine *machine)
{
	struct site_finder *f = xcalloc(1, sizeof(*f));

	f->machine = machine;
	return f;
}

void site_finder_free(struct site_finder *f)
{
	free(f);
}

/* Elsewhere the same offset may mean something else in another process, or at another time. */
static bool is_file(const struct dso *dso)
{
	return dso->kind == DSO_USER || dso->kind == DSO_VDSO;
}

static const struct region *region_of(struct site_finder *f, uint32_t space, uint64_t ip)
{
	struct region *r = &f->regions[hash_pair(space, ip >> REGION_SHIFT) >> (64 - REGION_BITS)];
	const struct map *map = NULL;

	if (r->space == space && r->span.from <= ip && ip < r->span.to)
		return r;
	*r = (struct region){ .space = space, .dso = SITE_NO_DSO, .span = { 0, UINT64_MAX } };
	if (f->machine)
		map = machine_map_span(f->machine, space, ip, &r->span);
	if (map) {
		r->dso = map->dso->number;
		r->in_file = is_file(map->dso);
		r->distance = map->pgoff - map->start;
	}
	return r;
}

uint32_t site_dso(struct site_finder *f, uint32_t space, uint64_t ip)
{
	return region_of(f, space, ip)->dso;
}

struct site site_of(struct site_finder *f, uint32_t space, uint64_t ip, uint16_t mode)
{
	struct site site = { .at = ip, .home = space, .mode = mode, .space = space, .ip = ip };
	const struct region *r = region_of(f, space, ip);

	if (r->in_file) {
		site.at = ip + r->distance;
		site.home = r->dso | SITE_IN_FILE;
	}
	return site;
}

/* ---- numbering ---- */

void site_table_init(struct site_table *t, const struct machine *machine)
{
	*t = (struct site_table){ .finder = site_finder_new(machine) };
	t->recent = xcalloc(1 << RECENT_BITS, sizeof(*t->recent));
}

void site_table_release(struct site_table *t)
{
	vec_free(&t->list);
	index_release(&t->by_key);
	site_finder_free(t->finder);
	free(t->recent);
	*t = (struct site_table){0};
}

static uint64_t hash_site(const struct site *s)
{
	return hash_pair((uint64_t)s->home << 16 | s->mode, s->at);
}

static bool lower(const struct site *a, const struct site *b)
{
	return a->ip != b->ip ? a->ip < b->ip : a->space < b->space;
}

uint32_t sites_add(struct site_table *t, const struct site *site)
{
	uint64_t h = hash_site(site);
	uint32_t pos;

	for (size_t i = index_first(&t->by_key, h); (pos = index_at(&t->by_key, i, h)) != INDEX_END; i++) {
		struct site *s = &t->list.v[pos == INDEX_OTHER ? 0 : pos];

		if (pos == INDEX_OTHER || s->at != site->at || s->home != site->home || s->mode != site->mode)
			continue;
		s->in_chain |= site->in_chain;
		s->calls |= site->calls;
		if (lower(site, s)) {
			s->ip = site->ip;
			s->space = site->space;
		}
		return pos;
	}
	pos = (uint32_t)t->list.nr;
	index_add(&t->by_key, h, pos);
	vec_push(&t->list, *site);
	return pos;
}

static struct recent_site *recent_of(const struct site_table *t, const struct site *site)
{
	return &t->recent[hash_site(site) >> (64 - RECENT_BITS)];
}

/* Is it @site's, and told already of an address as low? */
static bool is_recent(const struct recent_site *r, const struct site *site)
{
	return r->number && r->at == site->at && r->home == site->home && r->calls >= site->calls &&
	       (r->ip < site->ip || (r->ip == site->ip && r->space <= site->space));
}

/* Of a frame. */
static struct site frame_site(struct site_table *t, uint32_t space, uint64_t ip, bool calls)
{
	struct site site = site_of(t->finder, space, ip, 0);

	site.in_chain = true;
	site.calls = calls;
	return site;
}

bool sites_recall(struct site_table *t, uint32_t space, uint64_t ip, bool calls, uint32_t *number)
{
	struct site site = frame_site(t, space, ip, calls);
	const struct recent_site *r = recent_of(t, &site);

	if (!is_recent(r, &site)) {
		index_expect(&t->by_key, hash_site(&site));
		return false;
	}
	*number = r->number - 1;
	return true;
}

uint32_t sites_frame(struct site_table *t, uint32_t space, uint64_t ip, bool calls)
{
	struct site site = frame_site(t, space, ip, calls);
	struct recent_site *r = recent_of(t, &site);

	if (is_recent(r, &site))
		return r->number - 1;
	*r = (struct recent_site){ site.at, ip, site.home, space, sites_add(t, &site) + 1, calls };
	return r->number - 1;
}

uint32_t *sites_merge(struct site_table *into, const struct site_table *from)
{
	uint32_t *map = xmalloc(MAX(from->list.nr, 1) * sizeof(*map));

	for (size_t i = 0; i < from->list.nr; i++) {
		if (i + AHEAD < from->list.nr)
			index_expect(&into->by_key, hash_site(&from->list.v[i + AHEAD]));
		map[i] = sites_add(into, &from->list.v[i]);
	}
	return map;
}
