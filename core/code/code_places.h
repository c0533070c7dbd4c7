/*
 * Finds the functions at addresses, for prec query and for function calls in a hardware trace. For such calls, it also counts the
 * instructions between two branches. Each address, and each range between branches, is looked up only once.
 */
#ifndef CORE_CODE_CODE_PLACES_H
#define CORE_CODE_CODE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct code_places;
struct dso;
struct machine;
struct symbol;

struct code_function {
	const char *name;		/* borrowed; NULL: unknown. All addresses of a file that have no symbol count as one
					 * function */
	const struct dso *dso;		/* NULL: nothing is mapped there */
	const struct symbol *symbol;	/* NULL: no symbol is known, or it is no code */
};

struct code_place {
	uint64_t ip;			/* the address, in .space */
	uint32_t space;
	uint32_t function;		/* number for code_function() */
	uint64_t start, end;		/* addresses in .space at which the function begins and ends; 0: not known */
};

/* @machine is borrowed. Owned by the caller: code_places_free(). For one thread. */
struct code_places *code_places_new(const struct machine *machine);
void code_places_free(struct code_places *c);

/* The place of @ip; borrowed until the next call. */
const struct code_place *code_place_at(struct code_places *c, uint32_t space, uint64_t ip);
/* Adds a function without code, such as "[syscall]"; @name is borrowed. */
uint32_t code_function_add(struct code_places *c, const char *name);

/* Returns function number @n, from 0. Borrowed until the next function is found. */
const struct code_function *code_function(const struct code_places *c, uint32_t n);
/* Appends the name of function @n; "[libc.so.6]" if only the file is known, "[unknown]" if not even that. */
void code_function_put(const struct code_places *c, uint32_t n, struct buf *out);

/* The instructions from @from up to @to, which counts only if @inclusive. 0: unknown code, or decoding does not arrive at @to. */
uint64_t code_insns(struct code_places *c, uint32_t space, uint64_t from, uint64_t to, bool inclusive);

#endif
