/*
 * Runs the interactive prompt of prec query: reads SQL statements from the terminal and runs them until ^D. It also runs stored
 * statements ("@name") and commands such as ".help". query_show.c prints the results.
 */
#include "cmd/query_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/show/query/query.h"
#include "core/ui/pager.h"
#include "core/ui/prompt.h"

struct query_prompt {
	const struct query_show_opts *opts;
	struct session *session;
	struct query *query;
	struct buf text;		/* the lines of the statement that is not complete */
};

static const char help[] =
	"SELECT ...;      a statement, in one or more lines, up to its semicolon\n"
	"@NAME            a query that comes with prec\n"
	".queries         their names\n"
	".schema [TABLE]  the tables of this recording with their columns\n"
	".quit            the end, as ^D\n"
	"Tab completes a word, ^R looks one up in earlier lines, ^C ends a query or a line.\n";

ORDER(compare_words, char *, strcasecmp(*a, *b) ?: strcmp(*a, *b))

struct words { struct buf text; VEC(const char *) list; };

/* Each once: several tables have columns of the same name. */
static void find_words(struct words *w, const struct query *q)
{
	size_t kept = 0;
	char *rest, *word;

	query_put_words(q, &w->text);
	buf_puts(&w->text, ".help\n.queries\n.quit\n.schema\n");
	buf_putc(&w->text, '\0');
	for (word = strtok_r(w->text.data, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest))
		vec_push(&w->list, word);
	vec_sort(&w->list, compare_words);
	for (size_t i = 0; i < w->list.nr; i++)
		if (!kept || strcasecmp(w->list.v[kept - 1], w->list.v[i]) != 0)
			w->list.v[kept++] = w->list.v[i];
	w->list.nr = kept;
}

static void show_text(const struct query_prompt *a, struct buf *text)
{
	struct terminal t;

	terminal_detect(&t, fileno(stdout), &a->opts->screen);
	pager_show(&t, a->opts->screen.no_pager, text);
	buf_release(text);
}

static void run(const struct query_prompt *a, const char *sql)
{
	if (!query_show(a->opts, a->query, sql))
		query_hint_events(a->session, sql);
}

/* Runs a line that begins with a full stop, such as ".help". Returns false if it ends the prompt. */
static bool run_word(const struct query_prompt *a, const char *line)
{
	size_t n = strcspn(line, " \t");
	const char *rest = line + n + strspn(line + n, " \t");
	char *word = xstrndup(line, n), *table = xstrndup(rest, strcspn(rest, " \t;"));
	struct buf text = {0};
	bool goes_on = !str_eq(word, ".quit");

	if (str_eq(word, ".schema")) {
		if (!query_put_schema(a->query, *table ? table : NULL, &text))
			error("there is no table '%s'", table);
	} else if (str_eq(word, ".queries")) {
		query_put_recipes(&text);
	} else if (str_eq(word, ".help")) {
		buf_puts(&text, help);
	} else if (goes_on) {
		error("there is no '%s': .help says what there is", word);
	}
	show_text(a, &text);
	free(word);
	free(table);
	return goes_on;
}

static void run_recipe(const struct query_prompt *a, const char *line)
{
	char *name = xstrndup(line, strcspn(line, " \t;"));
	const char *sql = query_text_of_word(name);

	if (sql)
		run(a, sql);
	free(name);
}

static bool on_line(struct query_prompt *a, const char *line)
{
	const char *begin = line + strspn(line, " \t");

	if (!a->text.len && *begin == '.')
		return run_word(a, begin);
	if (!a->text.len && *begin == '@') {
		run_recipe(a, begin);
		return true;
	}
	if (!a->text.len && !*begin)
		return true;
	buf_printf(&a->text, "%s\n", line);
	if (query_is_complete(buf_str(&a->text))) {
		run(a, buf_str(&a->text));
		a->text.len = 0;
	}
	return true;
}

static char *history_path(void)
{
	const char *home = getenv("HOME");

	return home && *home ? xasprintf("%s/.prec_query_history", home) : NULL;
}

void query_prompt(const struct query_show_opts *o, struct session *s, struct query *q)
{
	struct query_prompt a = { .opts = o, .session = s, .query = q };
	struct words words = {0};
	char *history = history_path();
	enum prompt_got got = PROMPT_LINE;
	const char *line = NULL;
	struct prompt *p;
	bool goes_on = true;

	find_words(&words, q);
	p = prompt_new(&(struct prompt_opts){ .words = words.list.v, .nr_words = words.list.nr, .history = history });
	puts("SQL over the recording, up to a semicolon; .help says more, ^D ends it.");
	while (goes_on && got != PROMPT_END) {
		prompt_calm();
		got = prompt_read(p, a.text.len ? "  ...> " : "query> ", &line);
		if (got == PROMPT_LINE)
			goes_on = on_line(&a, line);
		else
			a.text.len = 0;
		if (got == PROMPT_END)
			putchar('\n');
	}
	prompt_free(p);
	buf_release(&words.text);
	vec_free(&words.list);
	buf_release(&a.text);
	free(history);
}
