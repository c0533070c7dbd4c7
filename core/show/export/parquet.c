/*
 * Writes Parquet files: collects the cells of each column, writes them as compressed pages, and at the end writes the footer, which
 * says where the pages are. parquet_encoding.c encodes the values, and thrift.c encodes headers.
 */
#include "core/show/export/parquet.h"

#include <zstd.h>

#include "core/base/byte_table.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/base/utf8.h"
#include "core/show/export/parquet_encoding.h"
#include "core/show/export/thrift.h"

#define PAGE_VALUES	(128u << 10)	/* values of a page */
#define LIST_VALUES	(1u << 20)	/* a page of lists ends at this many values; the values of a row stay together */
#define GROUP_ROWS	(1u << 20)	/* a row group ends at this many rows */
#define GROUP_BYTES	(64u << 20)	/* or at this many bytes of compressed pages */
#define LEVEL		3		/* compression level of zstd */

/* Numbers of parquet.thrift. */
enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 };
enum { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3, CONVERTED_UINT64 = 14, CONVERTED_INT64 = 18 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DELTA = 5, ENCODING_DICTIONARY = 8 };
enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };
enum { CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

static const struct kind_facts {
	int type, converted;		/* .converted -1: none */
	int encoding;
} facts[] = {
	[PARQUET_NUMBER] = { TYPE_INT64, CONVERTED_UINT64, ENCODING_DELTA },
	[PARQUET_SIGNED] = { TYPE_INT64, CONVERTED_INT64, ENCODING_DELTA },
	[PARQUET_DOUBLE] = { TYPE_DOUBLE, -1, ENCODING_PLAIN },
	[PARQUET_TEXT] = { TYPE_BYTES, CONVERTED_UTF8, ENCODING_DICTIONARY },
	[PARQUET_LIST] = { TYPE_BYTES, CONVERTED_UTF8, ENCODING_DICTIONARY },
};

struct chunk {			/* a column of a row group that was written */
	uint64_t offset, dictionary_bytes;	/* .offset: of its first page; .dictionary_bytes: with the page header */
	uint64_t nr_values, plain_bytes, bytes;	/* .bytes: in the file; .plain_bytes: before compression */
};

struct column {
	char *name;			/* owned */
	const char *given;		/* borrowed; after parquet_names_stay(): the string with which the caller names it */
	enum parquet_kind kind;
	/* The page that is being filled. */
	VEC(uint64_t) numbers;
	VEC(uint32_t) texts;		/* positions in .used */
	VEC(uint32_t) defined;		/* for each value: 1, or 0 for NULL and for an empty list */
	VEC(uint32_t) repeated;		/* for lists: 0 for the first value of a list, else 1 */
	uint64_t rows;			/* rows of the group for which the column has a value, or NULL */
	/* The row group that is being filled. */
	struct buf pages;		/* compressed, with their headers */
	struct chunk chunk;
	VEC(uint32_t) used;		/* the dictionary: numbers of strings */
	VEC(uint32_t) place_of;		/* by string: its position in .used + 1; 0: it is not in the dictionary */
};

struct group { VEC(struct chunk) chunks; uint64_t nr_rows; };

struct parquet {
	struct outfile *out;		/* borrowed */
	struct byte_table strings;
	VEC(struct column) columns;
	VEC(struct group) groups;
	uint64_t offset;		/* offset in the file of the next byte */
	uint64_t nr_rows;		/* rows of the group so far */
	size_t next;			/* the usual position of the column of the next cell */
	bool names_stay;
	ZSTD_CCtx *zstd;
	struct buf page, packed;	/* buffers for write_page() */
};

static void put_out(struct parquet *p, const void *bytes, size_t n)
{
	buf_put(&p->out->buf, bytes, n);
	p->offset += n;
	outfile_maybe_flush(p->out);
}

struct parquet *parquet_new(struct outfile *out)
{
	struct parquet *p = xcalloc(1, sizeof(*p));

	p->out = out;
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		die("out of memory");
	put_out(p, "PAR1", 4);
	return p;
}

/* ---- pages ---- */

/* Appends the header and the compressed contents of p->page to @out. Returns the size of the page before compression. */
static uint64_t put_page(struct parquet *p, int type, size_t nr_values, int encoding, struct buf *out)
{
	struct thrift t = { .out = out };
	size_t header = out->len, n;

	p->packed.len = 0;
	n = ZSTD_compressCCtx(p->zstd, buf_room(&p->packed, ZSTD_compressBound(p->page.len)), ZSTD_compressBound(p->page.len),
			      p->page.data, p->page.len, LEVEL);
	p->packed.len = n;	/* of a bound's room it cannot fail */
	thrift_begin(&t);
	thrift_int(&t, 1, THRIFT_I32, type);
	thrift_int(&t, 2, THRIFT_I32, (int64_t)p->page.len);
	thrift_int(&t, 3, THRIFT_I32, (int64_t)p->packed.len);
	thrift_struct(&t, type == PAGE_DICTIONARY ? 7 : 5);
	thrift_int(&t, 1, THRIFT_I32, (int64_t)nr_values);
	thrift_int(&t, 2, THRIFT_I32, encoding);
	if (type == PAGE_DATA) {
		thrift_int(&t, 3, THRIFT_I32, ENCODING_RLE);
		thrift_int(&t, 4, THRIFT_I32, ENCODING_RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
	n = out->len - header + p->page.len;
	buf_put(out, p->packed.data, p->packed.len);
	p->page.len = 0;
	return n;
}

static void put_word(struct buf *out, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_putc(out, (char)(v >> 8 * i));
}

/* Appends levels of one bit, after their length. */
static void put_levels(struct buf *out, const uint32_t *v, size_t nr)
{
	size_t at = out->len;
	struct buf length = {0};

	put_word(out, 0, 4);
	parquet_put_hybrid(out, v, nr, 1);
	put_word(&length, out->len - at - 4, 4);
	memcpy(out->data + at, length.data, 4);
	buf_release(&length);
}

static unsigned index_width(size_t nr)
{
	return nr <= 1u << 8 ? 8 : nr <= 1u << 16 ? 16 : nr <= 1u << 24 ? 24 : 32;
}

static void put_values(struct buf *out, const struct column *c)
{
	if (facts[c->kind].encoding == ENCODING_DICTIONARY) {
		buf_putc(out, (char)index_width(c->used.nr));
		parquet_put_hybrid(out, c->texts.v, c->texts.nr, index_width(c->used.nr));
	} else if (facts[c->kind].encoding == ENCODING_DELTA) {
		parquet_put_deltas(out, c->numbers.v, c->numbers.nr);
	} else {
		vec_for(number, &c->numbers)
			put_word(out, *number, 8);
	}
}

static void end_page(struct parquet *p, struct column *c)
{
	if (!c->defined.nr)
		return;
	if (c->kind == PARQUET_LIST)
		put_levels(&p->page, c->repeated.v, c->repeated.nr);
	put_levels(&p->page, c->defined.v, c->defined.nr);
	put_values(&p->page, c);
	c->chunk.nr_values += c->defined.nr;
	c->chunk.plain_bytes += put_page(p, PAGE_DATA, c->defined.nr, facts[c->kind].encoding, &c->pages);
	c->numbers.nr = c->texts.nr = c->defined.nr = c->repeated.nr = 0;
}

/* ---- groups of rows ---- */

static void write_dictionary(struct parquet *p, struct column *c)
{
	struct buf out = {0};

	vec_for(string, &c->used) {
		size_t n;
		const char *text = byte_table_get(&p->strings, *string, &n);

		put_word(&p->page, n, 4);
		buf_put(&p->page, text, n);
		c->place_of.v[*string] = 0;
	}
	c->chunk.plain_bytes += put_page(p, PAGE_DICTIONARY, c->used.nr, ENCODING_PLAIN, &out);
	c->chunk.dictionary_bytes = out.len;
	put_out(p, out.data, out.len);
	c->used.nr = 0;
	buf_release(&out);
}

static void write_chunk(struct parquet *p, struct column *c)
{
	end_page(p, c);
	c->chunk.offset = p->offset;
	if (facts[c->kind].encoding == ENCODING_DICTIONARY)
		write_dictionary(p, c);
	put_out(p, c->pages.data, c->pages.len);
	c->chunk.bytes = p->offset - c->chunk.offset;
	c->pages.len = 0;
	c->rows = 0;
}

static void end_group(struct parquet *p)
{
	struct group group = { .nr_rows = p->nr_rows };

	if (!p->nr_rows)
		return;
	vec_for(c, &p->columns) {
		write_chunk(p, c);
		vec_push(&group.chunks, c->chunk);
		c->chunk = (struct chunk){0};
	}
	vec_push(&p->groups, group);
	p->nr_rows = 0;
}

/* ---- cells ---- */

/* True if the page is full. */
static bool is_full(const struct column *c)
{
	return c->defined.nr >= (c->kind == PARQUET_LIST ? LIST_VALUES : PAGE_VALUES);
}

static void catch_up(struct parquet *p, struct column *c, uint64_t rows)
{
	while (c->rows < rows) {
		vec_push(&c->defined, 0);
		if (c->kind == PARQUET_LIST)
			vec_push(&c->repeated, 0);
		c->rows++;
		if (is_full(c))
			end_page(p, c);
	}
}

static struct column *add_column(struct parquet *p, const char *name, enum parquet_kind kind)
{
	vec_push(&p->columns, ((struct column){ .name = xstrdup(name), .kind = kind }));
	return &p->columns.v[p->columns.nr - 1];
}

static struct column *find_column(struct parquet *p, const char *name, enum parquet_kind kind)
{
	struct column *found = p->next < p->columns.nr ? &p->columns.v[p->next] : NULL;

	if (found && p->names_stay && found->given == name) {
		p->next++;
		return found;
	}
	if (!found || !str_eq(found->name, name)) {
		found = NULL;
		vec_for(c, &p->columns)
			if (str_eq(c->name, name))
				found = c;
	}
	if (!found)
		found = add_column(p, name, kind);
	found->given = name;
	p->next = (size_t)(found - p->columns.v) + 1;
	return found;
}

void parquet_names_stay(struct parquet *p)
{
	p->names_stay = true;
	vec_for(c, &p->columns)
		c->given = NULL;
}

/* The column of the cell that the row gets next. Rows that lacked the column get NULL. */
static struct column *cell(struct parquet *p, const char *name, enum parquet_kind kind)
{
	struct column *c = find_column(p, name, kind);

	catch_up(p, c, p->nr_rows);
	c->rows++;
	return c;
}

static void number_cell(struct parquet *p, const char *name, enum parquet_kind kind, uint64_t v)
{
	struct column *c = cell(p, name, kind);

	vec_push(&c->numbers, v);
	vec_push(&c->defined, 1);
}

void parquet_number(struct parquet *p, const char *name, uint64_t v)
{
	number_cell(p, name, PARQUET_NUMBER, v);
}

void parquet_signed(struct parquet *p, const char *name, int64_t v)
{
	number_cell(p, name, PARQUET_SIGNED, (uint64_t)v);
}

void parquet_double(struct parquet *p, const char *name, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	number_cell(p, name, PARQUET_DOUBLE, bits);
}

uint32_t parquet_string(struct parquet *p, const char *text)
{
	size_t n = strlen(text), valid = 0;
	struct buf clean = {0};
	uint32_t number;

	for (size_t step; valid < n && (step = utf8_length(text + valid, n - valid)); valid += step)
		;
	if (valid == n)
		return byte_table_add(&p->strings, text, n);
	for (size_t i = 0, step; i < n; i += MAX(step, 1)) {
		step = utf8_length(text + i, n - i);
		buf_put(&clean, step ? text + i : "\xef\xbf\xbd", step ? step : 3);
	}
	number = byte_table_add(&p->strings, clean.data, clean.len);
	buf_release(&clean);
	return number;
}

static uint32_t place_of(struct column *c, uint32_t string)
{
	while (c->place_of.nr <= string)
		vec_push(&c->place_of, 0);
	if (!c->place_of.v[string]) {
		vec_push(&c->used, string);
		c->place_of.v[string] = (uint32_t)c->used.nr;
	}
	return c->place_of.v[string] - 1;
}

void parquet_text(struct parquet *p, const char *name, uint32_t string)
{
	struct column *c = cell(p, name, PARQUET_TEXT);

	vec_push(&c->texts, place_of(c, string));
	vec_push(&c->defined, 1);
}

void parquet_list(struct parquet *p, const char *name, const uint32_t *strings, size_t nr)
{
	struct column *c = cell(p, name, PARQUET_LIST);

	if (!nr) {
		vec_push(&c->defined, 0);
		vec_push(&c->repeated, 0);
	}
	vec_reserve(&c->texts, nr);
	vec_reserve(&c->defined, nr);
	vec_reserve(&c->repeated, nr);
	for (size_t i = 0; i < nr; i++) {
		c->texts.v[c->texts.nr++] = place_of(c, strings[i]);
		c->defined.v[c->defined.nr++] = 1;
		c->repeated.v[c->repeated.nr++] = i > 0;
	}
}

void parquet_none(struct parquet *p, const char *name)
{
	if (p->next < p->columns.nr && str_eq(p->columns.v[p->next].name, name))
		p->next++;
}

void parquet_column(struct parquet *p, const char *name, enum parquet_kind kind)
{
	find_column(p, name, kind);
}

void parquet_end_row(struct parquet *p, bool whole)
{
	uint64_t bytes = 0;

	p->nr_rows++;
	p->next = 0;
	vec_for(c, &p->columns) {
		catch_up(p, c, p->nr_rows);
		if (is_full(c))
			end_page(p, c);
		bytes += c->pages.len;
	}
	if (whole && (p->nr_rows >= GROUP_ROWS || bytes >= GROUP_BYTES))
		end_group(p);
}

/* ---- the footer ---- */

static void put_element(struct thrift *t, const char *name, int type, int repetition, int nr_children, int converted)
{
	thrift_begin(t);
	if (type >= 0)
		thrift_int(t, 1, THRIFT_I32, type);
	if (repetition >= 0)
		thrift_int(t, 3, THRIFT_I32, repetition);
	thrift_string(t, 4, name);
	if (nr_children >= 0)
		thrift_int(t, 5, THRIFT_I32, nr_children);
	if (converted >= 0)
		thrift_int(t, 6, THRIFT_I32, converted);
	thrift_end(t);
}

/* Writes the schema, a tree in depth-first order: one element for each column, and three for a list. */
static void put_schema(struct parquet *p, struct thrift *t)
{
	size_t nr = 1;

	vec_for(c, &p->columns)
		nr += c->kind == PARQUET_LIST ? 3 : 1;
	thrift_list(t, 2, THRIFT_STRUCT, nr);
	put_element(t, "schema", -1, -1, (int)p->columns.nr, -1);
	vec_for(c, &p->columns) {
		const struct kind_facts *f = &facts[c->kind];

		if (c->kind != PARQUET_LIST) {
			put_element(t, c->name, f->type, OPTIONAL, -1, f->converted);
			continue;
		}
		put_element(t, c->name, -1, REQUIRED, 1, CONVERTED_LIST);
		put_element(t, "list", -1, REPEATED, 1, -1);
		put_element(t, "element", f->type, REQUIRED, -1, f->converted);
	}
}

static void put_path(struct thrift *t, const struct column *c)
{
	thrift_list(t, 3, THRIFT_BINARY, c->kind == PARQUET_LIST ? 3 : 1);
	thrift_element_string(t, c->name);
	if (c->kind == PARQUET_LIST) {
		thrift_element_string(t, "list");
		thrift_element_string(t, "element");
	}
}

static void put_chunk(struct thrift *t, const struct column *c, const struct chunk *chunk)
{
	const struct kind_facts *f = &facts[c->kind];

	thrift_begin(t);
	thrift_int(t, 2, THRIFT_I64, (int64_t)chunk->offset);
	thrift_struct(t, 3);
	thrift_int(t, 1, THRIFT_I32, f->type);
	thrift_list(t, 2, THRIFT_I32, f->encoding == ENCODING_PLAIN ? 2 : 3);
	thrift_element_int(t, ENCODING_PLAIN);
	thrift_element_int(t, ENCODING_RLE);
	if (f->encoding != ENCODING_PLAIN)
		thrift_element_int(t, f->encoding);
	put_path(t, c);
	thrift_int(t, 4, THRIFT_I32, CODEC_ZSTD);
	thrift_int(t, 5, THRIFT_I64, (int64_t)chunk->nr_values);
	thrift_int(t, 6, THRIFT_I64, (int64_t)chunk->plain_bytes);
	thrift_int(t, 7, THRIFT_I64, (int64_t)chunk->bytes);
	thrift_int(t, 9, THRIFT_I64, (int64_t)(chunk->offset + chunk->dictionary_bytes));
	if (chunk->dictionary_bytes)
		thrift_int(t, 11, THRIFT_I64, (int64_t)chunk->offset);
	thrift_end(t);
	thrift_end(t);
}

static void put_group(struct parquet *p, struct thrift *t, const struct group *g)
{
	uint64_t bytes = 0;

	thrift_begin(t);
	thrift_list(t, 1, THRIFT_STRUCT, g->chunks.nr);
	for (size_t i = 0; i < g->chunks.nr; i++) {
		put_chunk(t, &p->columns.v[i], &g->chunks.v[i]);
		bytes += g->chunks.v[i].plain_bytes;
	}
	thrift_int(t, 2, THRIFT_I64, (int64_t)bytes);
	thrift_int(t, 3, THRIFT_I64, (int64_t)g->nr_rows);
	thrift_end(t);
}

static void put_footer(struct parquet *p)
{
	struct buf footer = {0};
	struct thrift t = { .out = &footer };
	uint64_t nr_rows = 0;

	vec_for(g, &p->groups)
		nr_rows += g->nr_rows;
	thrift_begin(&t);
	thrift_int(&t, 1, THRIFT_I32, 1);
	put_schema(p, &t);
	thrift_int(&t, 3, THRIFT_I64, (int64_t)nr_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, p->groups.nr);
	vec_for(g, &p->groups)
		put_group(p, &t, g);
	thrift_string(&t, 6, "prec");
	thrift_end(&t);
	put_word(&footer, footer.len, 4);
	buf_puts(&footer, "PAR1");
	put_out(p, footer.data, footer.len);
	buf_release(&footer);
}

void parquet_end(struct parquet *p)
{
	end_group(p);
	put_footer(p);
	vec_for(c, &p->columns) {
		free(c->name);
		vec_free(&c->numbers);
		vec_free(&c->texts);
		vec_free(&c->defined);
		vec_free(&c->repeated);
		vec_free(&c->used);
		vec_free(&c->place_of);
		buf_release(&c->pages);
	}
	vec_for(g, &p->groups)
		vec_free(&g->chunks);
	vec_free(&p->columns);
	vec_free(&p->groups);
	byte_table_release(&p->strings);
	buf_release(&p->page);
	buf_release(&p->packed);
	ZSTD_freeCCtx(p->zstd);
	free(p);
}
