/*
 * Demangles symbol names of C++, Rust, D, OCaml and Ada. Only names that are clearly mangled are changed. For example, the C
 * function `f` stays `f`, although "f" is also the mangled name of the C++ type float.
 */
#ifndef CORE_BINARY_DEMANGLE_H
#define CORE_BINARY_DEMANGLE_H

#include <stdbool.h>

/* True if @name looks mangled: C++ (Itanium ABI), Rust, D, OCaml, or an Ada main program. Cheap. */
bool demangle_wanted(const char *name);
/* The demangled @name, owned by the caller (free()); NULL: it is not mangled, or nothing here can demangle it. */
char *demangle(const char *name);

/* ---- demangle_ocaml.c, which needs no library ---- */

bool demangle_is_ocaml(const char *name);
/* Demangles an OCaml name as perf does: Stdlib.List.map_1127. Owned by the caller. */
char *demangle_ocaml(const char *name);

/* ---- demangle_rust.c ---- */

/* True if @name may be a name of Rust's legacy scheme with escaped characters. */
bool demangle_is_old_rust(const char *name);
/* Demangles such a name, and leaves out its hash. Owned by the caller; NULL: @name is no such name. */
char *demangle_old_rust(const char *name);

#endif
