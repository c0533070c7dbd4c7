/*
 * Writes structs in the compact protocol of Apache Thrift, which Parquet uses for its headers and footers. parquet.c describes
 * these structs.
 *
 *	struct thrift t = { .out = &buf };
 *
 *	thrift_begin(&t);
 *	thrift_int(&t, 1, THRIFT_I32, 7);
 *	thrift_list(&t, 2, THRIFT_STRUCT, nr);
 *	for (...) {
 *		thrift_begin(&t);
 *		...
 *		thrift_end(&t);
 *	}
 *	thrift_end(&t);
 *
 * Source: thrift-compact-protocol.md in the sources of Thrift.
 */
#ifndef CORE_SHOW_EXPORT_THRIFT_H
#define CORE_SHOW_EXPORT_THRIFT_H

#include "core/base/buf.h"

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

#define THRIFT_DEPTH 8

struct thrift {
	struct buf *out;		/* borrowed */
	unsigned last[THRIFT_DEPTH];	/* for each open struct: the id of the field that was written last */
	unsigned depth;			/* at most THRIFT_DEPTH */
};

/* Begin and end a struct that is the whole message or an element of a list. */
void thrift_begin(struct thrift *t);
void thrift_end(struct thrift *t);
/* Begins a struct that is a field. thrift_end() ends it. */
void thrift_struct(struct thrift *t, unsigned id);
/* Write a field. The fields of a struct must be written in the order of their ids. @type: THRIFT_I32 or THRIFT_I64. */
void thrift_int(struct thrift *t, unsigned id, enum thrift_type type, int64_t v);
void thrift_string(struct thrift *t, unsigned id, const char *text);
/* Begins a list: the caller then writes @nr elements of @type. */
void thrift_list(struct thrift *t, unsigned id, enum thrift_type type, size_t nr);
/* Write an element of a list of numbers, or of texts. */
void thrift_element_int(struct thrift *t, int64_t v);
void thrift_element_string(struct thrift *t, const char *text);

#endif
