/*
 * Replaces demangle.c in a build without libiberty. It demangles only OCaml names, and leaves all other names as they are in the
 * file.
 */
#include "core/binary/demangle.h"

#include <stddef.h>

bool demangle_wanted(const char *name)
{
	return demangle_is_ocaml(name);
}

char *demangle(const char *name)
{
	return demangle_is_ocaml(name) ? demangle_ocaml(name) : NULL;
}
