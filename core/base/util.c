/* Allocation wrappers. Layer: base */
#include "core/base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"

static void *checked(void *p, size_t size)
{
	if (!p && size)
		die("out of memory (%zu bytes asked for)", size);
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size), size);
}

void *xcalloc(size_t nr, size_t size)
{
	return checked(calloc(nr, size), nr && size ? nr * size : 0);
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size), size);
}

char *xstrdup(const char *s)
{
	return checked(strdup(s), strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n), n + 1);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s, 1);
}
