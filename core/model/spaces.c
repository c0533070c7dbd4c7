/*
 * Keeps the maps of each address space as versions: a mapping of another file over an old one begins a new version.
 * machine_state.c calls it for each new map, and resolve.c looks up maps.
 */
#include "core/model/spaces.h"

#include <string.h>

#include "core/model/machine.h"
#include "core/base/rank_set.h"
#include "core/model/jitdump.h"

#define NONE		UINT32_MAX
#define DEPTH_MAX	1000	/* maximum number of bases below an image; real programs have fewer forks of forks */
#define SAME_MAX	8	/* a map that covers more pieces always begins a version */
#define PROT_WRITE_EXEC	6u	/* PROT_WRITE | PROT_EXEC */

/* ---- building ---- */

uint32_t spaces_add_image(struct spaces *s, uint32_t parent, uint32_t owner, uint64_t time)
{
	vec_push(&s->images, (struct image){
		.time = time, .owner = owner, .parent = parent, .born = (uint32_t)s->maps.nr,
		.base = SPACE_NONE, .alone_from = NONE,
	});
	return (uint32_t)s->images.nr - 1;
}

void spaces_lose_base(struct spaces *s, uint32_t image)
{
	s->images.v[image].alone_from = (uint32_t)s->maps.nr;
}

void spaces_add_map(struct spaces *s, uint32_t image, const struct map *map)
{
	vec_push(&s->maps, *map);
	vec_push(&s->map_image, image);
	s->images.v[image].nr_maps++;
}

/* Adds an empty map as a mark, at which sweep_map() begins a version. */
void spaces_cut(struct spaces *s, uint32_t image, uint64_t time)
{
	spaces_add_map(s, image, &(struct map){ .time = time });
}

/* ---- sealing one image ---- */

/*
 * A struct piece (spaces.h), and the versions [from, to) it lives in. A map that later maps partly cover becomes several pieces. A
 * piece is a rectangle of addresses and versions, and no two pieces overlap:
 *
 *	version  |    +-----+----+
 *	   2     |    |  B' | C  |		C came over the right half of B
 *	   1     |    +-----+----+----+
 *	   0     |    |     B    | D  |
 *	         +-----------------------> address
 */
struct span {
	uint64_t start, end;
	uint32_t map, from, to;
	bool joined;		/* anonymous memory that replaced anonymous memory */
};

/*
 * One sweep over the maps of an image, in order of time, finds its spans. A map ends the spans that it covers and leaves at most
 * two remnants, so there are at most a few spans per map.
 */
struct sweep {
	struct spaces *s;
	struct image *image;
	uint32_t version;
	bool joined, renewed;		/* of the current map: .joined for its spans; .renewed: the result of is_new_memory() */
	VEC(uint64_t) edges;		/* the starts and ends of all maps, sorted: rank -> address */
	struct rank_set live;		/* ranks of the starts of spans that are not closed */
	VEC(uint32_t) live_at;		/* rank -> the span, not closed, that starts there */
	VEC(struct span) spans;
	VEC(uint32_t) under;		/* spans that the current map covers */
};

ORDER(compare_u64, uint64_t, compare_numbers(*a, *b))

static uint32_t rank_of(const struct sweep *s, uint64_t edge)
{
	return (uint32_t)bisect(i, 1, s->edges.nr, s->edges.v[i] <= edge) - 1;
}

static bool same_meaning(const struct map *a, const struct map *b)
{
	return a->dso == b->dso && (!a->dso || a->pgoff - a->start == b->pgoff - b->start);
}

/*
 * True if @span, code of a jitdump, stays where @map maps anonymous memory. Such maps, and changes of protection, do not show when
 * code changes: compilers write code before they make it executable, and the kernel merges neighbouring maps. The jitdump does show
 * when code changes. (The map of the dump's file itself is no code.)
 */
static bool is_kept(const struct sweep *s, const struct span *span, const struct map *map)
{
	const struct map *old = &s->s->maps.v[span->map];

	return old->dso && old->dso->kind == DSO_JIT && old->pgoff && map->dso && map->dso->kind == DSO_ANON &&
	       !(s->renewed && old->dso->jitdump && old->dso->jitdump->has_times);
}

/*
 * True if @map replaces memory of the same extent, with its code. The kernel reports no change of memory that is already writable
 * and executable, and a map grows when it is merged with others. A map over merged memory may only be such growth, so its code
 * stays.
 */
static bool is_new_memory(const struct sweep *s, const struct map *map)
{
	vec_for(number, &s->under) {
		const struct span *under = &s->spans.v[*number];
		const struct map *old = &s->s->maps.v[under->map];

		if (!under->joined && old->dso == map->dso && old->start == map->start && old->end == map->end &&
		    (old->prot & map->prot & PROT_WRITE_EXEC) == PROT_WRITE_EXEC)
			return true;
	}
	return false;
}

static bool covers_memory(const struct sweep *s)
{
	vec_for(number, &s->under) {
		const struct dso *dso = s->s->maps.v[s->spans.v[*number].map].dso;

		if (dso && dso->kind == DSO_ANON)
			return true;
	}
	return false;
}

static void add_span(struct sweep *s, uint64_t start, uint64_t end, uint32_t map)
{
	uint32_t rank;

	if (start >= end)
		return;
	rank = rank_of(s, start);
	s->live_at.v[rank] = (uint32_t)s->spans.nr;
	rank_set_add(&s->live, rank);
	vec_push(&s->spans, (struct span){ start, end, map, s->version, NONE, s->joined });
}

/* Adds the rest of a span that a map overlays. */
static void add_rest(struct sweep *s, const struct span *old, uint64_t start, uint64_t end)
{
	bool joined = s->joined;

	s->joined = old->joined;
	add_span(s, start, end, old->map);
	s->joined = joined;
}

static void close_span(struct sweep *s, uint32_t number)
{
	s->spans.v[number].to = s->version;
	rank_set_remove(&s->live, rank_of(s, s->spans.v[number].start));
}

static void find_under(struct sweep *s, const struct map *map)
{
	uint32_t rank = rank_of(s, map->start), at = rank_set_upto(&s->live, rank);

	s->under.nr = 0;
	if (at != NONE && at != rank && s->spans.v[s->live_at.v[at]].end > map->start)
		vec_push(&s->under, s->live_at.v[at]);
	for (at = rank_set_from(&s->live, rank); at != NONE; at = rank_set_from(&s->live, at + 1)) {
		if (s->edges.v[at] >= map->end)
			break;
		vec_push(&s->under, s->live_at.v[at]);
	}
}

/* The pieces of one tree node: sorted, not overlapping. */
struct slice { const uint32_t *v; uint32_t nr; };

static struct slice slice_of(const struct spaces *s, const struct image *image, uint32_t node)
{
	uint32_t from = s->offsets.v[image->tree + node], to = s->offsets.v[image->tree + node + 1];

	return (struct slice){ from < to ? s->order.v + from : NULL, to - from };
}

/* The first piece that ends above @addr; slice.nr: none does. */
static uint32_t slice_find(const struct spaces *s, const struct slice *slice, uint64_t addr)
{
	return bisect(i, 0, slice->nr, s->pieces.v[slice->v[i]].end <= addr);
}

/* True if a map in [start, end) of @slice, older than @limit, has another meaning than @map. */
static bool slice_differs(const struct spaces *s, const struct slice *slice, uint64_t start, uint64_t end,
			  uint32_t limit, const struct map *map)
{
	for (uint32_t i = slice_find(s, slice, start); i < slice->nr; i++) {
		const struct piece *p = &s->pieces.v[slice->v[i]];

		if (p->start >= end)
			return false;
		if (p->map < limit && !same_meaning(&s->maps.v[p->map], map))
			return true;
	}
	return false;
}

static uint32_t leaf_of(const struct image *image, uint32_t space)
{
	return image->width + space - image->first_space;
}

/* The space in which addresses without a map are looked up, for the space of @image that began with map @began. */
static uint32_t base_of(const struct image *image, uint32_t began)
{
	return began < image->alone_from ? image->base : SPACE_NONE;
}

/* True if @map hides another map of the images below. One that their own maps hide counts, too: a superfluous space at most. */
static bool base_differs(const struct spaces *s, const struct image *image, uint64_t start, uint64_t end,
			 const struct map *map)
{
	uint32_t began = s->began.v[s->began.nr - 1], space;

	while ((space = base_of(image, began)) != SPACE_NONE) {
		uint32_t limit = image->base_limit;

		image = &s->images.v[s->image_of.v[space]];
		began = s->began.v[space];
		for (uint32_t node = leaf_of(image, space); node; node /= 2) {
			struct slice slice = slice_of(s, image, node);

			if (slice_differs(s, &slice, start, end, limit, map))
				return true;
		}
	}
	return false;
}

/* True if @map changes the meaning of an address that had one. */
static bool overlays(const struct sweep *s, const struct map *map)
{
	uint64_t at = map->start;

	if (s->under.nr > SAME_MAX)
		return true;
	vec_for(number, &s->under)
		if (!same_meaning(&s->s->maps.v[s->spans.v[*number].map], map) && !is_kept(s, &s->spans.v[*number], map))
			return true;
	vec_for(number, &s->under) {
		const struct span *under = &s->spans.v[*number];

		if (under->start > at && base_differs(s->s, s->image, at, under->start, map))
			return true;
		at = under->end;
	}
	return at < map->end && base_differs(s->s, s->image, at, map->end, map);
}

static void begin_version(struct sweep *s, uint32_t map)
{
	s->version++;
	vec_push(&s->s->image_of, (uint32_t)(s->image - s->s->images.v));
	vec_push(&s->s->from, s->s->maps.v[map].time);
	vec_push(&s->s->began, map);
}

static void cover(struct sweep *s, uint32_t number)
{
	const struct map *map = &s->s->maps.v[number];
	uint64_t at = map->start;

	vec_for(under, &s->under) {
		struct span old = s->spans.v[*under];

		if (is_kept(s, &old, map)) {
			add_span(s, at, old.start, number);
			at = old.end;
			continue;
		}
		close_span(s, *under);
		add_rest(s, &old, old.start, map->start);
		add_rest(s, &old, map->end, old.end);
	}
	add_span(s, at, map->end, number);
}

/* Adds the map to the current space: only unmapped addresses become @number's. */
static void fill(struct sweep *s, uint32_t number)
{
	const struct map *map = &s->s->maps.v[number];
	uint64_t at = map->start;

	vec_for(under, &s->under) {
		struct span old = s->spans.v[*under];

		add_span(s, at, old.start, number);
		at = old.end;
	}
	add_span(s, at, map->end, number);
}

static void sweep_map(struct sweep *s, uint32_t number)
{
	const struct map *map = &s->s->maps.v[number];

	if (map->start == map->end) {
		begin_version(s, number);
		return;
	}
	find_under(s, map);
	s->joined = s->renewed = false;
	if (map->dso && map->dso->kind == DSO_ANON) {
		s->joined = covers_memory(s);
		s->renewed = is_new_memory(s, map);
	}
	if ((number == s->image->alone_from && s->image->base != SPACE_NONE) || overlays(s, map)) {
		begin_version(s, number);
		cover(s, number);
	} else {
		fill(s, number);
	}
}

static void collect_edges(struct sweep *s, const uint32_t *maps, uint32_t nr)
{
	size_t kept = 0;

	s->edges.nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		vec_push(&s->edges, s->s->maps.v[maps[i]].start);
		vec_push(&s->edges, s->s->maps.v[maps[i]].end);
	}
	vec_sort(&s->edges, compare_u64);
	for (size_t i = 0; i < s->edges.nr; i++)
		if (!kept || s->edges.v[kept - 1] != s->edges.v[i])
			s->edges.v[kept++] = s->edges.v[i];
	s->edges.nr = kept;
	s->live_at.nr = 0;
	vec_reserve(&s->live_at, kept);
	s->live_at.nr = kept;
	rank_set_reset(&s->live, kept);
}

ORDER(compare_span, struct span, compare_numbers(a->start, b->start) ?: compare_numbers(a->from, b->from))

/* Call fn(node) for the nodes of a tree of @width leaves that make up the versions [from, to). */
#define for_nodes(node, width, from, to, ...) do {					\
	uint32_t low_ = (from) + (width), high_ = (to) + (width), node;		\
											\
	for (; low_ < high_; low_ /= 2, high_ /= 2) {					\
		if (low_ & 1) {								\
			node = low_++;							\
			__VA_ARGS__;							\
		}									\
		if (high_ & 1) {							\
			node = --high_;							\
			__VA_ARGS__;							\
		}									\
	}										\
} while (0)

/*
 * Stores the spans as pieces, and each piece in the nodes of the versions it lives in. The nodes are those of a segment tree over
 * the versions, so a piece is in at most 2 log(versions) nodes. The pieces in one node do not overlap, so each node is a sorted
 * array. Nearly every image has one version, and thus one node with its sorted maps.
 */
static void plant(struct sweep *sweep)
{
	struct spaces *s = sweep->s;
	struct image *image = sweep->image;
	uint32_t nr_versions = sweep->version + 1, nr_nodes, *fill_at;

	image->width = (uint32_t)round_up_power_of_two(nr_versions);
	image->tree = (uint32_t)s->offsets.nr;
	nr_nodes = 2 * image->width;
	vec_reserve(&s->offsets, nr_nodes + 1);
	memset(s->offsets.v + image->tree, 0, (nr_nodes + 1) * sizeof(*s->offsets.v));
	s->offsets.nr += nr_nodes + 1;
	vec_sort(&sweep->spans, compare_span);
	vec_for(span, &sweep->spans) {
		span->to = MIN(span->to, nr_versions);
		/* The count of a node is stored one place after it. */
		for_nodes(node, image->width, span->from, span->to, s->offsets.v[image->tree + node + 1]++);
	}
	s->offsets.v[image->tree] = (uint32_t)s->order.nr;
	for (uint32_t i = 0; i < nr_nodes; i++)
		s->offsets.v[image->tree + i + 1] += s->offsets.v[image->tree + i];
	fill_at = xmalloc(nr_nodes * sizeof(*fill_at));
	memcpy(fill_at, s->offsets.v + image->tree, nr_nodes * sizeof(*fill_at));
	s->order.nr = s->offsets.v[image->tree + nr_nodes];
	vec_reserve(&s->order, 0);
	vec_for(span, &sweep->spans) {
		uint32_t number = (uint32_t)s->pieces.nr;

		vec_push(&s->pieces, (struct piece){ span->start, span->end, span->map });
		for_nodes(node, image->width, span->from, span->to, s->order.v[fill_at[node]++] = number);
	}
	free(fill_at);
}

/* The last space of @image that began before map @born; SPACE_NONE for an image without spaces and base. */
static uint32_t space_at(const struct spaces *s, const struct image *image, uint32_t born)
{
	uint32_t first = image->first_space;

	return image->nr_spaces ? bisect(i, first + 1, first + image->nr_spaces, s->began.v[i] < born) - 1 : image->base;
}

/* True if @parent got more maps in @space after @born, which its child must not see, so the child cannot share the space. */
static bool grew_later(const struct spaces *s, const uint32_t *maps, const struct image *parent, uint32_t space,
		       uint32_t born)
{
	uint32_t next = space + 1, end = next < parent->first_space + parent->nr_spaces ? s->began.v[next] : NONE;
	uint32_t after = parent->first_map + parent->nr_maps, later = bisect(i, parent->first_map, after, maps[i] < born);

	return later < after && maps[later] < end;
}

static void find_base(struct spaces *s, struct image *image, const uint32_t *maps)
{
	const struct image *parent;
	uint32_t base, depth;

	if (image->parent == IMAGE_NONE)
		return;
	parent = &s->images.v[image->parent];
	base = space_at(s, parent, image->born);
	depth = base == SPACE_NONE ? 0 : s->images.v[s->image_of.v[base]].depth + 1;
	if (base == SPACE_NONE || depth > DEPTH_MAX)
		return;
	image->base = base;
	image->base_limit = parent->nr_spaces ? image->born : parent->base_limit;
	image->depth = depth;
	image->apart = parent->nr_spaces && grew_later(s, maps, parent, image->base, image->born);
}

static void seal_image(struct sweep *sweep, struct image *image, const uint32_t *maps)
{
	struct spaces *s = sweep->s;

	find_base(s, image, maps);
	image->first_space = (uint32_t)s->from.nr;
	if (!image->nr_maps && !image->apart && image != s->images.v)
		return;
	sweep->image = image;
	sweep->version = 0;
	sweep->spans.nr = 0;
	vec_push(&s->image_of, (uint32_t)(image - s->images.v));
	vec_push(&s->from, image->time);
	vec_push(&s->began, image->born);
	if (image->nr_maps)
		collect_edges(sweep, maps + image->first_map, image->nr_maps);
	for (uint32_t i = 0; i < image->nr_maps; i++)
		sweep_map(sweep, maps[image->first_map + i]);
	image->nr_spaces = sweep->version + 1;
	plant(sweep);
}

/* The numbers of all maps, ordered by image, and then by time. Owned by the caller. */
static uint32_t *by_image(struct spaces *s)
{
	uint32_t *maps = xmalloc((s->maps.nr + 1) * sizeof(*maps));
	uint32_t *at = xmalloc((s->images.nr + 1) * sizeof(*at)), sum = 0;

	for (size_t i = 0; i < s->images.nr; i++) {
		at[i] = s->images.v[i].first_map = sum;
		sum += s->images.v[i].nr_maps;
	}
	for (uint32_t i = 0; i < s->maps.nr; i++)
		maps[at[s->map_image.v[i]]++] = i;
	free(at);
	return maps;
}

/* Resets all images to the state before sealing. */
static void unseal(struct spaces *s)
{
	vec_for(image, &s->images) {
		image->nr_spaces = 0;
		image->base = SPACE_NONE;
		image->depth = 0;
		image->apart = false;
	}
	s->image_of.nr = s->from.nr = s->began.nr = 0;
	s->pieces.nr = s->order.nr = s->offsets.nr = 0;
}

void spaces_seal(struct spaces *s)
{
	uint32_t *maps = by_image(s);
	struct sweep w = { .s = s };

	unseal(s);
	/* An image is older than its children, so that their base is sealed when they are. */
	vec_for(image, &s->images)
		seal_image(&w, image, maps);
	free(maps);
	vec_free(&w.edges);
	vec_free(&w.live_at);
	vec_free(&w.spans);
	vec_free(&w.under);
	rank_set_release(&w.live);
}

void spaces_release(struct spaces *s)
{
	vec_free(&s->images);
	vec_free(&s->maps);
	vec_free(&s->map_image);
	vec_free(&s->image_of);
	vec_free(&s->from);
	vec_free(&s->began);
	vec_free(&s->pieces);
	vec_free(&s->order);
	vec_free(&s->offsets);
}

/* ---- searching ---- */

/*
 * The piece of @image that holds @ip, older than @limit, and in *span the addresses around @ip for which the answer of
 * this image is the same: inside the piece, or up to the next ones.
 */
static const struct map *find_own(const struct spaces *s, const struct image *image, uint32_t space, uint64_t ip,
				  uint32_t limit, struct ip_span *span)
{
	for (uint32_t node = leaf_of(image, space); node; node /= 2) {
		struct slice slice = slice_of(s, image, node);
		uint32_t i = slice_find(s, &slice, ip);
		const struct piece *p;

		if (i)
			span->from = MAX(span->from, s->pieces.v[slice.v[i - 1]].end);
		if (i == slice.nr)
			continue;
		p = &s->pieces.v[slice.v[i]];
		if (p->start > ip) {
			span->to = MIN(span->to, p->start);
			continue;
		}
		span->from = MAX(span->from, p->start);
		span->to = MIN(span->to, p->end);
		if (p->map < limit)
			return &s->maps.v[p->map];
	}
	return NULL;
}

const struct map *spaces_find(const struct spaces *s, uint32_t space, uint64_t ip, struct ip_span *span)
{
	uint32_t limit = NONE;

	*span = (struct ip_span){ 0, UINT64_MAX };
	while (space < s->image_of.nr) {
		const struct image *image = &s->images.v[s->image_of.v[space]];
		const struct map *map = find_own(s, image, space, ip, limit, span);

		if (map)
			return map->dso ? map : NULL;
		limit = image->base_limit;
		space = base_of(image, s->began.v[space]);
	}
	return NULL;
}
