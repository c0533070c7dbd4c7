/* Without libiberty names are shown as they are in the file. Layer: format */
#include "core/format/demangle.h"

#include <stddef.h>

bool demangle_wanted(const char *name)
{
	(void)name;
	return false;
}

char *demangle(const char *name)
{
	(void)name;
	return NULL;
}
