/*
 * Implements functions that the SQL tables "branches", "instructions", "calls", "diff" and "pairs" of prec query share: they
 * apply the command line's filter, limit the memory for rows, and look up functions by address.
 */
#include "core/show/query/row_lists.h"

#include <inttypes.h>

#include "core/base/log.h"
#include "core/code/code_places.h"
#include "core/model/dso.h"
#include "core/read/filter.h"
#include "core/read/session.h"

void query_fail(struct query *q)
{
	q->first->failed = true;
}

void row_room_check(struct row_room *room, struct query *q, const char *table)
{
	if (atomic_load(&room->full))
		error("the rows of '%s' need more than the %" PRIu64 " MiB that they may have (--max-memory): --time and --tid "
		      "leave out what is not needed", table, q->opts.max_memory >> 20);
	else if (q->opts.is_stopped && q->opts.is_stopped())
		error("the query was interrupted");
	else
		return;
	query_fail(q);
}

struct filter *query_filter(struct query *q)
{
	struct filter *filter = NULL;

	if (!filter_new(&filter, q->opts.filter, q->opts.session))
		return filter;
	filter_free(filter);
	query_fail(q);
	return NULL;
}

struct code_places *query_places(struct query *q)
{
	if (!q->places)
		q->places = code_places_new(session_machine(q->opts.session));
	return q->places;
}

void put_place_symbol(const struct query_row *r, const struct code_place *place, sqlite3_context *out)
{
	put_static_text(out, code_function(r->query->places, place->function)->name);
}

void put_place_dso(const struct query_row *r, const struct code_place *place, sqlite3_context *out)
{
	const struct code_function *f = code_function(r->query->places, place->function);

	if (f->dso)
		put_static_text(out, f->dso->name);
}
