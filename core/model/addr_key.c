/*
 * Converts an address of a process to a key: file and offset if a file is mapped there (addr_key.h). Distinct keys are numbered.
 * chain.c and core/hists/bucket.c call it for the addresses of samples.
 */
#include "core/model/addr_key.h"

#include <stdlib.h>

#include "core/base/pool.h"
#include "core/base/util.h"
#include "core/model/machine.h"

#define RECENT_BITS	14
#define REGION_BITS	10
#define REGION_SHIFT	24	/* bytes of addresses: more than the code of most files */

/*
 * Two small caches avoid most searches. struct recent_addr_key holds the keys of the call chain frames that were seen last. struct
 * region holds the ranges of addresses whose map was looked up last.
 */
struct recent_addr_key {		/* the key of a frame that was seen lately */
	uint64_t at, ip;	/* .ip, .space: not lower than .ip and .space of the key in the table */
	uint32_t owner, space;
	uint32_t number;	/* the address key's + 1; 0: nothing is known */
	bool calls;
};

struct region {			/* an empty span: nothing is known */
	struct ip_span span;
	uint64_t distance;	/* offset in the file - ip */
	uint32_t space, dso;
	bool in_file;
};

struct addr_key_finder {
	const struct machine *machine;
	struct region regions[1 << REGION_BITS];
};

/* ---- finding ---- */

struct addr_key_finder *addr_key_finder_new(const struct machine *machine)
{
	struct addr_key_finder *f = xcalloc(1, sizeof(*f));

	f->machine = machine;
	return f;
}

void addr_key_finder_free(struct addr_key_finder *f)
{
	free(f);
}

/* True if an offset in the dso means the same in all processes and at all times. */
static bool is_file(const struct dso *dso)
{
	return dso->kind == DSO_USER || dso->kind == DSO_VDSO || dso->kind == DSO_JIT;
}

static bool holds(const struct region *r, uint32_t space, uint64_t ip)
{
	return r->space == space && r->span.from <= ip && ip < r->span.to;
}

static const struct region *region_of(struct addr_key_finder *f, uint32_t space, uint64_t ip)
{
	struct region *r = &f->regions[hash_pair(space, ip >> REGION_SHIFT) >> (64 - REGION_BITS)];
	const struct map *map = NULL;

	if (holds(r, space, ip))
		return r;
	*r = (struct region){ .space = space, .dso = DSO_NONE, .span = { 0, UINT64_MAX } };
	if (f->machine)
		map = machine_map_span(f->machine, space, ip, &r->span);
	if (map) {
		r->dso = map->dso->number;
		r->in_file = is_file(map->dso);
		r->distance = map->pgoff - map->start;
	}
	return r;
}

static struct address_place place_in(const struct region *r, uint32_t space, uint64_t ip)
{
	return r->in_file ? (struct address_place){ ip + r->distance, owner_of_dso(r->dso), r->dso } :
			    (struct address_place){ ip, owner_of_space(space), r->dso };
}

struct address_place address_place(struct addr_key_finder *f, const struct region **near, uint32_t space, uint64_t ip)
{
	const struct region *r = *near;

	if (!r || !holds(r, space, ip))
		r = *near = region_of(f, space, ip);
	return place_in(r, space, ip);
}

uint32_t address_dso(struct addr_key_finder *f, uint32_t space, uint64_t ip)
{
	return region_of(f, space, ip)->dso;
}

static struct addr_key key_in_region(const struct region *r, uint32_t space, uint64_t ip, uint16_t mode)
{
	struct address_place place = place_in(r, space, ip);

	return (struct addr_key){ .at = place.at, .owner = place.owner, .mode = mode, .space = space, .ip = ip };
}

struct addr_key addr_key_of(struct addr_key_finder *f, uint32_t space, uint64_t ip, uint16_t mode)
{
	return key_in_region(region_of(f, space, ip), space, ip, mode);
}

/* ---- numbering ---- */

void addr_key_table_init(struct addr_key_table *t, const struct machine *machine)
{
	*t = (struct addr_key_table){ .finder = addr_key_finder_new(machine) };
	t->recent = xcalloc(1 << RECENT_BITS, sizeof(*t->recent));
}

void addr_key_table_release(struct addr_key_table *t)
{
	vec_free(&t->list);
	index_release(&t->by_key);
	addr_key_finder_free(t->finder);
	free(t->recent);
	*t = (struct addr_key_table){0};
}

static uint64_t hash_addr_key(const struct addr_key *s)
{
	return hash_pair((uint64_t)s->calls << 48 ^ (uint64_t)s->owner << 16 ^ s->mode, s->at);
}

static bool lower(const struct addr_key *a, const struct addr_key *b)
{
	return a->ip != b->ip ? a->ip < b->ip : a->space < b->space;
}

static bool same_key(const struct addr_key *a, const struct addr_key *b)
{
	return a->at == b->at && a->owner == b->owner && a->mode == b->mode && a->calls == b->calls;
}

/* Notes in @known, a key of the table, that it was seen as @addr_key, too. */
static void note_seen(struct addr_key *known, const struct addr_key *addr_key)
{
	known->in_chain |= addr_key->in_chain;
	if (lower(addr_key, known)) {
		known->ip = addr_key->ip;
		known->space = addr_key->space;
	}
}

void addr_keys_expect(const struct addr_key_table *t, const struct addr_key *addr_key)
{
	index_expect(&t->by_key, hash_addr_key(addr_key));
}

uint32_t addr_keys_add(struct addr_key_table *t, const struct addr_key *addr_key)
{
	uint64_t h = hash_addr_key(addr_key);
	uint32_t pos;

	index_for(at, &t->by_key, h) {
		if (!same_key(&t->list.v[at], addr_key))
			continue;
		note_seen(&t->list.v[at], addr_key);
		return at;
	}
	pos = (uint32_t)t->list.nr;
	index_add(&t->by_key, h, pos);
	vec_push(&t->list, *addr_key);
	if (addr_key->unmapped)
		t->unmapped = pos + 1;
	return pos;
}

/* True if @addr_key has the same key as the cached one, and no lower address. */
static bool is_recent(const struct recent_addr_key *r, const struct addr_key *addr_key)
{
	return r->number && r->at == addr_key->at && r->owner == addr_key->owner && r->calls == addr_key->calls &&
	       (r->ip < addr_key->ip || (r->ip == addr_key->ip && r->space <= addr_key->space));
}

/* True if the space has maps, but none here. */
static bool is_unmapped(const struct region *r)
{
	return r->dso == DSO_NONE && (r->span.from || r->span.to != UINT64_MAX);
}

static uint32_t unmapped_key(struct addr_key_table *t)
{
	static const struct addr_key unmapped = {
		.owner = SPACE_NONE, .mode = UINT16_MAX, .in_chain = true, .calls = true, .unmapped = true,
		.space = SPACE_NONE,
	};

	return t->unmapped ? t->unmapped - 1 : addr_keys_add(t, &unmapped);
}

/* Sets @key to the key of a frame, and returns its place in the cache. NULL: the frame has the unmapped key. */
static struct recent_addr_key *frame_place(const struct addr_key_table *t, uint32_t space, uint64_t ip, bool calls,
					   struct addr_key *key)
{
	const struct region *region = region_of(t->finder, space, ip);

	if (calls && !t->keeps_unmapped && is_unmapped(region))
		return NULL;
	*key = key_in_region(region, space, ip, 0);
	key->in_chain = true;
	key->calls = calls;
	return &t->recent[hash_addr_key(key) >> (64 - RECENT_BITS)];
}

bool addr_keys_recall(struct addr_key_table *t, uint32_t space, uint64_t ip, bool calls, uint32_t *number)
{
	struct addr_key key;
	const struct recent_addr_key *r = frame_place(t, space, ip, calls, &key);

	if (r && !is_recent(r, &key)) {
		index_expect(&t->by_key, hash_addr_key(&key));
		return false;
	}
	*number = r ? r->number - 1 : unmapped_key(t);
	return true;
}

uint32_t addr_keys_frame(struct addr_key_table *t, uint32_t space, uint64_t ip, bool calls)
{
	struct addr_key key;
	struct recent_addr_key *r = frame_place(t, space, ip, calls, &key);

	if (!r)
		return unmapped_key(t);
	if (!is_recent(r, &key))
		*r = (struct recent_addr_key){ key.at, ip, key.owner, space, addr_keys_add(t, &key) + 1, calls };
	return r->number - 1;
}

/* ---- several tables ---- */

struct uniting {
	struct addr_key_table *out, *const *tables;
	struct united united;
};

static struct addr_key *key_at(const struct uniting *u, struct unite_item item)
{
	return &u->tables[item.table]->list.v[item.place];
}

static uint64_t hash_item(void *ctx, struct unite_item item, const uint64_t *hashes)
{
	return hash_addr_key(key_at(ctx, item));
}

static const void *address_of_item(const void *ctx, struct unite_item item)
{
	return key_at(ctx, item);
}

static bool same_item(const void *ctx, struct unite_item a, struct unite_item b)
{
	return same_key(key_at(ctx, a), key_at(ctx, b));
}

static void add_item(void *ctx, struct unite_item first, struct unite_item item)
{
	note_seen(key_at(ctx, first), key_at(ctx, item));
}

static void copy_keys(void *ctx, unsigned worker, size_t table)
{
	const struct uniting *u = ctx;
	const struct addr_key_table *t = u->tables[table];
	uint32_t next = u->united.from[table];

	for (uint32_t i = 0; i < t->list.nr; i++) {
		struct addr_key *key = &u->out->list.v[next];

		if (united_is_first(&u->united, (struct unite_item){ (uint32_t)table, i }, &next))
			*key = t->list.v[i];
	}
}

struct united addr_key_tables_unite(struct addr_key_table *out, struct addr_key_table *const tables[], size_t nr, unsigned jobs)
{
	static const struct unite_ops ops = {
		.hash = hash_item, .address = address_of_item, .equal = same_item, .add = add_item,
	};
	struct uniting u = { .out = out, .tables = tables };
	size_t *nr_keys = xcalloc(MAX(nr, 1), sizeof(*nr_keys));

	for (size_t t = 0; t < nr; t++)
		nr_keys[t] = tables[t]->list.nr;
	unite(&u.united, jobs, nr, nr_keys, &ops, &u);
	free(nr_keys);
	vec_reserve(&out->list, united_nr(&u.united));
	out->list.nr = united_nr(&u.united);
	pool_run(jobs, nr, copy_keys, &u);
	return u.united;
}
