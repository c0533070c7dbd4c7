/*
 * Holds the symbols of a dso (a mapped file, core/model/dso.h) in an array sorted by address. core/model/load.c fills it from elf.h
 * or kallsyms.h, and core/model/resolve.c searches it.
 */
#ifndef CORE_BINARY_SYMBOL_H
#define CORE_BINARY_SYMBOL_H

#include "core/base/vec.h"

enum symbol_binding { SYMBOL_LOCAL, SYMBOL_WEAK, SYMBOL_GLOBAL };

/* The state of a symbol's name: as in the file; demangled; demangled, and looked up since machine_track_lookups(). */
enum symbol_named { SYMBOL_AS_READ, SYMBOL_NAMED, SYMBOL_NOTED };

struct symbol {
	uint64_t start, end;		/* ELF addresses as objdump prints them; half-open; end > start after symbols_finish() */
	const char *name;		/* demangled once machine_resolve() has returned it; owned by the struct symbols */
	uint32_t outer;			/* index + 1 of the symbol to try if this one ends before the address; 0: none */
	uint8_t binding;		/* enum symbol_binding */
	bool function;			/* else data */
	bool label : 1;			/* neither function nor data in ELF: an assembler's label */
	bool guessed : 1;		/* .end is the start of the next symbol, because the size is unknown */
	bool bounded : 1;		/* the size is unknown, but .end is at most the one given to symbols_add() */
	bool made : 1;			/* .name is made from the start of the function, "prog@0x2eb0" */
	bool thumb : 1;			/* T32 code of 32-bit Arm */
	uint8_t named;			/* enum symbol_named; written under the dso's lock, and only raised */
};

/*
 * symbols_add() fills the array, symbols_finish() sorts it, and from then on it is read-only. Only names still change:
 * machine_resolve() demangles a name when it is first requested, under the dso's lock.
 */
struct symbols {
	VEC(struct symbol) list;	/* after symbols_finish() sorted by start, with one symbol for each start */
	VEC(char *) text;		/* owned; the names are in these texts */
	size_t nr_finished;		/* number of symbols in .list that are finished */
};

/* Reserves room for @nr more symbols. */
void symbols_reserve(struct symbols *s, size_t nr);
/* Copies @n bytes of text, into which names may point, and adds a NUL. Returns the copy, owned by @s. */
char *symbols_keep(struct symbols *s, const char *text, size_t n);
/* Adds a symbol, in any order. Its name must be in text of symbols_keep(). @end == @start: the end is unknown. */
void symbols_add(struct symbols *s, const struct symbol *sym);

/*
 * Sorts the symbols. If several have the same start, keeps the one that perf prefers. A symbol without an end gets the start of the
 * next symbol as its end; the last one gets the end of the page after its own. .bounded limits this. May be repeated after more
 * symbols were added.
 */
void symbols_finish(struct symbols *s);

/* Returns the symbol that covers @addr; NULL: there is none. If several symbols cover it, returns the one that starts last. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
void symbols_release(struct symbols *s);

#endif
