/* Stands in for demangle.c if libiberty is missing: most names are shown as they are in the file. Layer: binary */
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
