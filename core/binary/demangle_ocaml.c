/*
 * Demangles the names of functions in OCaml's native code, such as camlStdlib__List__map_1127. demangle.c calls it, or
 * demangle_none.c in a build without libiberty.
 */
#include "core/binary/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/base/util.h"

bool demangle_is_ocaml(const char *name)
{
	return str_starts(name, "caml") && name[4] >= 'A' && name[4] <= 'Z';
}

/* Returns the character for an escape such as "$2b"; 0: it is not printable. */
static char escaped(const char *at)
{
	unsigned byte = 0;

	if (at[0] != '$' || !isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
		return 0;
	sscanf(at + 1, "%2x", &byte);
	return byte > ' ' && byte < 0x7f ? (char)byte : 0;
}

/*
 * A mangled name is "caml", the compilation unit, "__" (since OCaml 5.1 "."), and the function's name with a number. Any character
 * but a letter, digit or underscore is written as "$" and two hexadecimal digits. Source: OCaml, asmcomp/cmm_helpers.ml and
 * emitaux.ml.
 */
char *demangle_ocaml(const char *name)
{
	char *plain = xstrdup(name + 4), *to = plain;
	const char *at = name + 4;

	while (*at) {
		char c = escaped(at);

		if (c) {
			*to++ = c;
			at += 3;
		} else if (str_starts(at, "__")) {
			*to++ = '.';
			at += 2;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return plain;
}
