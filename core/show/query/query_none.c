/* Replaces query.c in a build without SQLite. query_open() prints that SQLite is missing and fails. */
#include "core/show/query/query.h"

#include <stddef.h>

#include "core/base/log.h"

struct query *query_open(const struct query_opts *opts)
{
	error("this prec was built without SQLite: install libsqlite3-dev and build it again");
	return NULL;
}

int query_add_recording(struct query *q, const struct query_opts *opts)
{
	return -1;
}

void query_close(struct query *q)
{
}

int query_run(struct query *q, const char *sql, const struct query_sink *sink)
{
	return -1;
}

const struct profile *query_stack(const struct query *q, int64_t id, uint32_t *recording, uint32_t *stack)
{
	return NULL;
}

void query_findings(const struct query *q, struct findings *out)
{
}

bool query_put_schema(const struct query *q, const char *table, struct buf *out)
{
	return false;
}

void query_put_words(const struct query *q, struct buf *out)
{
}

bool query_is_complete(const char *sql)
{
	return true;
}
