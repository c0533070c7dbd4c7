/*
 * Encodes the metadata of the messages in an Arrow IPC stream (arrow.h), the schema and the batches of rows, as Flatbuffers
 * (flatbuffers.dev, "Binary format"). Collects the rows of prec query's result until a batch is full.
 */
#include "core/show/query/arrow.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/outfile.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a stream says the order of its numbers: little-endian");

#define ROWS_MOST	65536u		/* rows of a batch */
#define TEXT_MOST	(16u << 20)	/* about this many bytes of text of a column in a batch */

/* format/Message.fbs, format/Schema.fbs */
enum { VERSION_5 = 4, HEADER_SCHEMA = 1, HEADER_BATCH = 3, TYPE_INT = 2, TYPE_FLOATING = 3, TYPE_UTF8 = 5, PRECISION_DOUBLE = 2 };

struct column {
	char *name;			/* owned */
	enum arrow_type type;
	struct buf valid;		/* a bit for each row: 0 is null */
	struct buf data;		/* numbers, or text */
	struct buf ends;		/* for texts: the int32 offset in .data at which each ends */
	uint64_t nr_null;
};

struct arrow {
	struct outfile *out;
	VEC(struct column) columns;
	size_t at;			/* the column of the next cell */
	uint64_t nr_rows;		/* rows in the batch so far */
	bool begun, full;
};

/* ---- Flatbuffers ---- */

/* A table begins with offsets of its fields, which point forward: written front to back. Default values are left out. */

struct flat_field {
	unsigned size;			/* 1, 2, 4 or 8 bytes; 0: the field is left out */
	uint64_t value;
	size_t place;			/* its offset in the message */
};

#define OFFSET	(struct flat_field){ .size = 4 }	/* set_offset() comes later */

static void pad(struct buf *b, size_t to)
{
	while (b->len % to)
		buf_putc(b, 0);
}

static void put_number(struct buf *b, uint64_t v, size_t size)
{
	buf_put(b, &v, size);
}

/* Sets the offset at @place so that it refers to what is appended next. */
static void set_offset(struct buf *b, size_t place)
{
	uint32_t offset = (uint32_t)(b->len - place);

	memcpy(b->data + place, &offset, sizeof(offset));
}

/* A table, to which the offset at @from leads. */
static void put_table(struct buf *b, size_t from, struct flat_field *fields, unsigned nr)
{
	size_t list = round_up(b->len, 8), table = round_up(list + 4 + 2 * nr, 8), at = table + 4;
	uint32_t offset;

	pad(b, 8);
	for (unsigned i = 0; i < nr; i++) {
		if (!fields[i].size)
			continue;
		fields[i].place = round_up(at, fields[i].size);
		at = fields[i].place + fields[i].size;
	}
	put_number(b, 4 + 2 * nr, 2);
	put_number(b, at - table, 2);
	for (unsigned i = 0; i < nr; i++)
		put_number(b, fields[i].size ? fields[i].place - table : 0, 2);
	pad(b, 8);
	offset = (uint32_t)(table - from);
	memcpy(b->data + from, &offset, sizeof(offset));
	put_number(b, table - list, 4);
	for (unsigned i = 0; i < nr; i++) {
		if (!fields[i].size)
			continue;
		pad(b, fields[i].size);
		put_number(b, fields[i].value, fields[i].size);
	}
	pad(b, 4);
}

static void put_string(struct buf *b, size_t from, const char *s)
{
	pad(b, 4);
	set_offset(b, from);
	put_number(b, strlen(s), 4);
	buf_puts(b, s);
	buf_putc(b, 0);
	pad(b, 4);
}

/* A vector of @nr offsets; returns where the first one stands. */
static size_t put_offsets(struct buf *b, size_t from, size_t nr)
{
	pad(b, 4);
	set_offset(b, from);
	put_number(b, nr, 4);
	for (size_t i = 0; i < nr; i++)
		put_number(b, 0, 4);
	return b->len - 4 * nr;
}

/* The head of a vector of structs of 8-byte numbers. */
static void begin_structs(struct buf *b, size_t from, size_t nr)
{
	while (b->len % 8 != 4)
		buf_putc(b, 0);
	set_offset(b, from);
	put_number(b, nr, 4);
}

/* ---- messages ---- */

/* Returns where the offset of the header stands. */
static size_t begin_message(struct buf *b, uint64_t header, uint64_t body_bytes)
{
	struct flat_field fields[] = { { 2, VERSION_5, 0 }, { 1, header, 0 }, OFFSET, { body_bytes ? 8 : 0, body_bytes, 0 } };

	put_number(b, 0, 4);
	put_table(b, 0, fields, ARRAY_SIZE(fields));
	return fields[2].place;
}

static void end_message(struct arrow *a, struct buf *b)
{
	struct buf *out = &a->out->buf;

	pad(b, 8);
	put_number(out, UINT32_MAX, 4);
	put_number(out, b->len, 4);
	buf_put(out, b->data, b->len);
	buf_release(b);
}

static void put_field(struct buf *b, size_t from, const struct column *c)
{
	static const uint64_t types[] = { [ARROW_INT64] = TYPE_INT, [ARROW_DOUBLE] = TYPE_FLOATING, [ARROW_TEXT] = TYPE_UTF8 };
	struct flat_field fields[] = { OFFSET, { 1, true, 0 }, { 1, types[c->type], 0 }, OFFSET, { 0, 0, 0 }, OFFSET };
	struct flat_field integer[] = { { 4, 64, 0 }, { 1, true, 0 } }, floating[] = { { 2, PRECISION_DOUBLE, 0 } };

	put_table(b, from, fields, ARRAY_SIZE(fields));
	put_string(b, fields[0].place, c->name);
	put_table(b, fields[3].place, c->type == ARROW_INT64 ? integer : floating,
		  c->type == ARROW_INT64 ? 2 : c->type == ARROW_DOUBLE ? 1 : 0);
	put_offsets(b, fields[5].place, 0);	/* no children */
}

static void put_schema(struct arrow *a)
{
	struct flat_field fields[] = { { 0, 0, 0 }, OFFSET };
	struct buf b = {0};
	size_t first;

	put_table(&b, begin_message(&b, HEADER_SCHEMA, 0), fields, ARRAY_SIZE(fields));
	first = put_offsets(&b, fields[1].place, a->columns.nr);
	for (size_t i = 0; i < a->columns.nr; i++)
		put_field(&b, first + 4 * i, &a->columns.v[i]);
	end_message(a, &b);
	a->begun = true;
}

/* The parts of a column in a batch's body. Returns how many. The first is empty if the column has no nulls. */
static unsigned parts_of(struct column *c, struct buf *parts[3])
{
	unsigned nr = 0;

	if (!c->nr_null)
		c->valid.len = 0;
	parts[nr++] = &c->valid;
	if (c->type == ARROW_TEXT)
		parts[nr++] = &c->ends;
	parts[nr++] = &c->data;
	return nr;
}

static void put_batch(struct arrow *a)
{
	struct flat_field fields[] = { { 8, a->nr_rows, 0 }, OFFSET, OFFSET };
	struct buf b = {0}, *parts[3];
	uint64_t bytes = 0, at = 0;
	size_t nr_parts = 0;

	vec_for(c, &a->columns) {
		unsigned nr = parts_of(c, parts);

		nr_parts += nr;
		for (unsigned i = 0; i < nr; i++)
			bytes += round_up(parts[i]->len, 8);
	}
	put_table(&b, begin_message(&b, HEADER_BATCH, bytes), fields, ARRAY_SIZE(fields));
	begin_structs(&b, fields[1].place, a->columns.nr);
	vec_for(c, &a->columns) {
		put_number(&b, a->nr_rows, 8);
		put_number(&b, c->nr_null, 8);
	}
	begin_structs(&b, fields[2].place, nr_parts);
	vec_for(c, &a->columns) {
		for (unsigned i = 0, nr = parts_of(c, parts); i < nr; i++) {
			put_number(&b, at, 8);
			put_number(&b, parts[i]->len, 8);
			at += round_up(parts[i]->len, 8);
		}
	}
	end_message(a, &b);
	vec_for(c, &a->columns) {
		for (unsigned i = 0, nr = parts_of(c, parts); i < nr; i++) {
			pad(parts[i], 8);
			buf_put(&a->out->buf, parts[i]->data, parts[i]->len);
			parts[i]->len = 0;
		}
		c->nr_null = 0;
	}
	a->nr_rows = 0;
	a->full = false;
	outfile_maybe_flush(a->out);
}

/* ---- rows ---- */

struct arrow *arrow_new(struct outfile *out)
{
	struct arrow *a = xcalloc(1, sizeof(*a));

	a->out = out;
	return a;
}

static void put_text(struct buf *out, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0, step; i < n; i += step) {
		step = utf8_length(text + i, n - i);
		if (step)
			buf_put(out, text + i, step);
		else
			utf8_put(out, 0xfffd);
		step = MAX(step, 1);
	}
}

void arrow_column(struct arrow *a, const char *name, enum arrow_type type)
{
	struct column c = { .type = type };
	struct buf valid = {0};

	put_text(&valid, name);
	c.name = xstrdup(buf_str(&valid));
	buf_release(&valid);
	vec_push(&a->columns, c);
}

static struct column *next_cell(struct arrow *a, bool valid)
{
	struct column *c = &a->columns.v[a->at++];

	if (a->nr_rows % 8 == 0)
		buf_putc(&c->valid, 0);
	if (valid)
		c->valid.data[c->valid.len - 1] |= (char)(1 << a->nr_rows % 8);
	c->nr_null += !valid;
	if (c->type == ARROW_TEXT && !a->nr_rows)
		put_number(&c->ends, 0, 4);
	return c;
}

void arrow_int(struct arrow *a, int64_t v)
{
	put_number(&next_cell(a, true)->data, (uint64_t)v, 8);
}

void arrow_double(struct arrow *a, double v)
{
	buf_put(&next_cell(a, true)->data, &v, sizeof(v));
}

void arrow_text(struct arrow *a, const char *text)
{
	struct column *c = next_cell(a, true);

	put_text(&c->data, text);
	put_number(&c->ends, c->data.len, 4);
	a->full |= c->data.len > TEXT_MOST;
}

void arrow_null(struct arrow *a)
{
	struct column *c = next_cell(a, false);

	if (c->type == ARROW_TEXT)
		put_number(&c->ends, c->data.len, 4);
	else
		put_number(&c->data, 0, 8);
}

void arrow_end_row(struct arrow *a)
{
	a->at = 0;
	a->nr_rows++;
	if (!a->begun)
		put_schema(a);
	if (a->full || a->nr_rows == ROWS_MOST)
		put_batch(a);
}

void arrow_end(struct arrow *a)
{
	if (!a->begun)
		put_schema(a);
	if (a->nr_rows)
		put_batch(a);
	put_number(&a->out->buf, UINT32_MAX, 4);
	put_number(&a->out->buf, 0, 4);
	vec_for(c, &a->columns) {
		free(c->name);
		buf_release(&c->valid);
		buf_release(&c->data);
		buf_release(&c->ends);
	}
	vec_free(&a->columns);
	free(a);
}
