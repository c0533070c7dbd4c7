/*
 * Declares the data that the files of prec query share. struct query_table describes an SQL table. struct query has the state of
 * a recording and of the running statement. Commands include only query.h.
 */
#ifndef CORE_SHOW_QUERY_QUERY_IMPL_H
#define CORE_SHOW_QUERY_QUERY_IMPL_H

#include <sqlite3.h>

#include "core/ui/finding.h"
#include "core/base/buf.h"
#include "core/base/vec.h"
#include "core/profile/profile.h"
#include "core/show/query/query.h"

#define QUERY_ADDRESS_TYPE	"ADDRESS"	/* a number, which is signed in SQLite: kernel addresses are below 0 */
#define QUERY_MAX_LENGTH	(64 << 20)	/* bytes of a text or a row */

struct branch_row;
struct call_lists;
struct code_places;
struct count_row;
struct diff_lists;
struct event;
struct insn_row;
struct line_row;
struct query_table;
struct record_lists;

/* Parts of the profile that a statement needs. */
enum query_part {
	PART_TIMES	= 1,	/* each sample by itself, with its time and period */
	PART_STACKS	= 2,	/* call chains */
	PART_LINES	= 4,	/* source lines */
	PART_CPUS	= 8,
	PART_PROFILE	= 16,	/* the profile itself, with or without other parts */
	PART_THREADS	= 32,	/* the threads of samples */
	PART_CODE	= 64,	/* the functions of samples */
	PART_ADDRESSES	= 128,	/* the addresses of samples */
};

struct query_row {
	struct query *query;
	const struct profile *profile;		/* NULL: the table needs none */
	const struct profile_data *data;	/* the data of .profile */
	size_t number;				/* of the row, from 0 */
	const struct profile_weight *weight;	/* only for tables of samples, as the next three */
	struct profile_sample sample;		/* .values NULL: samples are summed up */
	const uint32_t *values;			/* by column with a key: the position of its value in .sample.values */
	uint64_t nr;				/* samples that the row stands for */
	const void *item;			/* the row's element of query_table.list */
	const void *rows;			/* only for a table function: the result of .make() */
};

/* The rows of a table, as an array of structs; .size 0: the rows have none. */
struct query_list { const void *v; size_t nr, size; };

#define QUERY_LIST(vec)	((struct query_list){ (vec)->v, (vec)->nr, sizeof(*(vec)->v) })

enum value_kind { VALUE_NULL, VALUE_NUMBER, VALUE_STRING };

enum member_type { MEMBER_NONE, MEMBER_BOOL, MEMBER_I32, MEMBER_U32, MEMBER_U64, MEMBER_DOUBLE, MEMBER_TEXT };

enum member_rule {
	RULE_NONE,	/* the number itself, in two's complement */
	RULE_MOST,	/* INT64_MAX at most: SQL has no number above it */
	RULE_TIME,	/* put_time() */
	RULE_NOT_0,	/* 0: null */
	RULE_NUMBER,	/* PROFILE_NONE: null */
	RULE_STRING,	/* of the profile; 0: null */
};

/* A column that is a member of struct @row (query_row.item), and one that is null unless a bool is true. NULL text: null. */
#define MEMBER(row, member)	.at = offsetof(struct row, member), .type_of = MEMBER_TYPE(((struct row *)NULL)->member)
#define KNOWN_IF(row, member)	.known = offsetof(struct row, member)
#define MEMBER_TYPE(member) \
	_Generic(member, bool: MEMBER_BOOL, int32_t: MEMBER_I32, uint32_t: MEMBER_U32, uint64_t: MEMBER_U64, \
		 double: MEMBER_DOUBLE, char *: MEMBER_TEXT, const char *: MEMBER_TEXT)

struct query_column {
	const char *name;
	const char *about;			/* a few words, with the unit */
	const char *type;			/* "INTEGER", QUERY_ADDRESS_TYPE, "TEXT", "REAL"; "": any */
	/* One of the next six is set, and gives the value. */
	uint32_t (*string)(const struct query_row *r);			/* returns a string of the profile; 0: null */
	bool (*number)(const struct query_row *r, int64_t *out);	/* false: null */
	void (*put)(const struct query_row *r, sqlite3_context *out);
	/* Of column @number: a number in two's complement, or a string of the profile. */
	enum value_kind (*value)(const struct query_row *r, unsigned number, uint64_t *out);
	enum member_type type_of;		/* MEMBER() */
	const char *key;			/* a sort key, or a field of a tracepoint: "sched:sched_switch.prev_pid" */
	unsigned parts;				/* PART_* */
	uint64_t recorded;			/* PERF_SAMPLE_*: null if the event has none of them; 0: always there */
	/* Only for tables of samples: the time, thread or CPU of samples. Samples that WHERE excludes by it are not read. */
	bool is_time, is_tid, is_cpu;
	bool sums;				/* only for tables of samples: if it is used, rows are sums (query_table.sums) */
	/* With .type_of: the offset of the member, and of that which says whether it is known; 0: it always is. */
	uint16_t at, known;
	enum member_rule rule;
};

/* A table whose rows depend on arguments. An argument is a text, or NULL if it is not given. */
struct query_function {
	const char *const *arguments;		/* their names */
	unsigned nr_arguments;
	/* Notes which parts of the recording the rows need. Returns NULL, or an error message about the arguments, to be freed. */
	char *(*plan)(struct query *q, const char *const *arguments);
	/* Makes rows, sorted by @order ("3+1-"; "": unsorted); .free() frees them. An error is printed and sets query.failed. */
	void *(*make)(const struct query_row *like, const char *const *arguments, const char *order);
	struct query_list (*list)(const void *rows);
	void (*free)(void *rows);
};

/* An SQL table with numbered rows. To add one, define a const struct query_table and list it in query.c. */
struct query_table {
	const char *name;
	const char *about;
	const struct query_column *columns;
	unsigned nr_columns;
	unsigned parts;				/* PART_*, in addition to those of the columns in use */
	/* Makes rows for the statement. NULL, without .function: a table of samples, with .weight, .sample. */
	struct query_list (*list)(struct query *q);
	const struct query_function *function;	/* NULL: it takes no arguments */
	/* Rows whose first column is @value, for quick joins. In: [0, *end) is all rows. NULL: equal values not adjacent. */
	void (*range)(struct query *q, uint64_t value, size_t *first, size_t *end);
	/* Only for a table of samples: */
	const struct event *event;		/* only samples of this event, and of other events with its tracepoint; NULL: all */
	bool sums;				/* rows are sums over samples, with their number */
	struct query *query;			/* set once the table is registered */
};

/* Sums in the order that a statement wants. Kept, because a subquery may need them for each row of another table. */
struct query_order {
	const struct query_table *table;
	char *text;				/* the columns by which they are sorted; owned */
	uint32_t *rows;				/* owned */
};

/* A text that a statement compares a column with. */
struct query_compared {
	const struct query_table *table;
	unsigned column;
	char *text;				/* owned */
};

/* The threads or CPUs whose samples a statement needs. */
struct query_ids { VEC(uint32_t) list; bool all; };

/* The sum of samples with equal values in the key columns, which all belong to one weight of the profile. */
struct keyed_sum { uint32_t weight; uint64_t nr; };

struct query {				/* one recording */
	struct query_opts opts;
	sqlite3 *db;				/* one for all recordings */
	struct query *first;
	uint32_t number;			/* number of the recording, 0: the first */
	bool declares;				/* a table is being declared, which for SQLite is a statement */
	VEC(struct query_table *) tables;	/* owned */
	VEC(void *) kept;			/* owned: query_keep() */
	struct trace_keys *traces;
	/* For the statement that is prepared or runs. */
	unsigned parts;
	char *key_list;				/* sort keys that the statement uses, separated by commas; owned. NULL: none */
	uint64_t from, to;			/* ns: only samples from .from up to and including .to are needed */
	struct query_ids tids, cpus;		/* only samples of these threads and CPUs are needed */
	const struct event *event;		/* unless .all_events: the only event whose samples the statement uses */
	bool all_events;
	bool all_samples;			/* the statement uses a table that needs all samples */
	uint64_t nr_rows;			/* rows of the result so far */
	bool has_values;			/* some value of the result is neither null nor 0 */
	VEC(struct query_compared) compared;	/* only in .first: query_forget_texts() */
	/* Made on demand. */
	struct profile *profile;		/* has .made_parts, and columns for .made_keys */
	unsigned made_parts;
	const struct event *made_event;		/* the profile has only this event; NULL: all */
	char *made_filter;			/* the profile's filter: own_filter_text(). Owned */
	char *made_keys;			/* owned; NULL: none */
	VEC(struct query_order) orders;		/* of sums, for this statement: query_forget_orders() */
	bool keyed_made;			/* the next two are made: query_forget_keyed() */
	VEC(struct keyed_sum) keyed;		/* all samples, summed by the columns of the profile */
	VEC(uint64_t) keyed_values;		/* for each of .keyed: the values of all columns */
	struct findings found;			/* findings of all profiles so far */
	struct findings *session_found;		/* owned; sorted; NULL: not made yet */
	struct record_lists *records;		/* owned; NULL: not made yet, as the next */
	struct call_lists *calls;
	bool branches_made, insns_made, counts_made, lines_made;
	VEC(struct branch_row) branches;
	VEC(struct insn_row) insns;
	VEC(struct count_row) counts;
	VEC(struct line_row) lines;		/* made from the profile */
	struct code_places *places;		/* owned; query_places() */
	/* Only in .first. */
	VEC(struct query *) others;		/* owned: the recordings after it */
	struct diff_lists *diffs;
	bool failed;				/* the statement cannot go on; the reason was printed */
	/* See counts.c. */
	const char *statement;			/* the one that is prepared or runs; borrowed */
	unsigned nr_selects, nr_cursors;
	bool calls_count, other_functions;		/* the statement calls count(), other functions */
	uint64_t row_samples;			/* number of samples that the row being read stands for; 0: no row is being read */
	size_t *frame_starts;			/* by stack, and one more: its first row in frames. Owned; NULL: not made yet */
};

/* The profile that the statement needs; NULL (printed): it cannot be made. Borrowed until the next statement. */
const struct profile *query_profile(struct query *q);
void query_forget_profile(struct query *q);
void query_forget_orders(struct query *q);
/* @p is freed with the query. Returns it. */
void *query_keep(struct query *q, void *p);
void query_add_table(struct query *q, const struct query_table *t);
bool query_has_table(const struct query *q, const char *name);
/* Adds the tables of samples: all, sums, waits, and one for each tracepoint. */
void query_add_sample_tables(struct query *q);
/* Registers @t, one of .tables, with SQLite: in the attached @schema, or if NULL in all. Returns SQLITE_OK or an error. */
int query_register(struct query *q, struct query_table *t, const char *schema);
/* Notes that the statement uses column @number of @t. */
void query_use_column(struct query *q, const struct query_table *t, unsigned number);
bool query_is_of_event(const struct query_table *t, const struct event *ev);
/* Recording @number; NULL: no such recording. */
const struct query *query_recording(const struct query *q, uint64_t number);

extern const struct query_table stacks_table, frames_table, functions_table, lines_table, dsos_table, events_table;
extern const struct query_table processes_table, threads_table, maps_table, switches_table, losses_table;
extern const struct query_table findings_table, recording_table, pairs_table;
extern const struct query_table branches_table, instructions_table, calls_table, counts_table, diff_table;
void record_lists_free(struct record_lists *l);
void call_lists_free(struct call_lists *l);
void diff_lists_free(struct diff_lists *l);

/* The number of stack @stack in results, which is unique among recordings. */
static inline int64_t query_stack_id(const struct query_row *r, uint64_t stack)
{
	return (int64_t)((uint64_t)r->query->number << 32 | stack);
}

/* query_column.number and query_table.range for a table whose first column is the number of the row. */
bool query_row_number(const struct query_row *r, int64_t *out);
void query_one_row(struct query *q, uint64_t value, size_t *first, size_t *end);

/* Adds the SQL functions of stacks and syscall_name(); SQLITE_OK or an error. */
int query_add_functions(struct query *q);

/* ---- percentiles.c ---- */

/* Adds percentile(x, p) and median(x); SQLITE_OK or an error. */
int query_add_percentiles(struct query *first);

/* ---- counts.c ---- */

/* Adds count(*); SQLITE_OK or an error. */
int query_add_count(struct query *first);
/* Notes that the statement calls @function. */
void query_note_function(struct query *first, const char *function);
/* True if one row may stand for all samples of a sum. @ordered: rows come in the order of GROUP BY. */
bool query_counts_sums(const struct query *first, bool ordered);

/* ---- hint.c ---- */

/* Notes the texts that the statement compares columns of @t with. */
void query_note_texts(struct query *first, const struct query_table *t, sqlite3_index_info *info);
/* Called after the statement: prints which of the texts are in no row that was read. */
void query_hint_texts(struct query *first);
void query_forget_texts(struct query *first);

/* ---- values ---- */

/* Sets *out to a time in ns. False: null, because 0 is no time, and SQL has no number above INT64_MAX. */
static inline bool put_time(uint64_t time, int64_t *out)
{
	*out = (int64_t)time;
	return time && time <= INT64_MAX;
}

/* Returns to SQLite a text that lives as long as the query; NULL: null. */
static inline void put_static_text(sqlite3_context *out, const char *text)
{
	if (text)
		sqlite3_result_text(out, text, -1, SQLITE_STATIC);
}

/* Returns to SQLite a copy of @text. If it is longer than SQLite accepts, the statement fails. */
static inline void put_text(sqlite3_context *out, const struct buf *text)
{
	sqlite3_result_text64(out, text->data ? text->data : "", text->len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

#endif
