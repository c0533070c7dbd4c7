/*
 * Replaces SQLite's count(*) in prec query. A row may stand for several equal samples, so this count(*) adds up the numbers of
 * samples instead of counting rows. The SQL table with the same name is in counts_table.c.
 */
#include "core/show/query/query_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COUNT "count(*)"

/* Adds the number of samples that the row being read stands for. */
static void add_row(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct query *first = sqlite3_user_data(ctx);
	uint64_t *nr = sqlite3_aggregate_context(ctx, sizeof(*nr));

	if (!first->row_samples)
		sqlite3_result_error(ctx, "rows are counted that are not read", -1);
	else if (nr)
		*nr += first->row_samples;
}

/* SQLite calls this only for window functions, whose rows each count 1. */
static void drop_row(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	uint64_t *nr = sqlite3_aggregate_context(ctx, sizeof(*nr));

	if (nr)
		--*nr;
}

static void put_count(sqlite3_context *ctx)
{
	const uint64_t *nr = sqlite3_aggregate_context(ctx, 0);

	sqlite3_result_int64(ctx, nr ? (int64_t)*nr : 0);
}

int query_add_count(struct query *first)
{
	first->row_samples = 1;
	return sqlite3_create_window_function(first->db, "count", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, first, add_row, put_count,
					      put_count, drop_row, NULL);
}

void query_note_function(struct query *first, const char *function)
{
	static const char *const of_one_row[] = { "like", "glob", "stack_has", "stack_root", "stack_text", "syscall_name" };
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(of_one_row); i++)
		known |= !sqlite3_stricmp(function, of_one_row[i]);
	if (!sqlite3_stricmp(function, "count"))
		first->calls_count = true;
	else if (!known)
		first->other_functions = true;
}

/* Sums cannot be used for count(column) or for windows. So the words of these must not be in the statement, not even as names. */
static bool counts_rows_only(const char *statement, bool ordered)
{
	char *text = xstrdup(statement), *to = text;
	bool fits;

	for (const char *p = statement; *p;) {
		size_t n = !sqlite3_strnicmp(p, COUNT, (int)strlen(COUNT)) ? strlen(COUNT) : 0;

		if (!n)
			*to++ = (char)tolower((unsigned char)*p++);
		p += n;
	}
	*to = '\0';
	fits = !strstr(text, "count") && !strstr(text, "over") && !strstr(text, "window") && (ordered || !strstr(text, "group"));
	free(text);
	return fits;
}

/* True for one SELECT from one table without other aggregates, if SQLite does not sort the rows before it counts them. */
bool query_counts_sums(const struct query *first, bool ordered)
{
	return first->calls_count && !first->other_functions && first->nr_selects == 1 && first->nr_cursors == 1 &&
	       counts_rows_only(first->statement, ordered);
}
