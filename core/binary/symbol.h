/*
 * The symbols of a dso: an array sorted by address, in the dso's own terms (as objdump prints it). symbols_add() fills it,
 * symbols_finish() sorts it, and from then on it is read-only. Only names still change: machine_resolve() demangles each when it
 * is first asked for, under the dso's lock.
 * Layer: binary
 */
#ifndef CORE_BINARY_SYMBOL_H
#define CORE_BINARY_SYMBOL_H

#include "core/base/vec.h"

enum symbol_binding { SYMBOL_LOCAL, SYMBOL_WEAK, SYMBOL_GLOBAL };

/* The state of @name: final or not; and looked up since machine_track_lookups() or not. */
enum symbol_named { SYMBOL_AS_READ, SYMBOL_NAMED, SYMBOL_NOTED };

struct symbol {
	uint64_t start, end;		/* half-open; end > start after symbols_finish() */
	const char *name;		/* demangled once machine_resolve() has returned it; owned by the struct symbols */
	uint32_t outer;			/* place + 1 of the symbol to ask if this one ends too early; 0: none */
	uint8_t binding;		/* enum symbol_binding */
	bool function;			/* else data */
	bool label : 1;			/* ELF says neither: an assembler's label */
	bool guessed : 1;		/* @end is where the next one starts */
	bool bounded : 1;		/* the same, but no further than @end says when it is added */
	bool made : 1;			/* @name is no name but where the function begins: "prog@0x2eb0" */
	bool thumb : 1;			/* of 32-bit Arm: T32 code */
	uint8_t named;			/* enum symbol_named; written under the dso's lock, and only raised */
};

struct symbols {
	VEC(struct symbol) list;	/* by start, no start twice */
	VEC(char *) text;		/* where the names live; owned */
	size_t nr_finished;		/* of .list when symbols_finish() was last done: if as many, there is nothing to do */
};

/* Make room for @nr more, known at once. */
void symbols_reserve(struct symbols *s, size_t nr);
/* Keep @n bytes of text, of which names will point; returns the copy, owned by @s. A NUL is put after it. */
char *symbols_keep(struct symbols *s, const char *text, size_t n);
/* Add one, in any order; its name lives in text kept before. @end == @start: not known. */
void symbols_add(struct symbols *s, const struct symbol *sym);

/*
 * Sort; of those with the same start keep the one perf prefers; those without an end reach up to the next, the last
 * of them to the end of the page after its own, unless they are bounded. May be done again when more were added.
 */
void symbols_finish(struct symbols *s);

/* The symbol that covers @addr - of several the one that starts last - or NULL. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
void symbols_release(struct symbols *s);

#endif
