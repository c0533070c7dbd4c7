/*
 * What an unwinder asks of the process whose stack it is: what is mapped where, the bytes there, and the unwind tables. One that
 * reads a recording asks the machine (tables.h); one that unwinds while it is recorded asks for the maps as they are now.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_WORLD_H
#define CORE_UNWIND_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/model/map.h"
#include "core/unwind/file_tables.h"

struct arch;

struct unwind_world {
	/* Of the machine; NULL: unknown, nothing can be unwound. Borrowed, static. */
	const struct arch *(*arch)(const struct unwind_world *w);
	/* The map at @ip of @space, borrowed, and the addresses with the same answer; NULL: nothing is mapped there. */
	const struct map *(*map)(const struct unwind_world *w, uint32_t space, uint64_t ip, struct ip_span *span);
	/* Up to @n bytes of the file that is mapped at @ip; returns how many. */
	size_t (*code)(const struct unwind_world *w, uint32_t space, uint64_t ip, void *out, size_t n);
	/* Of what is mapped there: borrowed, read-only, until the world ends; NULL: it is no file. */
	const struct file_tables *(*tables)(const struct unwind_world *w, const struct map *map);
	/* May both addresses be in one function, as far as symbols tell? */
	bool (*same_function)(const struct unwind_world *w, uint32_t space, uint64_t a, uint64_t b);
};

#endif
