/*
 * Names as the programmer wrote them. Only names that are recognizably mangled are touched: a C function `f`
 * stays `f`, though as a C++ type that letter would mean float.
 * Layer: format
 */
#ifndef CORE_FORMAT_DEMANGLE_H
#define CORE_FORMAT_DEMANGLE_H

#include <stdbool.h>

/* Does @name look mangled: C++ (Itanium ABI), Rust, D, or an Ada main program? Cheap. */
bool demangle_wanted(const char *name);
/* The demangled @name, owned by the caller (free()); NULL: it is not mangled, or nothing here can demangle it. */
char *demangle(const char *name);

#endif
