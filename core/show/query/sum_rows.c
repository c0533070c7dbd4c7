/*
 * Groups samples for an SQL statement of prec query, like a GROUP BY: samples that are equal in all columns of the statement
 * become one row. virtual_table.c reads the rows.
 */
#include "core/show/query/sum_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/read/session.h"

/* ---- values ---- */

/* False for the texts that sort keys print if they do not know the value. */
static bool is_known(const char *text)
{
	return !str_eq(text, "[unknown]") && !str_eq(text, "N/A");
}

enum value_kind query_key_value(const struct query_row *row, const struct query_table *t, unsigned number, uint64_t *out)
{
	const struct query_column *column = &t->columns[number];
	const struct event *ev = session_events(row->query->opts.session)->events.v[row->weight->event];
	uint32_t at = row->values ? row->values[number] : PROFILE_NONE;

	if (at == PROFILE_NONE || !row->sample.values || (column->recorded && !event_shows(ev, column->recorded)))
		return VALUE_NULL;
	*out = row->sample.values[at];
	if (*out == PROFILE_NO_VALUE)
		return VALUE_NULL;
	if (!row->data->columns.v[at].text)
		return VALUE_NUMBER;
	return is_known(profile_string(row->profile, (uint32_t)*out)) ? VALUE_STRING : VALUE_NULL;
}

static uint64_t number_at(const void *at, enum member_type type)
{
	switch (type) {
	case MEMBER_BOOL:
		return *(const bool *)at;
	case MEMBER_I32:
		return (uint64_t)(int64_t)*(const int32_t *)at;
	case MEMBER_U32:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static enum value_kind member_value(const struct query_column *c, const char *item, uint64_t *out)
{
	uint64_t v = number_at(item + c->at, c->type_of);
	bool known = !c->known || *(const bool *)(item + c->known);

	*out = c->rule == RULE_MOST ? MIN(v, INT64_MAX) : v;
	if (!known || (c->rule == RULE_TIME && v > INT64_MAX) || (c->rule == RULE_NUMBER && v == PROFILE_NONE))
		return VALUE_NULL;
	if (!v && (c->rule == RULE_TIME || c->rule == RULE_NOT_0 || c->rule == RULE_STRING))
		return VALUE_NULL;
	return c->rule == RULE_STRING ? VALUE_STRING : VALUE_NUMBER;
}

enum value_kind query_value(const struct query_row *row, const struct query_table *t, unsigned number, uint64_t *out)
{
	const struct query_column *column = &t->columns[number];
	int64_t value;

	*out = 0;
	if (column->key)
		return query_key_value(row, t, number, out);
	if (column->value)
		return column->value(row, number, out);
	if (column->type_of)
		return member_value(column, row->item, out);
	if (column->string) {
		*out = column->string(row);
		return *out ? VALUE_STRING : VALUE_NULL;
	}
	if (!column->number(row, &value))
		return VALUE_NULL;
	*out = (uint64_t)value;
	return VALUE_NUMBER;
}

bool query_is_compared(const struct query_column *c)
{
	return c->key || c->value || c->string || c->number ||
	       (c->type_of && c->type_of != MEMBER_TEXT && c->type_of != MEMBER_DOUBLE);
}

uint32_t *query_find_values(const struct query_row *row, const struct query_table *t)
{
	uint32_t *values = xcalloc(MAX(t->nr_columns, 1), sizeof(*values));

	for (unsigned i = 0; i < t->nr_columns; i++) {
		values[i] = PROFILE_NONE;
		for (unsigned k = 0; t->columns[i].key && k < row->data->columns.nr; k++)
			if (str_eq(profile_string(row->profile, row->data->columns.v[k].name), t->columns[i].key))
				values[i] = k;
	}
	return values;
}

/* ---- conditions: simple conditions of WHERE, so that virtual_table.c can skip rows that do not match ---- */

static const struct { unsigned char sqlite; char sign; } operators[] = {
	{ SQLITE_INDEX_CONSTRAINT_EQ, '=' }, { SQLITE_INDEX_CONSTRAINT_GT, '>' }, { SQLITE_INDEX_CONSTRAINT_LT, '<' },
	{ SQLITE_INDEX_CONSTRAINT_GE, 'g' }, { SQLITE_INDEX_CONSTRAINT_LE, 'l' },
};

static char sign_of(unsigned char op)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (operators[i].sqlite == op)
			return operators[i].sign;
	return '\0';
}

void conditions_offer(const struct query_table *t, sqlite3_index_info *info, struct buf *text)
{
	int nr = 0;

	for (int i = 0; i < info->nConstraint && nr < MAX_CONDITIONS; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (!c->usable || c->iColumn < 0 || sqlite3_vtab_in(info, i, -1) || !sign_of(c->op) ||
		    !query_is_compared(&t->columns[c->iColumn]) || sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
			continue;
		info->aConstraintUsage[i].argvIndex = ++nr;
		buf_printf(text, "%s%d%c", nr == 1 ? "|" : "", c->iColumn, sign_of(c->op));
	}
}

/* SQLite itself checks the conditions that are skipped here, such as a number compared with a text. */
void conditions_parse(struct conditions *c, const char *text, int argc, sqlite3_value **argv)
{
	const char *p = text ? strchr(text, '|') : NULL;
	char *end;

	for (int i = 0; p && i < argc && i < MAX_CONDITIONS; i++, p = end) {
		struct condition *to = &c->v[c->nr];

		to->column = (unsigned)strtoul(p + 1, &end, 10);
		to->sign = *end;
		to->kind = VALUE_NULL;
		if (sqlite3_value_type(argv[i]) == SQLITE_INTEGER) {
			to->kind = VALUE_NUMBER;
			to->number = sqlite3_value_int64(argv[i]);
		} else if (sqlite3_value_type(argv[i]) == SQLITE_TEXT && to->sign == '=') {
			const char *value = (const char *)sqlite3_value_text(argv[i]);

			if (value && strlen(value) == (size_t)sqlite3_value_bytes(argv[i])) {
				to->kind = VALUE_STRING;
				to->text = xstrdup(value);
			}
		}
		c->nr += to->kind != VALUE_NULL;
	}
}

void conditions_release(struct conditions *c)
{
	for (unsigned i = 0; i < c->nr; i++)
		if (c->v[i].kind == VALUE_STRING)
			free(c->v[i].text);
	c->nr = 0;
}

static bool compares(int64_t a, char sign, int64_t b)
{
	return sign == '=' ? a == b : sign == '<' ? a < b : sign == '>' ? a > b : sign == 'l' ? a <= b : a >= b;
}

bool conditions_hold(const struct conditions *c, const struct query_table *t, const struct query_row *row)
{
	for (unsigned i = 0; i < c->nr; i++) {
		const struct condition *with = &c->v[i];
		uint64_t value;
		enum value_kind kind = query_value(row, t, with->column, &value);

		if (kind == VALUE_NULL || (kind == with->kind && kind == VALUE_NUMBER &&
					   !compares((int64_t)value, with->sign, with->number)) ||
		    (kind == with->kind && kind == VALUE_STRING &&
		     !str_eq(profile_string(row->profile, (uint32_t)value), with->text)))
			return false;
	}
	return true;
}

/* ---- rows ---- */

/* Lists the samples of the profile. Without PART_TIMES, each is a sum, and its .time is the number of its samples. */
static void list_keyed(struct query *q)
{
	struct profile_sample sample;
	struct profile_cursor c;
	bool summed = !(q->made_parts & PART_TIMES);
	size_t nr_columns = profile_data(q->profile)->columns.nr;

	for (profile_cursor_init(&c, q->profile); profile_cursor_next(&c, &sample);) {
		vec_push(&q->keyed, ((struct keyed_sum){ sample.weight, summed ? sample.time : 1 }));
		for (size_t i = 0; i < nr_columns; i++)
			vec_push(&q->keyed_values, sample.values[i]);
	}
	profile_cursor_release(&c);
	q->keyed_made = true;
}

void query_forget_keyed(struct query *q)
{
	vec_free(&q->keyed);
	vec_free(&q->keyed_values);
	q->keyed_made = false;
}

size_t sum_rows_nr(struct query *q, bool keyed)
{
	if (!keyed)
		return profile_data(q->profile)->weights.nr;
	if (!q->keyed_made)
		list_keyed(q);
	return q->keyed.nr;
}

uint64_t sum_row_set(struct query_row *row, bool keyed, size_t number)
{
	const struct query *q = row->query;

	if (!keyed) {
		row->weight = &row->data->weights.v[number];
		row->nr = row->weight->nr;
	} else {
		row->weight = &row->data->weights.v[q->keyed.v[number].weight];
		row->sample.values = q->keyed_values.v + number * row->data->columns.nr;
		row->nr = q->keyed.v[number].nr;
	}
	return row->nr;
}

/* ---- order: of rows for ORDER BY and GROUP BY ---- */

struct sum_order { uint32_t number; uint64_t *words; };

/* Sets the two words by which a value is sorted. Null is the smallest value. */
static void put_rank(uint64_t *words, const struct query_table *t, unsigned column, const struct query_row *row, bool descends)
{
	uint64_t value, flip = descends ? UINT64_MAX : 0;
	enum value_kind kind = query_value(row, t, column, &value);

	words[0] = (kind != VALUE_NULL) ^ flip;
	words[1] = (kind == VALUE_NULL ? 0 : kind == VALUE_NUMBER ? value ^ UINT64_C(1) << 63 : value) ^ flip;
}

static int compare_sums(const void *a, const void *b, void *ctx)
{
	const struct sum_order *x = a, *y = b;
	unsigned nr = *(const unsigned *)ctx;

	for (unsigned i = 0; i < nr; i++)
		if (x->words[i] != y->words[i])
			return x->words[i] < y->words[i] ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static unsigned nr_sorted_by(const char *text)
{
	unsigned nr = 0;

	for (const char *p = text; *p && *p != '|'; p++)
		nr += *p == '+' || *p == '-';
	return nr;
}

/* Returns the numbers of the rows, sorted as @text says. Owned by the caller. */
static uint32_t *sort_sums(const struct query_row *like, const struct query_table *t, bool keyed, const char *text)
{
	size_t nr = sum_rows_nr(like->query, keyed);
	struct sum_order *sums = xcalloc(MAX(nr, 1), sizeof(*sums));
	struct query_row row = *like;
	unsigned nr_keys = nr_sorted_by(text), nr_words = 2 * nr_keys;
	uint64_t *words = xcalloc(MAX(nr, 1), nr_words * sizeof(*words));
	uint32_t *order;

	for (uint32_t i = 0; i < nr; i++) {
		const char *p = text;
		char *end;

		sum_row_set(&row, keyed, i);
		sums[i] = (struct sum_order){ i, words + (size_t)i * nr_words };
		for (unsigned k = 0; k < nr_keys; k++, p = end + 1) {
			unsigned column = (unsigned)strtoul(p, &end, 10);

			put_rank(sums[i].words + 2 * k, t, column, &row, *end == '-');
		}
	}
	qsort_r(sums, nr, sizeof(*sums), compare_sums, &nr_words);
	order = xcalloc(MAX(nr, 1), sizeof(*order));
	for (size_t i = 0; i < nr; i++)
		order[i] = sums[i].number;
	free(words);
	free(sums);
	return order;
}

const uint32_t *sum_rows_order(const struct query_row *like, const struct query_table *t, bool keyed, const char *text)
{
	struct query *q = like->query;
	struct query_order made;

	vec_for(o, &q->orders)
		if (o->table == t && str_eq(o->text, text))
			return o->rows;
	made = (struct query_order){ t, xstrdup(text), sort_sums(like, t, keyed, text) };
	vec_push(&q->orders, made);
	return made.rows;
}
