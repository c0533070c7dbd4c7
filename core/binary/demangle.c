/*
 * Demangles symbol names of C++, D, Rust and Ada with libiberty. demangle() limits the time and memory that a hostile name can
 * take. In a build without libiberty, demangle_none.c replaces demangle.c.
 */
#include "core/binary/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#undef ARRAY_SIZE	/* libiberty.h has one too */
#include "core/base/buf.h"
#include "core/base/util.h"

/*
 * libiberty limits its recursion, but not its time. So names of LONGEST bytes or more stay mangled. So do names whose result is
 * more than GROWTH times as long, because a name that refers to its own parts may double with every few characters.
 */
#define LONGEST 16384
#define GROWTH 64u
#define ALWAYS_ALLOWED 4096u	/* bytes that a result may have in any case */

struct plain_name {
	struct buf text;
	size_t limit;
	jmp_buf too_long;	/* append_part() leaves the demangler by a jump to here */
};

/* A jump out of this callback is the only way to stop libiberty. It then leaks at most one word, for Rust names. */
static void append_part(const char *part, size_t n, void *ctx)
{
	struct plain_name *p = ctx;

	if (n > p->limit - p->text.len)
		longjmp(p->too_long, 1);
	buf_put(&p->text, part, n);
}

typedef int demangle_fn(const char *name, int options, demangle_callbackref part, void *ctx);

static bool fits(struct plain_name *p, demangle_fn *by, const char *name)
{
	return !setjmp(p->too_long) && by(name, DMGL_PARAMS | DMGL_ANSI, append_part, p);
}

static char *bounded(demangle_fn *by, const char *name)
{
	struct plain_name p = { .limit = MAX(ALWAYS_ALLOWED, GROWTH * strlen(name)) };

	if (fits(&p, by, name)) {
		buf_putc(&p.text, '\0');
		return p.text.data;
	}
	buf_release(&p.text);
	return NULL;
}

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

/* False if @name is not of Rust, so it need not be tried. In Rust's legacy scheme, names are C++ names with a hash, "17h01...E". */
static bool may_be_rust(const char *name)
{
	return name[1] == 'R' || strstr(name, "17h");
}

/* Demangles @name as a name of the language that its first letters show, with the flags that perf uses since Linux 6.15. */
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
	plain = may_be_rust(name) ? bounded(rust_demangle_callback, name) : NULL;
	return plain ? plain : bounded(cplus_demangle_v3_callback, name);
}

static char *demangle_whole(const char *name)
{
	char *plain = by_style(name);

	/* Some compilers put a second underscore in front, as Mach-O requires. */
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
