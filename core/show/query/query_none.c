/* Without SQLite there are no queries. Layer: query */
#include "core/show/query/query.h"

#include <stddef.h>

#include "core/base/log.h"

struct query *query_open(const struct query_opts *opts)
{
	(void)opts;
	error("this prec was built without SQLite: install libsqlite3-dev and build it again");
	return NULL;
}

void query_close(struct query *q)
{
	(void)q;
}

int query_run(struct query *q, const char *sql, const struct query_sink *sink)
{
	(void)q;
	(void)sql;
	(void)sink;
	return -1;
}

void query_findings(const struct query *q, struct findings *out)
{
	(void)q;
	(void)out;
}

void query_put_schema(const struct query *q, struct buf *out)
{
	(void)q;
	(void)out;
}
