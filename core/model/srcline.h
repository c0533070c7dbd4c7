/*
 * Finds the source line of an address, and the functions inlined there, in DWARF or in a jitdump, for `prec report`, annotate
 * and script. core/binary/symbol.h finds only the function.
 */
#ifndef CORE_MODEL_SRCLINE_H
#define CORE_MODEL_SRCLINE_H

#include "core/model/frames.h"
#include "core/model/machine.h"

/*
 * The functions at a location; valid as long as the machine. Results are cached by address. Loads debug information on first use,
 * and indexes a compilation unit when the first address in it is looked up. All lookups hold the dso's lock, because libdw must not
 * be used by several threads at the same time (elfutils 0.188).
 */
struct frames addr_location_frames(const struct addr_location *p);
/* The same for an address as in addr_location.addr. */
struct frames dso_frames(struct dso *dso, uint64_t addr);

/* ---- all lines and functions of a dso ---- */

struct line_row {		/* code of one line, from .addr to .end; borrowed until the call returns, except .file */
	uint64_t addr, end;	/* as addr_location.addr */
	const char *file;	/* path from the root; valid as long as the dso */
	uint32_t line;		/* never 0 */
	bool statement;		/* a statement begins at .addr, as the compiler recommends for breakpoints */
};

struct source_function {	/* a function with code of its own, not only inlined code */
	uint64_t addr, end;	/* .addr: the entry; .end: the end of the code that begins at the entry */
	const char *file;	/* as in struct line_row */
	const char *name;	/* as the linker has it; valid as long as the dso */
	uint32_t line;		/* the line at which the function is declared */
	bool returns;		/* the function returns a value */
};

/* Calls, unit by unit, @function for each function, then @row for each row of the line table, in order of address. */
void dso_source(struct dso *dso, void (*row)(void *ctx, const struct line_row *row),
		void (*function)(void *ctx, const struct source_function *function), void *ctx);

/* Calls @fn for each address of @dso that was looked up, in order of address, with its functions. Call it after all lookups. */
void srcline_each(const struct dso *dso, void (*fn)(void *ctx, uint64_t addr, const struct frames *frames), void *ctx);

/* Frees the index of a dso. */
void srcline_release(struct dso *dso);

#endif
