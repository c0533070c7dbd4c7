/*
 * Formats the cells of a table as JSON lines or CSV, or passes them to parquet.c, for prec export and prec query. cells.h
 * describes the CSV.
 */
#include "core/show/export/cells.h"

#include "core/base/outfile.h"
#include "core/show/export/parquet.h"

/* Quotes a CSV cell if necessary. An apostrophe keeps spreadsheets from running it as a formula. */
static void put_csv_text(struct buf *out, const char *s, size_t n)
{
	bool formula = n && memchr("=+-@\t\r", s[0], 6);
	bool quoted = formula;

	for (size_t i = 0; i < n && !quoted; i++)
		quoted = s[i] == '"' || s[i] == ',' || s[i] == '\n' || s[i] == '\r';
	if (!quoted) {
		buf_put(out, s, n);
		return;
	}
	buf_puts(out, formula ? "\"'" : "\"");
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			buf_putc(out, '"');
		buf_putc(out, s[i]);
	}
	buf_putc(out, '"');
}

static void add_name(struct cells *c, const char *name)
{
	if (c->names.len)
		buf_putc(&c->names, ',');
	put_csv_text(&c->names, name, strlen(name));
}

static void put_names(struct cells *c)
{
	buf_put(c->out, c->names.data, c->names.len);
	buf_puts(c->out, "\r\n");
	c->named = true;
}

void cells_begin(struct cells *c, enum cells_form form, struct outfile *out)
{
	*c = (struct cells){ .form = form, .out = &out->buf };
	if (form == CELLS_PARQUET)
		c->parquet = parquet_new(out);
}

void cells_declare(struct cells *c, const char *name, enum cell_kind kind)
{
	static const enum parquet_kind kinds[] = {
		[CELL_NUMBER] = PARQUET_NUMBER, [CELL_SIGNED] = PARQUET_SIGNED, [CELL_FIXED] = PARQUET_DOUBLE,
		[CELL_TEXT] = PARQUET_TEXT, [CELL_LIST] = PARQUET_LIST,
	};

	c->declared = true;
	if (c->form == CELLS_CSV)
		add_name(c, name);
	else if (c->form == CELLS_PARQUET)
		parquet_column(c->parquet, name, kinds[kind]);
}

void cells_names_stay(struct cells *c)
{
	if (c->form == CELLS_PARQUET)
		parquet_names_stay(c->parquet);
}

static void begin_cell(struct cells *c, const char *name)
{
	if (c->form == CELLS_JSON) {
		json_key(&c->json, name);
		return;
	}
	if (c->nr++)
		buf_putc(&c->row, ',');
	if (!c->named)
		add_name(c, name);
}

void cells_begin_row(struct cells *c)
{
	c->json = (struct json){ .out = c->out };
	c->nr = 0;
	if (c->form == CELLS_JSON)
		json_open(&c->json, '{');
	if (c->form == CELLS_CSV && c->declared && !c->named)
		put_names(c);
}

void cells_text(struct cells *c, const char *name, const char *text)
{
	if (c->form == CELLS_PARQUET) {
		parquet_text(c->parquet, name, parquet_string(c->parquet, text));
		return;
	}
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_string(&c->json, text);
	else
		put_csv_text(&c->row, text, strlen(text));
}

void cells_text_again(struct cells *c, const char *name, const char *text, uint32_t *known)
{
	if (c->form != CELLS_PARQUET) {
		cells_text(c, name, text);
		return;
	}
	if (!*known)
		*known = parquet_string(c->parquet, text) + 1;
	parquet_text(c->parquet, name, *known - 1);
}

void cells_number(struct cells *c, const char *name, uint64_t v)
{
	if (c->form == CELLS_PARQUET) {
		parquet_number(c->parquet, name, v);
		return;
	}
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_u64(&c->json, v);
	else
		buf_dec(&c->row, v, 0);
}

void cells_signed(struct cells *c, const char *name, int64_t v)
{
	if (c->form == CELLS_PARQUET) {
		parquet_signed(c->parquet, name, v);
		return;
	}
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_i64(&c->json, v);
	else
		buf_int(&c->row, v, 0);
}

void cells_fixed(struct cells *c, const char *name, double v, int digits)
{
	if (c->form == CELLS_PARQUET) {
		parquet_double(c->parquet, name, v);
		return;
	}
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_fixed(&c->json, v, digits);
	else
		buf_printf(&c->row, "%.*f", digits, v);
}

void cells_none(struct cells *c, const char *name)
{
	if (c->form == CELLS_PARQUET) {
		parquet_none(c->parquet, name);
		return;
	}
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_null(&c->json);
}

void cells_add_element(struct cells *c, struct buf *list, const char *made, size_t len, bool first)
{
	if (!first && c->form != CELLS_PARQUET)
		buf_putc(list, c->form == CELLS_JSON ? ',' : ';');
	buf_put(list, made, len);
}

void cells_put_element(struct cells *c, struct buf *out, const char *text)
{
	uint32_t string;

	if (c->form == CELLS_PARQUET) {
		string = parquet_string(c->parquet, text);
		buf_put(out, &string, sizeof(string));
		return;
	}
	if (c->form == CELLS_JSON) {
		buf_json_string(out, text, strlen(text));
		return;
	}
	for (; *text; text++)
		buf_putc(out, *text == ';' ? ':' : *text);
}

void cells_list(struct cells *c, const char *name, const char *made, size_t len)
{
	if (c->form == CELLS_PARQUET) {
		parquet_list(c->parquet, name, (const uint32_t *)(const void *)made, len / sizeof(uint32_t));
		return;
	}
	begin_cell(c, name);
	if (c->form == CELLS_CSV) {
		put_csv_text(&c->row, made, len);
		return;
	}
	json_open(&c->json, '[');
	buf_put(c->out, made, len);
	json_close(&c->json, ']');
}

void cells_end_row(struct cells *c)
{
	if (c->form == CELLS_PARQUET) {
		parquet_end_row(c->parquet, c->declared);
		return;
	}
	if (c->form == CELLS_JSON) {
		json_close(&c->json, '}');
		buf_putc(c->out, '\n');
		return;
	}
	if (!c->named)
		put_names(c);
	buf_put(c->out, c->row.data, c->row.len);
	buf_puts(c->out, "\r\n");
	c->row.len = 0;
}

void cells_end(struct cells *c)
{
	if (c->form == CELLS_PARQUET)
		parquet_end(c->parquet);
	if (c->form == CELLS_CSV && c->declared && !c->named)
		put_names(c);
	buf_release(&c->names);
	buf_release(&c->row);
}
