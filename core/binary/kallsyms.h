/*
 * Reads /proc/kallsyms, or a copy of it: addresses and names of the kernel and its modules, without sizes.
 * Layer: binary
 */
#ifndef CORE_BINARY_KALLSYMS_H
#define CORE_BINARY_KALLSYMS_H

#include "core/binary/symbol.h"

struct kallsyms_line {
	uint64_t addr;
	const char *name;
	const char *module;	/* "[ext4]"; NULL: the kernel itself */
	char type;		/* as nm has it */
};

struct kallsyms {
	VEC(struct kallsyms_line) lines;
	char *text;		/* owned: the names point into it */
	bool hidden;		/* kptr_restrict: all addresses are zero */
};

/*
 * Parse the line "ADDRESS TYPE NAME[\t[MODULE]]" at @text, which a newline or NUL ends. The text is not changed: the name is
 * *size bytes long, and a module's begins with its bracket. Returns false if it is no such line.
 */
bool kallsyms_line_parse(const char *text, struct kallsyms_line *out, size_t *size);
/* Read all of @path. Returns 0, -errno, or -ENOENT if no line makes sense. */
int kallsyms_read(struct kallsyms *out, const char *path);
/* The same from text in memory, which it takes over (malloc'ed, with a NUL at [@size]). */
int kallsyms_parse(struct kallsyms *out, char *text, size_t size);
/* Add the symbols of @module ("[ext4]"; NULL: of the kernel), @shift added to each address. Returns how many. */
size_t kallsyms_symbols(const struct kallsyms *k, const char *module, uint64_t shift, struct symbols *out);
/* The address of @name. Returns 0 or -ENOENT. */
int kallsyms_value(const struct kallsyms *k, const char *name, uint64_t *value);
void kallsyms_release(struct kallsyms *k);

#endif
