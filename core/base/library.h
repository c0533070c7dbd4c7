/*
 * Loads a shared library when prec first needs it, such as the disassembler libcapstone (core/binary/disasm.c), so that prec starts
 * faster.
 */
#ifndef CORE_BASE_LIBRARY_H
#define CORE_BASE_LIBRARY_H

#include <stddef.h>

/*
 * Loads @soname for good, and puts the addresses of its functions @names into @out. Returns 0, or -1 with the reason in a message
 * of -v. Linked with libraries of a hundred thousand relocations, prec would always start more slowly.
 */
int library_load(const char *soname, const char *const *names, size_t nr, void **out);

#endif
