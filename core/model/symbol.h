/*
 * Symbols of a dso: a sorted array, by address in the dso's own terms (what objdump prints).
 * Layer: model
 */
#ifndef CORE_MODEL_SYMBOL_H
#define CORE_MODEL_SYMBOL_H

#include "core/base/vec.h"

enum symbol_binding { SYMBOL_LOCAL, SYMBOL_WEAK, SYMBOL_GLOBAL };

struct symbol {
	uint64_t start, end;		/* half-open; end > start */
	const char *name;		/* demangled; owned by the struct symbols */
	uint8_t binding;		/* enum symbol_binding */
	bool function;			/* else data */
};

struct symbols {
	VEC(struct symbol) list;	/* by start; no two overlap after symbols_finish() */
	VEC(char *) text;		/* where the names live */
};

/* The symbol that covers @addr, or NULL. */
const struct symbol *symbols_find(const struct symbols *s, uint64_t addr);
void symbols_release(struct symbols *s);

#endif
