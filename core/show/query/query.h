/*
 * Runs SQL statements on a recording, for prec query. SQLite's virtual tables read the recording's records, and its profile: the
 * tables of core/profile/profile.h, in memory. Nothing is imported into a database. Data that a statement does not use is not
 * read.
 *
 *	prepare: SQLite asks each table which columns the statement uses, so the needed parts of the profile are known
 *	step:    when SQLite asks for the first row, one parallel pass over the recording makes these parts
 *
 * A statement can only read. It cannot open another database or write a file.
 * Layer: query
 */
#ifndef CORE_SHOW_QUERY_QUERY_H
#define CORE_SHOW_QUERY_QUERY_H

#include <stdbool.h>
#include <stdint.h>

/* Increase it if a table or column changes its name or meaning, and say in QUERY_SCHEMA_CHANGES what has changed. */
#define QUERY_SCHEMA_VERSION 3
#define QUERY_SCHEMA_CHANGES "events.shown: samples, sums and lines also have the events that waits are made of"

struct buf;
struct filter_opts;
struct findings;
struct query;
struct profile;
struct session;

#define QUERY_MAX_RECORDINGS 10	/* SQLITE_MAX_ATTACHED, by default */

struct query_opts {
	struct session *session;	/* borrowed, as the next; NULL: only for the tables of each recording, query_put_schema() */
	const struct filter_opts *filter;	/* samples that do not pass are not in the tables; borrowed */
	unsigned max_depth;		/* only so many innermost frames of a chain are kept */
	bool inlines;			/* inlined functions are frames, too */
	bool decodes_calls, all_branches;	/* what is decoded of a hardware trace: calls, or all branches */
	uint64_t max_memory;		/* bytes that SQLite may take for sorting and the like; above 0 */
	bool (*is_stopped)(void);	/* true: the statement ends. Called by several threads. NULL: never */
};

enum query_type { QUERY_NULL, QUERY_INTEGER, QUERY_REAL, QUERY_TEXT, QUERY_ADDRESS };

struct query_value {
	enum query_type type;		/* not QUERY_ADDRESS, the type of a column whose values are QUERY_INTEGER */
	int64_t integer;
	double real;
	const char *text;		/* borrowed until the next row; any bytes but NUL */
};

/* Receives the result. */
struct query_sink {
	/*
	 * Called once for each statement that gives rows. @types: types of the columns by their declaration, else by the first row;
	 * QUERY_NULL: not known. Returns false (printed) if the result cannot be taken.
	 */
	bool (*begin)(void *ctx, const char *const *names, const enum query_type *types, unsigned nr);
	/* Returns false if no more rows are wanted. */
	bool (*row)(void *ctx, const struct query_value *values, unsigned nr);
	void (*end)(void *ctx);
	void *ctx;
};

/* Owned by the caller: query_close(). NULL (printed): SQLite could not be started, or is not part of this build. */
struct query *query_open(const struct query_opts *opts);
/*
 * Adds another recording: its tables are in the schema b, those of the next in c, and those of the first also in a; the table diff
 * compares a and b. Prints errors; 0 or -1.
 */
int query_add_recording(struct query *q, const struct query_opts *opts);
void query_close(struct query *q);

/*
 * Runs the statements of @sql, one after the other. An error is printed with its place in the text. Returns 0 or -1.
 */
int query_run(struct query *q, const char *sql, const struct query_sink *sink);

/*
 * Finds the profile of the stack @id of a result, its recording, and its number there; NULL: there is no such stack. Borrowed until
 * the next statement.
 */
const struct profile *query_stack(const struct query *q, int64_t id, uint32_t *recording, uint32_t *stack);

/* Adds the findings of all profiles that the statements so far have made. */
void query_findings(const struct query *q, struct findings *out);

/* True if @sql ends a statement, so that it can be run. */
bool query_is_complete(const char *sql);

/* Appends all tables with their columns, a line each; with @table that one. Returns false if there is none. */
bool query_put_schema(const struct query *q, const char *table, struct buf *out);

/* Appends the words of statements, a line each: of SQL, tables, columns, functions. */
void query_put_words(const struct query *q, struct buf *out);

/* ---- queries that come with prec ---- */

struct query_recipe { const char *name, *sentence, *sql; };

/* NULL: there is none. */
const struct query_recipe *query_recipe(const char *name);
/* Appends their names and sentences, a line each. */
void query_put_recipes(struct buf *out);
/* Appends one as the text of a file. */
void query_put_recipe(const struct query_recipe *r, struct buf *out);
/* Appends their names with @, a line each. */
void query_put_recipe_names(struct buf *out);

#endif
