/*
 * Declares the functions of prec query that run SQL statements and show the results (query_show.c), and the interactive prompt,
 * which reads statements from the terminal (query_prompt.c).
 */
#ifndef CMD_QUERY_SHOW_H
#define CMD_QUERY_SHOW_H

#include "core/show/query/result.h"
#include "core/ui/terminal.h"

struct profile_writer;
struct query;
struct session;

struct query_show_opts {
	enum result_form form;
	const char *path;		/* -o; borrowed; NULL: standard output */
	const struct profile_writer *graph;	/* writes a flame graph to .path; NULL: write rows */
	bool prompt;			/* the statements are from the prompt, so more may follow */
	struct terminal_opts screen;
};

/* Runs the statements of @sql and writes their results; 0 or -1 (printed). */
int query_show(const struct query_show_opts *o, struct query *q, const char *sql);

/* Prints hints at WHERE clauses if @sql may add up samples of several events, because such a sum has no meaning. */
void query_hint_events(const struct session *s, const char *sql);

/* Returns the statements that @given stands for: @given itself, or the recipe "@name"; NULL (printed) if unknown. Borrowed. */
const char *query_text_of_word(const char *given);

/* Reads and runs statements from the terminal until its end. SIGINT ends only the running statement. */
void query_prompt(const struct query_show_opts *o, struct session *s, struct query *q);

#endif
