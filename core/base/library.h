/*
 * Loads a shared library when prec first needs it, such as the disassembler libcapstone (core/binary/disasm.c), so that prec starts
 * faster.
 * Layer: base
 */
#ifndef CORE_BASE_LIBRARY_H
#define CORE_BASE_LIBRARY_H

#include <stddef.h>

/*
 * Loads the library @soname, which stays loaded, and puts the addresses of its functions @names into @out. Returns 0, or -1 with
 * the reason in a message of -v. Linked with libraries of a hundred thousand relocations, prec would always start more slowly.
 *
 *	union { struct { __typeof__(&cs_open) open; __typeof__(&cs_close) close; }; void *v[2]; } lib;
 *
 *	if (library_load("libcapstone.so.4", (const char *[]){ "cs_open", "cs_close" }, ARRAY_SIZE(lib.v), lib.v))
 *		return -1;
 */
int library_load(const char *soname, const char *const *names, size_t nr, void **out);

#endif
