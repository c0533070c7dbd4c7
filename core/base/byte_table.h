/*
 * Interns byte strings: stores each different string once, and gives it a number, by which callers find and compare it. A
 * profile numbers its names in this way (core/profile/builder.c). Tables of several threads can be merged.
 */
#ifndef CORE_BASE_BYTE_TABLE_H
#define CORE_BASE_BYTE_TABLE_H

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/unite.h"
#include "core/base/vec.h"

struct byte_table {			/* = {0}: empty; byte_table_release() */
	struct buf bytes;
	VEC(size_t) ends;	/* by number: offset in .bytes of the string's end; it begins at the end of the one before */
	struct index by_hash;
};

/* The number of the byte string with these bytes, added if new. */
uint32_t byte_table_add(struct byte_table *b, const void *bytes, size_t n);
/* The @n bytes of a number, borrowed until the next is added. */
const char *byte_table_get(const struct byte_table *b, uint32_t number, size_t *n);
/* Merges the @nr @tables into the empty @out, which then takes no more strings. Returns the new numbers: united_release(). */
struct united byte_tables_unite(struct byte_table *out, struct byte_table *const tables[], size_t nr, unsigned jobs);
void byte_table_release(struct byte_table *b);

#endif
