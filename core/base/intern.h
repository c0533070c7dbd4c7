/*
 * Interns strings, such as paths of mapped files: stores each once, so equal strings have equal pointers, which are valid as
 * long as the table. Only one thread at a time may add strings, but any thread may read them.
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
