/*
 * Writes the rows of an SQL result as a table with aligned columns, as JSON, CSV or Parquet, or as an Arrow stream, for prec
 * query. query_run() (query.h) passes it the rows.
 */
#ifndef CORE_SHOW_QUERY_RESULT_H
#define CORE_SHOW_QUERY_RESULT_H

#include "core/base/vec.h"
#include "core/show/export/cells.h"
#include "core/show/query/query.h"

struct arrow;
struct outfile;

enum result_form { RESULT_TABLE, RESULT_JSON, RESULT_CSV, RESULT_PARQUET, RESULT_ARROW };

struct result {				/* result_init() */
	enum result_form form;
	struct outfile *out;		/* borrowed */
	unsigned nr_results;		/* statements so far that gave rows */
	VEC(char *) names;		/* owned: of the columns */
	VEC(enum query_type) types;
	uint64_t nr_rows;
	uint64_t kept;			/* bytes of texts in .waiting or .texts */
	struct cells cells;
	struct arrow *arrow;		/* owned */
	/* Only for Parquet and Arrow: the first rows, until the types of the columns are known. */
	VEC(struct query_value) waiting;	/* owned, with their texts */
	bool declared;
	uint64_t nr_misfits;		/* later values that became null or were rounded, because their column has another type */
	/* Only for a table: the first rows, until the widths of the columns are known. */
	VEC(char *) texts;		/* owned */
	VEC(size_t) widths;
	bool widths_known;
};

struct query_sink result_init(struct result *r, enum result_form form, struct outfile *out);
void result_end(struct result *r);

#endif
