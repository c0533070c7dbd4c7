/* Cells as JSON and as CSV. Layer: export */
#include "core/export/cells.h"

/* A cell of CSV is quoted where it has to be. */
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

static void begin_cell(struct cells *c, const char *name)
{
	if (c->form == CELLS_JSON) {
		json_key(&c->json, name);
		return;
	}
	if (c->nr++)
		buf_putc(&c->row, ',');
	if (c->named)
		return;
	if (c->names.len)
		buf_putc(&c->names, ',');
	put_csv_text(&c->names, name, strlen(name));
}

void cells_begin_row(struct cells *c)
{
	c->json = (struct json){ .out = c->out };
	c->nr = 0;
	if (c->form == CELLS_JSON)
		json_open(&c->json, '{');
}

void cells_text(struct cells *c, const char *name, const char *text)
{
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_string(&c->json, text);
	else
		put_csv_text(&c->row, text, strlen(text));
}

void cells_number(struct cells *c, const char *name, uint64_t v)
{
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_u64(&c->json, v);
	else
		buf_dec(&c->row, v, 0);
}

void cells_signed(struct cells *c, const char *name, int64_t v)
{
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_i64(&c->json, v);
	else
		buf_int(&c->row, v, 0);
}

void cells_fixed(struct cells *c, const char *name, double v, int digits)
{
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_fixed(&c->json, v, digits);
	else
		buf_printf(&c->row, "%.*f", digits, v);
}

void cells_none(struct cells *c, const char *name)
{
	begin_cell(c, name);
	if (c->form == CELLS_JSON)
		json_null(&c->json);
}

void cells_put_element(enum cells_form form, struct buf *list, const char *text, bool first)
{
	if (!first)
		buf_putc(list, form == CELLS_JSON ? ',' : ';');
	if (form == CELLS_JSON) {
		buf_json_string(list, text, strlen(text));
		return;
	}
	for (; *text; text++)
		buf_putc(list, *text == ';' ? ':' : *text);
}

void cells_list(struct cells *c, const char *name, const char *made, size_t len)
{
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
	if (c->form == CELLS_JSON) {
		json_close(&c->json, '}');
		buf_putc(c->out, '\n');
		return;
	}
	if (!c->named) {
		buf_put(c->out, c->names.data, c->names.len);
		buf_puts(c->out, "\r\n");
	}
	c->named = true;
	buf_put(c->out, c->row.data, c->row.len);
	buf_puts(c->out, "\r\n");
	c->row.len = 0;
}

void cells_release(struct cells *c)
{
	buf_release(&c->names);
	buf_release(&c->row);
}
