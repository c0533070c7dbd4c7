/* Checks of the unit tests. */
#include "tests/unit/check.h"

#include <stdarg.h>

unsigned nr_failed;

#define FAILURES_SHOWN 20

void check_failed(const char *file, int line, const char *what, const char *fmt, ...)
{
	va_list ap;

	if (++nr_failed > FAILURES_SHOWN)
		return;
	printf("%s:%d: failed: %s", file, line, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void check_text(const char *got, const char *want, const char *file, int line)
{
	if (!str_eq(got, want))
		check_failed(file, line, "texts are equal", "\n  want '%s'\n  got  '%s'", want, got);
}
