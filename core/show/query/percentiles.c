/*
 * Implements the SQL functions percentile(x, p) and median(x) of prec query, because SQLite has them only since 3.51, and not in
 * all builds. As in SQLite, the result is interpolated between the two nearest values.
 */
#include "core/show/query/query_impl.h"

#include <math.h>
#include <stdlib.h>

struct percentile {		/* the state of a group, zeroed by SQLite */
	double *values;		/* SQLite's memory, which --max-memory bounds */
	uint64_t nr, room;
	double percent;
};

static void add_value(sqlite3_context *ctx, struct percentile *g, double value)
{
	if (g->nr == g->room) {
		uint64_t room = g->room ? 2 * g->room : 64;
		double *more = sqlite3_realloc64(g->values, room * sizeof(*more));

		if (!more) {
			sqlite3_result_error_nomem(ctx);
			return;
		}
		g->values = more;
		g->room = room;
	}
	g->values[g->nr++] = value;
}

/* Gets the number @v. False: it is not a number from 0 to 100. */
static bool percent_of(sqlite3_value *v, double *out)
{
	int type = sqlite3_value_numeric_type(v);

	*out = sqlite3_value_double(v);
	return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && *out >= 0 && *out <= 100;
}

static void step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct percentile *g = sqlite3_aggregate_context(ctx, sizeof(*g));
	double percent = 50;
	int type;

	if (!g)
		return;
	if (argc > 1 && !percent_of(argv[1], &percent)) {
		sqlite3_result_error(ctx, "the percentile of percentile(x, p) is a number from 0 to 100", -1);
		return;
	}
	type = sqlite3_value_numeric_type(argv[0]);
	if (type == SQLITE_NULL)
		return;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
		sqlite3_result_error(ctx, "percentile() and median() are of numbers", -1);
		return;
	}
	if (g->nr && (g->percent < percent || g->percent > percent)) {
		sqlite3_result_error(ctx, "the percentile of percentile(x, p) is the same for all rows of a group", -1);
		return;
	}
	g->percent = percent;
	add_value(ctx, g, sqlite3_value_double(argv[0]));
}

ORDER(compare_values, double, *a < *b ? -1 : *a > *b)

static void finish(sqlite3_context *ctx)
{
	struct percentile *g = sqlite3_aggregate_context(ctx, 0);
	double place, low, high;

	if (!g || !g->nr)
		return;
	qsort(g->values, g->nr, sizeof(*g->values), compare_values);
	place = g->percent / 100 * (double)(g->nr - 1);
	low = g->values[(uint64_t)place];
	high = g->values[MIN((uint64_t)place + 1, g->nr - 1)];
	sqlite3_result_double(ctx, low + (high - low) * (place - floor(place)));
	sqlite3_free(g->values);
}

int query_add_percentiles(struct query *first)
{
	int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
	int err = sqlite3_create_function_v2(first->db, "percentile", 2, flags, first, NULL, step, finish, NULL);

	return err != SQLITE_OK ? err : sqlite3_create_function_v2(first->db, "median", 1, flags, first, NULL, step, finish, NULL);
}
