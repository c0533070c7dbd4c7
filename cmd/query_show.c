/*
 * Runs SQL statements for prec query, and shows the resulting rows: in a file, on standard output, in a pager, or as a flame
 * graph in a file. query.c and query_prompt.c read the statements.
 */
#include "cmd/query_show.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/profile/writer.h"
#include "core/show/query/flame.h"
#include "core/show/query/query.h"
#include "core/ui/pager.h"
#include "core/ui/suggest.h"

#define PAGED_AFTER	(64u << 10)	/* bytes of a table: it is longer than any screen */

struct paged {
	struct query_sink sink;
	struct outfile *out;
	const struct terminal *terminal;
	struct pager *pager;		/* NULL: it was not started yet */
	bool prompt, off;		/* .off: no pager could be started */
};

static bool begin_paged(void *ctx, const char *const *names, const enum query_type *types, unsigned nr)
{
	struct paged *p = ctx;

	return p->sink.begin(p->sink.ctx, names, types, nr);
}

/* Starts the pager when the table is longer than the screen. The pager handles ^C; at a prompt, ^C also ends the query. */
static bool row_paged(void *ctx, const struct query_value *values, unsigned nr)
{
	struct paged *p = ctx;
	bool more = p->sink.row(p->sink.ctx, values, nr);

	if (p->off || p->pager || p->out->buf.len < PAGED_AFTER)
		return more;
	progress_end();
	p->pager = pager_start(p->terminal, !p->prompt);
	p->off = !p->pager;
	if (p->pager && p->prompt)
		signal(SIGINT, SIG_DFL);
	p->out->err = write_buf(STDOUT_FILENO, &p->out->buf);
	return more && !p->out->err;
}

static void end_paged(void *ctx)
{
	struct paged *p = ctx;

	p->sink.end(p->sink.ctx);
}

/* Writes the last rows. If the user has left the pager (EPIPE), this is no error. */
static void close_paged(struct paged *p)
{
	if (!p->pager && !p->off)
		p->out->err = pager_show(p->terminal, false, &p->out->buf);
	else if (!p->out->err)
		p->out->err = write_buf(STDOUT_FILENO, &p->out->buf);
	pager_end(p->pager);
	if (p->out->err == -EPIPE)
		p->out->err = 0;
	p->out->buf.len = 0;
}

static int show_flame(const struct query_show_opts *o, struct query *q, const char *sql)
{
	const struct export_opts opts = { .event = PROFILE_NONE };
	struct findings none = {0};
	struct query_sink sink;
	struct outfile out;
	struct profile *p;
	struct flame flame;
	int err;

	if (outfile_open(&out, o->path))
		return -1;
	sink = flame_init(&flame, q);
	err = query_run(q, sql, &sink);
	p = flame_end(&flame);
	if (!err && !p)
		err = error("the statements have no result, of which '%s' could be a graph", o->path);
	if (err) {
		profile_free(p);
		outfile_abandon(&out);
		return -1;
	}
	profile_write(o->graph, p, &none, &opts, &out);
	profile_free(p);
	return outfile_close(&out);
}

int query_show(const struct query_show_opts *o, struct query *q, const char *sql)
{
	struct terminal terminal;
	struct query_sink sink;
	struct result result;
	struct outfile out;
	int err;

	if (o->graph)
		return show_flame(o, q, sql);
	terminal_detect(&terminal, STDOUT_FILENO, &o->screen);
	if (outfile_open(&out, o->path))
		return -1;
	sink = result_init(&result, o->form, &out);
	if (o->form == RESULT_TABLE && !o->path && terminal.is_terminal && !o->screen.no_pager) {
		struct paged paged = { .sink = sink, .out = &out, .terminal = &terminal, .prompt = o->prompt };

		err = query_run(q, sql, &(struct query_sink){ .begin = begin_paged, .row = row_paged, .end = end_paged,
							      .ctx = &paged });
		close_paged(&paged);
	} else {
		err = query_run(q, sql, &sink);
	}
	result_end(&result);
	if (err && o->path) {
		outfile_abandon(&out);
		return -1;
	}
	return outfile_close(&out) || err ? -1 : 0;
}

/* Appends the names of the events with samples: of all, or only of those that waits are made of. Returns their number. */
static size_t put_events(const struct session *s, bool only_sources, uint64_t *nr_samples, struct buf *out)
{
	struct names events = {0};
	size_t nr;

	*nr_samples = 0;
	vec_for(ev, &session_events(s)->events) {
		const struct session_counts *c = session_counts(s);
		uint64_t samples = (*ev)->number < c->samples_by_event.nr ? c->samples_by_event.v[(*ev)->number] : 0;

		if ((only_sources && !(*ev)->hidden_source) || (!samples && *ev != session_waits_event(s)))
			continue;
		*nr_samples += samples;
		names_add(&events, (*ev)->name);
	}
	names_sort(&events);
	vec_for(name, &events.list)
		buf_printf(out, "%s%s", out->len ? ", " : "", *name);
	nr = events.list.nr;
	names_release(&events);
	return nr;
}

void query_hint_events(const struct session *s, const char *sql)
{
	struct buf all = {0}, sources = {0};
	uint64_t nr_samples, nr_of_sources;
	size_t nr = put_events(s, false, &nr_samples, &all);

	if (!strcasestr(sql, "samples") || strcasestr(sql, "event"))
		nr = 0;
	if (nr > 1 && isatty(STDERR_FILENO))
		info("the samples are of %zu events (%s): WHERE event = '...' takes those of one", nr, buf_str(&all));
	if (nr > 1 && put_events(s, true, &nr_of_sources, &sources))
		info("%" PRIu64 " of the %" PRIu64 " samples recorded are of events that waits are made of (%s), of any program: "
		     "WHERE event IN (SELECT name FROM events WHERE shown) leaves them out", nr_of_sources, nr_samples,
		     buf_str(&sources));
	buf_release(&all);
	buf_release(&sources);
}

const char *query_text_of_word(const char *given)
{
	const struct query_recipe *recipe;

	if (given[0] != '@')
		return given;
	recipe = query_recipe(given + 1);
	if (recipe)
		return recipe->sql;
	error("there is no query '%s' (see prec query -l)", given);
	return NULL;
}
