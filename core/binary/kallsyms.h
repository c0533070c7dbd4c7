/*
 * Reads the symbols of the kernel and its modules from /proc/kallsyms or a copy of it. The symbols have addresses and names, but
 * no sizes.
 */
#ifndef CORE_BINARY_KALLSYMS_H
#define CORE_BINARY_KALLSYMS_H

#include "core/binary/symbol.h"

struct kallsyms_line {
	uint64_t addr;
	const char *name;
	const char *module;	/* "[ext4]"; NULL: the kernel itself */
	char type;		/* the letter that nm prints */
};

struct kallsyms {
	VEC(struct kallsyms_line) lines;
	char *text;		/* owned; .lines point into it */
	bool hidden;		/* kptr_restrict: all addresses are zero */
};

/*
 * Parses the line "ADDRESS TYPE NAME[\t[MODULE]]" at @text, up to a newline or NUL. The text is not changed, so names have no
 * NUL: the symbol's name has *size bytes, and the module's begins with its bracket. Returns false if it is no such line.
 */
bool kallsyms_line_parse(const char *text, struct kallsyms_line *out, size_t *size);
/*
 * True if the kernel hides the addresses from this user (kptr_restrict): all are 0. Reads only the beginning of @path, because the
 * kernel needs 50 us for each 4 KiB. If addresses are shown, at most the first few lines have the address 0 (per-CPU data of x86,
 * up to Linux 6.14). False if @path cannot be read.
 */
bool kallsyms_are_hidden(const char *path);
/* Reads all of @path. Returns 0 or -errno; -ENOENT also if no line is valid. */
int kallsyms_read(struct kallsyms *out, const char *path);
/* Parses @text of @size bytes, and takes it over. It must be malloc'ed, with a NUL at text[size]. Returns as kallsyms_read(). */
int kallsyms_parse(struct kallsyms *out, char *text, size_t size);
/* Adds the symbols of @module ("[ext4]"; NULL: of the kernel) to @out, with @shift added to each address. Returns how many. */
size_t kallsyms_symbols(const struct kallsyms *k, const char *module, uint64_t shift, struct symbols *out);
/* The address of @name. Returns 0 or -ENOENT. */
int kallsyms_value(const struct kallsyms *k, const char *name, uint64_t *value);
void kallsyms_release(struct kallsyms *k);

#endif
