/*
 * Prints a hint if a statement of prec query has an empty result because it compares a column with a text that no row has. The
 * hint names similar texts that the column does have.
 */
#include "core/show/query/query_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/ui/suggest.h"

#define MOST_COMPARED	8	/* texts that are noted for a statement */
#define MOST_LISTED	8	/* if there are more values, only those similar to the text are listed */

static void note(struct query *first, const struct query_table *t, unsigned column, const char *text)
{
	vec_for(c, &first->compared)
		if (c->table == t && c->column == column && str_eq(c->text, text))
			return;
	vec_push(&first->compared, ((struct query_compared){ t, column, xstrdup(text) }));
}

void query_note_texts(struct query *first, const struct query_table *t, sqlite3_index_info *info)
{
	sqlite3_value *value;

	for (int i = 0; !t->function && i < info->nConstraint && first->compared.nr < MOST_COMPARED; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (c->iColumn >= 0 && c->op == SQLITE_INDEX_CONSTRAINT_EQ && str_eq(t->columns[c->iColumn].type, "TEXT") &&
		    !sqlite3_vtab_in(info, i, -1) && sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK &&
		    sqlite3_value_type(value) == SQLITE_TEXT && sqlite3_value_text(value))
			note(first, t, (unsigned)c->iColumn, (const char *)sqlite3_value_text(value));
	}
}

/* The values in the rows that the last statement read, so no more is read. False: has the text, no rows, or not listable. */
static bool list_values(const struct query_compared *c, struct names *out)
{
	struct query *q = c->table->query;
	const uint64_t from = q->from, to = q->to;
	const bool all_tids = q->tids.all, all_cpus = q->cpus.all;
	const char schema[] = { (char)('a' + q->number), '\0' };
	char *sql = sqlite3_mprintf("SELECT DISTINCT \"%w\" FROM \"%w\".\"%w\"", c->table->columns[c->column].name,
				    q->first->others.nr ? schema : "main", c->table->name);
	sqlite3_stmt *stmt = NULL;
	int result = sql ? sqlite3_prepare_v2(q->first->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
	bool found = false, any = false;

	q->from = from;
	q->to = to;
	q->tids.all = all_tids;
	q->cpus.all = all_cpus;
	while (result != SQLITE_DONE && stmt && !found && (result = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 0);

		any = true;
		found = text && str_eq(text, c->text);
		if (text)
			names_add(out, text);
	}
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return any && !found && result == SQLITE_DONE;
}

static void hint(const struct query_compared *c)
{
	const char *column = c->table->columns[c->column].name;
	char *text = printable_text(xstrdup(c->text));
	struct names values = {0};
	struct buf more = {0};

	if (list_values(c, &values)) {
		progress_end();
		names_sort(&values);
		if (!values.list.nr)
			buf_puts(&more, ": it is null in all of them");
		else if (values.list.nr > MOST_LISTED)
			names_suggest(&more, c->text, strlen(c->text), &values);
		else
			for (size_t i = 0; i < values.list.nr; i++)
				buf_printf(&more, "%s%s", i ? ", " : ": there are ", values.list.v[i]);
		info("no row of %s has the %s '%s'%s", c->table->name, column, text, buf_str(&more));
	}
	names_release(&values);
	buf_release(&more);
	free(text);
}

void query_hint_texts(struct query *first)
{
	for (size_t i = 0; i < first->compared.nr && log_level() >= 0; i++)
		hint(&first->compared.v[i]);
}

void query_forget_texts(struct query *first)
{
	vec_for(c, &first->compared)
		free(c->text);
	vec_free(&first->compared);
}
