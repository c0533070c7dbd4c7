/*
 * Runs SQL statements on a recording, for prec query. The tables are virtual tables of SQLite. query.c runs the statements, and
 * virtual_table.c gives SQLite the rows.
 *
 * The rows come from the records or from the profile (core/profile/profile.h). Nothing is imported into a database, and data that a
 * statement does not use is not read:
 *
 *	prepare: SQLite asks each table which columns the statement uses, so the needed parts of the profile are known
 *	step:    when SQLite asks for the first row, one parallel pass over the recording makes these parts
 *
 */
#ifndef CORE_SHOW_QUERY_QUERY_H
#define CORE_SHOW_QUERY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

/* Increase it if a table or column changes its name or meaning, and say in QUERY_SCHEMA_CHANGES what has changed. */
#define QUERY_SCHEMA_VERSION 4
#define QUERY_SCHEMA_CHANGES "waits: the time from the wake-up on is a row of its own, in state ready"

struct buf;
struct filter_opts;
struct findings;
struct query;
struct profile;
struct session;

#define QUERY_MAX_RECORDINGS 10	/* SQLITE_MAX_ATTACHED, by default */

struct query_opts {
	struct session *session;	/* borrowed; NULL: only for query_put_schema(): tables that each recording has */
	const struct filter_opts *filter;	/* samples that do not pass are not in the tables; borrowed */
	unsigned max_depth;		/* this many innermost frames of a chain are kept */
	bool inlines;			/* inlined functions are also frames */
	bool decodes_calls, all_branches;	/* decoded from a hardware trace: calls, all branches */
	uint64_t max_memory;		/* bytes that SQLite may take for sorting and the like; above 0 */
	bool (*is_stopped)(void);	/* true: the statement ends. Called by several threads. NULL: never */
};

enum query_type { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT, QUERY_ADDRESS };

struct query_value {
	enum query_type type;		/* never QUERY_ADDRESS, a type only of columns: the values are QUERY_INTEGER */
	int64_t integer;
	double real;
	const char *text;		/* borrowed until the next row; any bytes but NUL */
};

/* Receives the results of statements. */
struct query_sink {
	/* Once per statement with rows. @types: as declared, else by the first row; QUERY_NULL: unknown. False: printed. */
	bool (*begin)(void *ctx, const char *const *names, const enum query_type *types, unsigned nr);
	/* Returns false if no more rows are wanted. */
	bool (*row)(void *ctx, const struct query_value *values, unsigned nr);
	void (*end)(void *ctx);
	void *ctx;
};

/* Owned by the caller: query_close(). NULL (printed): SQLite could not be started, or is not part of this build. */
struct query *query_open(const struct query_opts *opts);
/* Schema b has the second recording's tables, c the third's, a also the first's. diff compares a and b. 0, or -1 (printed). */
int query_add_recording(struct query *q, const struct query_opts *opts);
void query_close(struct query *q);

/* Runs one statement after the other. None can write, or open another database. 0, or -1 (printed, with the place). */
int query_run(struct query *q, const char *sql, const struct query_sink *sink);

/* Finds stack @id: sets *recording, and *stack, its number in the profile, borrowed until the next statement. NULL: none. */
const struct profile *query_stack(const struct query *q, int64_t id, uint32_t *recording, uint32_t *stack);

/* Adds the findings of all profiles that the statements so far have made. */
void query_findings(const struct query *q, struct findings *out);

/* True if @sql ends a statement, so that it can be run. */
bool query_is_complete(const char *sql);

/* Appends a line for each table with its columns, or with @table only for that table. Returns false if there is no such table. */
bool query_put_schema(const struct query *q, const char *table, struct buf *out);

/* Appends the words of statements, a line each: SQL keywords, tables, columns and functions. */
void query_put_words(const struct query *q, struct buf *out);

/* ---- queries that come with prec ---- */

struct query_recipe { const char *name, *sentence, *sql; };

/* Finds a recipe by its name. NULL: no such recipe. */
const struct query_recipe *query_recipe(const char *name);
/* Appends a line for each recipe with its name and sentence. */
void query_put_recipes(struct buf *out);
void query_put_recipe(const struct query_recipe *r, struct buf *out);
/* Appends a line with "@name" for each recipe. */
void query_put_recipe_names(struct buf *out);

#endif
