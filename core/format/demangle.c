/* Demangling by libiberty. Layer: format */
#include "core/format/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#undef ARRAY_SIZE	/* libiberty.h has one too */
#include "core/base/util.h"

/* libiberty bounds its recursion, but not its time: longer names stay mangled. */
#define LONGEST 16384

static bool is_itanium(const char *name)
{
	return str_starts(name, "_Z") || str_starts(name, "__Z") || str_starts(name, "___Z") ||
	       str_starts(name, "____Z") || str_starts(name, "_GLOBAL__");
}

static bool is_d(const char *name)
{
	return str_starts(name, "_D") && ((name[2] >= '1' && name[2] <= '9') || str_eq(name, "_Dmain"));
}

bool demangle_wanted(const char *name)
{
	if (name[0] == 'c')
		return demangle_is_ocaml(name);
	return name[0] == '_' && (is_itanium(name) || is_d(name) || str_starts(name, "_R") ||
				  str_starts(name, "__R") || str_starts(name, "_ada_"));
}

/* libiberty would try each name as one of Rust first: those of its older scheme are C++ names that end in a hash, "17h01...E". */
static bool may_be_rust(const char *name)
{
	return name[1] == 'R' || strstr(name, "17h");
}

/* The flags of perf since 6.15: with arguments, with const and such. */
static char *by_style(const char *name)
{
	char *plain = demangle_is_old_rust(name) ? demangle_old_rust(name) : NULL;

	if (plain)
		return plain;
	if (name[0] == 'c')
		return demangle_ocaml(name);
	if (is_d(name))
		return dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	if (str_starts(name, "_ada_"))
		return ada_demangle(name, 0);
	if (str_starts(name, "_Z") && !may_be_rust(name))
		return cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI);
	return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI);
}

static char *demangle_whole(const char *name)
{
	char *plain = by_style(name);

	/* More than one underscore is what Mach-O and some compilers put before; the C++ ABI has one. */
	if (!plain && (str_starts(name, "__Z") || str_starts(name, "__R")))
		plain = by_style(name + 1);
	return plain;
}

char *demangle(const char *name)
{
	size_t n = strnlen(name, LONGEST);
	char *inner, *plain, *whole;

	if (!demangle_wanted(name) || n == LONGEST)
		return NULL;
	if (n < 4 || !str_eq(name + n - 4, "@plt"))
		return demangle_whole(name);
	inner = xstrndup(name, n - 4);
	plain = demangle_whole(inner);
	whole = plain ? xasprintf("%s@plt", plain) : NULL;
	free(inner);
	free(plain);
	return whole;
}
