/* Without libiberty most names are shown as they are in the file. Layer: format */
#include "core/format/demangle.h"

#include <stddef.h>

bool demangle_wanted(const char *name)
{
	return demangle_is_ocaml(name);
}

char *demangle(const char *name)
{
	return demangle_is_ocaml(name) ? demangle_ocaml(name) : NULL;
}
