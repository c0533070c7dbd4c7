/*
 * Encodes structs in the compact protocol of Apache Thrift, with field numbers as differences and integers as varints, for the
 * headers and footers of Parquet files (thrift.h).
 */
#include "core/show/export/thrift.h"

#include "core/base/varint.h"

/* Writes the header of a field: in one byte the difference to the last field's ID and the type, if the difference fits. */
static void put_field(struct thrift *t, unsigned id, enum thrift_type type)
{
	unsigned *last = &t->last[t->depth - 1];

	if (id - *last < 16) {
		buf_putc(t->out, (char)((id - *last) << 4 | type));
	} else {
		buf_putc(t->out, (char)type);
		buf_varint(t->out, zigzag(id));
	}
	*last = id;
}

void thrift_begin(struct thrift *t)
{
	t->last[t->depth++] = 0;
}

void thrift_end(struct thrift *t)
{
	buf_putc(t->out, 0);
	t->depth--;
}

void thrift_struct(struct thrift *t, unsigned id)
{
	put_field(t, id, THRIFT_STRUCT);
	thrift_begin(t);
}

void thrift_int(struct thrift *t, unsigned id, enum thrift_type type, int64_t v)
{
	put_field(t, id, type);
	thrift_element_int(t, v);
}

void thrift_string(struct thrift *t, unsigned id, const char *text)
{
	put_field(t, id, THRIFT_BINARY);
	thrift_element_string(t, text);
}

void thrift_list(struct thrift *t, unsigned id, enum thrift_type type, size_t nr)
{
	put_field(t, id, THRIFT_LIST);
	buf_putc(t->out, (char)(MIN(nr, 15) << 4 | type));
	if (nr >= 15)
		buf_varint(t->out, nr);
}

void thrift_element_int(struct thrift *t, int64_t v)
{
	buf_varint(t->out, zigzag((uint64_t)v));
}

void thrift_element_string(struct thrift *t, const char *text)
{
	buf_varint(t->out, strlen(text));
	buf_puts(t->out, text);
}
