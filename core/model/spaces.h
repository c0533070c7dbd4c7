/*
 * Keeps the address spaces of all processes over time, and finds the map that an address belonged to at a given time. side_band.c
 * adds the maps, from mmap, fork and exec records.
 */
#ifndef CORE_MODEL_SPACES_H
#define CORE_MODEL_SPACES_H

#include "core/base/vec.h"
#include "core/model/map.h"

#define IMAGE_NONE	UINT32_MAX

/*
 * The memory of a process from a fork or exec on. Maps are added to an image in order of time. spaces_seal() then divides each
 * image into *spaces*, which are versions in which no address changes its meaning, and numbers them. A map begins a new version if
 * it covers a map of another dso, or of another offset in the same dso. A map of free addresses becomes a part of the current
 * version.
 *
 * The image of a forked child has a base, which is its parent's space at the fork. Addresses at which the child has no map are
 * looked up in the base. An image that begins with an exec has the old program's space as its base until the new program runs.
 * Until then the process is still in the old program's exec system call.
 */
struct image {
	/* While building. */
	uint64_t time;			/* the time at which the image begins, ns */
	uint32_t owner;			/* chosen by the caller: the number of the process */
	uint32_t parent;		/* IMAGE_NONE: the image began empty */
	uint32_t born;			/* number of maps, of all images, when it began; later maps of its parent are not seen */
	uint32_t alone_from;		/* from this map on, the image has no base; UINT32_MAX: it never loses its base */
	uint32_t nr_maps;
	/* Sealed. */
	uint32_t first_map;		/* index of its first map in the list of all maps ordered by image */
	bool apart;			/* it needs a space even without maps, as its parent got maps after the fork */
	uint32_t first_space, nr_spaces;	/* nr_spaces 0: it has no maps of its own and is equal to its base, if any */
	uint32_t base;			/* space in which an address is looked up if no map of the image has it; SPACE_NONE: none */
	uint32_t base_limit;		/* maps of the base from this number on are not used */
	uint32_t depth;			/* number of bases below */
	uint32_t tree;			/* index in spaces.offsets of the first node of its tree */
	uint32_t width;			/* leaves of the tree: a power of two, at least nr_spaces */
};

struct piece { uint64_t start, end; uint32_t map; };

struct spaces {
	VEC(struct image) images;
	VEC(struct map) maps;
	VEC(uint32_t) map_image;	/* the image of each map */
	/* Sealed. */
	VEC(uint32_t) image_of;		/* by space: its image */
	VEC(uint64_t) from;		/* by space: the time at which it begins, ns */
	VEC(uint32_t) began;		/* by space: the map that began it (for the first of an image: .born of the image) */
	VEC(struct piece) pieces;
	VEC(uint32_t) order;		/* numbers of pieces, ordered by tree node, then by start */
	VEC(uint32_t) offsets;		/* by tree node: the index in .order of its first piece */
};

/* A new image; @parent IMAGE_NONE: empty. Images begin in order of time. Returns its number. */
uint32_t spaces_add_image(struct spaces *s, uint32_t parent, uint32_t owner, uint64_t time);
/* From its next map on, the image consists only of its own maps. */
void spaces_lose_base(struct spaces *s, uint32_t image);
/* Adds @map to an image; with map->dso NULL, unmaps its addresses. map->start must be below map->end. */
void spaces_add_map(struct spaces *s, uint32_t image, const struct map *map);
/* Begins a new space at @time: the maps stay, but every address may mean something else. */
void spaces_cut(struct spaces *s, uint32_t image, uint64_t time);
/* Divides all images into spaces and numbers them. May be repeated after maps were added. Space 0 is the first of image 0. */
void spaces_seal(struct spaces *s);
void spaces_release(struct spaces *s);

/* The map that holds @ip in @space, or NULL. Sets *span to the addresses around @ip with this answer. @space may be SPACE_NONE. */
const struct map *spaces_find(const struct spaces *s, uint32_t space, uint64_t ip, struct ip_span *span);

#endif
