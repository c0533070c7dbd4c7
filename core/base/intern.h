/*
 * Interns strings: each is stored once, so equal strings are equal pointers. They live as long as the table. Not thread-safe:
 * filled in the side-band pass, read-only afterwards.
 * Layer: base
 */
#ifndef CORE_BASE_INTERN_H
#define CORE_BASE_INTERN_H

#include <stddef.h>

struct strtab;

struct strtab *strtab_new(void);		/* owned by the caller: strtab_free() */
void strtab_free(struct strtab *t);
/* The table's own copy of @s, borrowed until strtab_free(). */
const char *intern(struct strtab *t, const char *s);
/* The same for @s with its control characters escaped (core/base/printable.h). */
const char *intern_printable(struct strtab *t, const char *s);
/* The same for @n bytes, none of them zero. */
const char *intern_n(struct strtab *t, const char *s, size_t n);

#endif
