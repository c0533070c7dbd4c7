/*
 * Holds the symbols of a dso (core/model/dso.h) in an array sorted by address. The addresses are ELF addresses as objdump prints
 * them. symbols_add() fills the array, symbols_finish() sorts it, and from then on it is read-only. Only names still change:
 * machine_resolve() demangles a name when it is first requested, under the dso's lock.
 * Layer: binary
 */
#ifndef CORE_BINARY_SYMBOL_H
#define CORE_BINARY_SYMBOL_H

#include "core/base/vec.h"

enum symbol_binding { SYMBOL_LOCAL, SYMBOL_WEAK, SYMBOL_GLOBAL };

/* The state of a symbol's name: as read; final; final, and looked up since machine_track_lookups(). */
enum symbol_named { SYMBOL_AS_READ, SYMBOL_NAMED, SYMBOL_NOTED };

struct symbol {
	uint64_t start, end;		/* half-open; end > start after symbols_finish() */
	const char *name;		/* demangled once machine_resolve() has returned it; owned by the struct symbols */
	uint32_t outer;			/* index + 1 of the symbol to try if this one ends before the address; 0: none */
	uint8_t binding;		/* enum symbol_binding */
	bool function;			/* else data */
	bool label : 1;			/* neither function nor data in ELF: an assembler's label */
	bool guessed : 1;		/* @end is where the next one starts */
	bool bounded : 1;		/* the same, but never beyond the @end it was added with */
	bool made : 1;			/* @name is made from the start of the function, "prog@0x2eb0" */
	bool thumb : 1;			/* of 32-bit Arm: T32 code */
	uint8_t named;			/* enum symbol_named; written under the dso's lock, and only raised */
};

struct symbols {
	VEC(struct symbol) list;	/* by start, no start twice */
	VEC(char *) text;		/* where the names live; owned */
	size_t nr_finished;		/* size of .list at the last symbols_finish(), which does nothing if it is the same */
};

/* Reserves room for @nr more symbols. */
void symbols_reserve(struct symbols *s, size_t nr);
/* Copies @n bytes of text, into which names may point, and adds a NUL. Returns the copy, owned by @s. */
char *symbols_keep(struct symbols *s, const char *text, size_t n);
/* Adds a symbol, in any order. Its name must be in text of symbols_keep(). @end == @start: the end is unknown. */
void symbols_add(struct symbols *s, const struct symbol *sym);

/*
 * Sorts the symbols. If several have the same start, keeps the one that perf prefers. Symbols without an end reach up to the next
 * one, and the last to the end of the page after its own, unless they are .bounded. May be repeated after more were added.
 */
void symbols_finish(struct symbols *s);

/* The symbol that covers @addr, or NULL. If several do, the one that starts last. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
void symbols_release(struct symbols *s);

#endif
