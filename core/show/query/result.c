/*
 * Writes the rows of an SQL result as text, JSON, CSV, Parquet or an Arrow stream, for prec query. For text, Parquet and Arrow the
 * first rows are kept until the widths or types of the columns are known.
 */
#include "core/show/query/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/base/printable.h"
#include "core/show/query/arrow.h"

#define ROWS_FOR_WIDTHS	1000u	/* the columns of a table are as wide as these rows need */
#define MOST_KEPT	(32u << 20)	/* bytes of kept rows; if they need more, fewer rows decide about widths or types */
#define ROWS_FOR_TYPES	1000u	/* the type of a column is one that fits the values of these rows */

/* ---- cells of a table ---- */

/* The text of a value, without control characters, because it may go to a terminal. Owned by the caller. */
static char *text_of(const struct query_value *v, bool is_address)
{
	switch (v->type) {
	case QUERY_INTEGER:
	case QUERY_ADDRESS:
		return is_address ? xasprintf("0x%" PRIx64, (uint64_t)v->integer) : xasprintf("%" PRId64, v->integer);
	case QUERY_REAL:
		return xasprintf("%.*f", fabs(v->real) >= 1e6 ? 1 : 3, v->real);
	case QUERY_TEXT:
		return printable_text(xstrdup(v->text));
	case QUERY_NULL:
		break;
	}
	return xstrdup("");
}

static bool is_right(const struct result *r, size_t column)
{
	return r->types.v[column] == QUERY_INTEGER || r->types.v[column] == QUERY_ADDRESS || r->types.v[column] == QUERY_REAL;
}

static void put_cell(struct result *r, const char *text, size_t column)
{
	struct buf *out = &r->out->buf;
	size_t columns = text_columns(text, strlen(text)), width = r->widths.v[column];
	size_t room = width > columns ? width - columns : 0;
	bool last = column + 1 == r->names.nr;

	if (column)
		buf_puts(out, "  ");
	if (is_right(r, column))
		buf_fill(out, ' ', room);
	buf_puts(out, text);
	if (!is_right(r, column) && !last)
		buf_fill(out, ' ', room);
}

static void put_line(struct result *r, char *const *texts)
{
	for (size_t i = 0; i < r->names.nr; i++)
		put_cell(r, texts[i], i);
	buf_putc(&r->out->buf, '\n');
	outfile_maybe_flush(r->out);
}

static void widen(struct result *r, const char *text, size_t column)
{
	r->widths.v[column] = MAX(r->widths.v[column], text_columns(text, strlen(text)));
}

/* The number of zeros at the end of a fraction. If all its digits are zeros, the point is counted, too. */
static size_t zeros_of(const char *number)
{
	const char *point = strchr(number, '.');
	size_t n = 0, len = strlen(number);

	while (point && number[len - n - 1] == '0')
		n++;
	return point && number[len - n - 1] == '.' ? n + 1 : n;
}

/* Cuts the fractions in a column to the digits that one of the kept rows needs. */
static void cut_zeros(struct result *r, size_t column)
{
	size_t decimals = 0, nr = r->names.nr;

	for (size_t i = column; i < r->texts.nr; i += nr) {
		const char *point = strchr(r->texts.v[i], '.');
		size_t zeros = zeros_of(r->texts.v[i]);

		decimals = MAX(decimals, point ? strlen(point) - zeros : 0);
	}
	for (size_t i = column; i < r->texts.nr; i += nr) {
		char *point = strchr(r->texts.v[i], '.');

		if (point && strlen(point) > decimals)
			point[decimals] = '\0';
	}
}

static void put_kept_rows(struct result *r)
{
	size_t nr = r->names.nr;

	for (size_t i = 0; i < nr; i++)
		if (r->types.v[i] == QUERY_REAL)
			cut_zeros(r, i);
	for (size_t i = 0; i < nr; i++)
		widen(r, r->names.v[i], i);
	for (size_t i = 0; i < r->texts.nr; i++)
		widen(r, r->texts.v[i], i % nr);
	put_line(r, r->names.v);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			buf_puts(&r->out->buf, "  ");
		buf_fill(&r->out->buf, '-', i + 1 < nr || is_right(r, i) ? r->widths.v[i] : strlen(r->names.v[i]));
	}
	buf_putc(&r->out->buf, '\n');
	for (size_t i = 0; i + nr <= r->texts.nr; i += nr)
		put_line(r, r->texts.v + i);
	vec_for(text, &r->texts)
		free(*text);
	r->texts.nr = 0;
	r->widths_known = true;
}

static void table_row(struct result *r, const struct query_value *values, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		vec_push(&r->texts, text_of(&values[i], r->types.v[i] == QUERY_ADDRESS));
		r->kept += strlen(r->texts.v[r->texts.nr - 1]);
	}
	if (r->widths_known || r->nr_rows >= ROWS_FOR_WIDTHS || r->kept >= MOST_KEPT) {
		if (!r->widths_known)
			put_kept_rows(r);
		else
			put_line(r, r->texts.v);
		vec_for(text, &r->texts)
			free(*text);
		r->texts.nr = 0;
	}
}

/* ---- JSON: an array of objects ---- */

static void json_row(struct result *r, const struct query_value *values, unsigned nr)
{
	struct json json = { .out = &r->out->buf };

	buf_puts(&r->out->buf, r->nr_rows > 1 ? ",\n" : "\n");
	json_open(&json, '{');
	for (unsigned i = 0; i < nr; i++) {
		const struct query_value *v = &values[i];

		json_key(&json, r->names.v[i]);
		if (v->type == QUERY_INTEGER)
			json_i64(&json, v->integer);
		else if (v->type == QUERY_REAL && isfinite(v->real))
			json_fixed(&json, v->real, 6);
		else if (v->type == QUERY_TEXT)
			json_string(&json, v->text);
		else
			json_null(&json);
	}
	json_close(&json, '}');
}

/* ---- CSV, Parquet, Arrow ---- */

static void declare(struct result *r)
{
	static const enum cell_kind kinds[] = { [QUERY_NULL] = CELL_TEXT, [QUERY_INTEGER] = CELL_SIGNED, [QUERY_REAL] = CELL_FIXED,
						[QUERY_TEXT] = CELL_TEXT };
	static const enum arrow_type arrow_types[] = { [QUERY_NULL] = ARROW_TEXT, [QUERY_INTEGER] = ARROW_INT64,
						       [QUERY_REAL] = ARROW_DOUBLE, [QUERY_TEXT] = ARROW_TEXT };

	if (r->form == RESULT_ARROW) {
		r->arrow = arrow_new(r->out);
		for (size_t i = 0; i < r->names.nr; i++)
			arrow_column(r->arrow, r->names.v[i], arrow_types[r->types.v[i]]);
		return;
	}
	cells_begin(&r->cells, r->form == RESULT_CSV ? CELLS_CSV : CELLS_PARQUET, r->out);
	for (size_t i = 0; i < r->names.nr; i++)
		cells_declare(&r->cells, r->names.v[i], kinds[r->types.v[i]]);
}

static void put_none(struct result *r, size_t column)
{
	if (r->arrow)
		arrow_null(r->arrow);
	else
		cells_none(&r->cells, r->names.v[column]);
}

static void put_integer(struct result *r, size_t column, int64_t v)
{
	if (r->arrow)
		arrow_int(r->arrow, v);
	else
		cells_signed(&r->cells, r->names.v[column], v);
}

static void put_real(struct result *r, size_t column, double v)
{
	if (r->arrow)
		arrow_double(r->arrow, v);
	else
		cells_fixed(&r->cells, r->names.v[column], v, 6);
}

static void put_text(struct result *r, size_t column, const char *text)
{
	if (r->arrow)
		arrow_text(r->arrow, text);
	else
		cells_text(&r->cells, r->names.v[column], text);
}

/* True if the output format has one type for each column. */
static bool is_typed(const struct result *r)
{
	return r->form == RESULT_PARQUET || r->form == RESULT_ARROW;
}

static void put_typed(struct result *r, size_t column, const struct query_value *v)
{
	enum query_type type = is_typed(r) ? r->types.v[column] : v->type;
	char *text;

	if (v->type == QUERY_NULL || (type == QUERY_INTEGER && v->type == QUERY_REAL && fabs(v->real) >= 0x1p63)) {
		put_none(r, column);
		r->nr_misfits += v->type != QUERY_NULL;
	} else if (type == QUERY_INTEGER && v->type != QUERY_TEXT) {
		put_integer(r, column, v->type == QUERY_REAL ? (int64_t)v->real : v->integer);
		r->nr_misfits += v->type == QUERY_REAL && fabs(v->real - trunc(v->real)) > 0;
	} else if (type == QUERY_REAL && v->type != QUERY_TEXT) {
		put_real(r, column, v->type == QUERY_REAL ? v->real : (double)v->integer);
	} else if (type == QUERY_INTEGER || type == QUERY_REAL) {
		put_none(r, column);
		r->nr_misfits++;
	} else if (v->type == QUERY_TEXT) {
		put_text(r, column, v->text);
	} else {
		text = text_of(v, false);
		put_text(r, column, text);
		free(text);
	}
}

static void put_cells(struct result *r, const struct query_value *values, unsigned nr)
{
	if (!r->arrow)
		cells_begin_row(&r->cells);
	for (unsigned i = 0; i < nr; i++)
		put_typed(r, i, &values[i]);
	if (r->arrow)
		arrow_end_row(r->arrow);
	else
		cells_end_row(&r->cells);
}

static enum query_type common_type(enum query_type a, enum query_type b)
{
	static const enum query_type by_rank[] = { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT };

	for (size_t i = ARRAY_SIZE(by_rank); i-- > 0; )
		if (a == by_rank[i] || b == by_rank[i])
			return by_rank[i];
	return QUERY_TEXT;
}

static void put_waiting_rows(struct result *r)
{
	unsigned nr = (unsigned)r->names.nr;

	declare(r);
	r->declared = true;
	for (size_t i = 0; i + nr <= r->waiting.nr; i += nr)
		put_cells(r, r->waiting.v + i, nr);
	vec_for(v, &r->waiting)
		free((char *)(uintptr_t)v->text);
	vec_free(&r->waiting);
}

static void typed_row(struct result *r, const struct query_value *values, unsigned nr)
{
	if (r->declared) {
		put_cells(r, values, nr);
		return;
	}
	for (unsigned i = 0; i < nr; i++) {
		struct query_value copy = values[i];

		copy.text = copy.type == QUERY_TEXT ? xstrdup(copy.text) : NULL;
		r->kept += copy.text ? strlen(copy.text) : 0;
		vec_push(&r->waiting, copy);
		r->types.v[i] = common_type(r->types.v[i], copy.type);
	}
	if (r->nr_rows >= ROWS_FOR_TYPES || r->kept >= MOST_KEPT)
		put_waiting_rows(r);
}

static void end_typed_rows(struct result *r)
{
	if (!r->declared)
		put_waiting_rows(r);
	if (r->arrow)
		arrow_end(r->arrow);
	else
		cells_end(&r->cells);
	r->arrow = NULL;
	if (r->nr_misfits)
		warning("%" PRIu64 " values are missing or rounded in the result, as the first %u rows of their columns are "
			"of another type: CAST(... AS TEXT) or AS REAL gives all of them one", r->nr_misfits, ROWS_FOR_TYPES);
}

/* ---- the sink ---- */

static void forget_names(struct result *r)
{
	vec_for(name, &r->names)
		free(*name);
	vec_for(text, &r->texts)
		free(*text);
	vec_free(&r->names);
	vec_free(&r->types);
	vec_free(&r->texts);
	vec_free(&r->widths);
	r->widths_known = false;
}

static bool has_name(const struct result *r, const char *name)
{
	vec_for(other, &r->names)
		if (str_eq(*other, name))
			return true;
	return false;
}

/* The column's name, owned by the caller. A second "tid" becomes "tid_2": readers find columns by name. */
static char *name_of_column(const struct result *r, const char *given)
{
	char *name = xstrdup(given);

	for (unsigned i = 2; r->form != RESULT_TABLE && has_name(r, name); i++) {
		free(name);
		name = xasprintf("%s_%u", given, i);
	}
	return name;
}

static bool begin(void *ctx, const char *const *names, const enum query_type *types, unsigned nr)
{
	struct result *r = ctx;

	if (r->nr_results && (r->form == RESULT_JSON || is_typed(r))) {
		error("the second statement has a result, too, and %s is that of one: ask for one at a time, or join them with "
		      "UNION ALL", r->form == RESULT_JSON ? "a JSON array" :
		      r->form == RESULT_PARQUET ? "a Parquet file" : "an Arrow stream");
		return false;
	}
	forget_names(r);
	r->nr_rows = r->kept = 0;
	for (unsigned i = 0; i < nr; i++) {
		char *name = name_of_column(r, names[i] ? names[i] : "");

		vec_push(&r->names, name);
		vec_push(&r->types, types[i] == QUERY_ADDRESS && r->form != RESULT_TABLE ? QUERY_INTEGER : types[i]);
		vec_push(&r->widths, 0);
	}
	if (r->form == RESULT_TABLE && r->nr_results)
		buf_putc(&r->out->buf, '\n');
	else if (r->form == RESULT_JSON)
		buf_puts(&r->out->buf, "[");
	else if (r->form == RESULT_CSV)
		declare(r);
	r->nr_results++;
	return true;
}

static bool row(void *ctx, const struct query_value *values, unsigned nr)
{
	struct result *r = ctx;

	r->nr_rows++;
	if (r->form == RESULT_TABLE) {
		table_row(r, values, nr);
	} else if (r->form == RESULT_JSON) {
		json_row(r, values, nr);
	} else if (is_typed(r)) {
		typed_row(r, values, nr);
	} else {
		put_cells(r, values, nr);
	}
	outfile_maybe_flush(r->out);
	return !r->out->err;
}

static void end(void *ctx)
{
	struct result *r = ctx;

	if (r->form == RESULT_TABLE && !r->widths_known)
		put_kept_rows(r);
	else if (r->form == RESULT_JSON)
		buf_puts(&r->out->buf, r->nr_rows ? "\n]\n" : "]\n");
	else if (r->form == RESULT_CSV)
		cells_end(&r->cells);
	else if (is_typed(r))
		end_typed_rows(r);
}

struct query_sink result_init(struct result *r, enum result_form form, struct outfile *out)
{
	*r = (struct result){ .form = form, .out = out };
	return (struct query_sink){ .begin = begin, .row = row, .end = end, .ctx = r };
}

void result_end(struct result *r)
{
	forget_names(r);
}
