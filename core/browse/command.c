/* From the state to a command line, quoted for shells. Layer: browse */
#include "core/browse/command.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/shell_word.h"
#include "core/browse/browser.h"

/* ---- words ---- */

static void put_option(const char *option, const char *word, struct buf *out)
{
	buf_printf(out, " %s ", option);
	buf_put_shell_word(out, word);
}

/* Commas separate what options list: a name that has some comes from a file, as bash makes them. */
static void put_listed(const char *option, const char *word, struct buf *out)
{
	if (!strchr(word, ',')) {
		put_option(option, word, out);
		return;
	}
	buf_printf(out, " %s file://<(printf '%%s\\n' ", option);
	buf_put_shell_word(out, word);
	buf_putc(out, ')');
}

/* ---- options ---- */

static void put_time(uint64_t from, uint64_t to, struct buf *out)
{
	buf_printf(out, " --time %" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64, from / 1000000000, from % 1000000000,
		   to / 1000000000, to % 1000000000);
}

static void put_filters(const struct browser *b, bool of_samples, struct buf *out)
{
	uint64_t from, to;

	vec_for(f, &b->filters.list)
		switch (f->kind) {
		case FILTER_THREAD:
			buf_printf(out, " --tid %u", f->tid);
			break;
		case FILTER_COMM:
			put_listed("-c", f->text, out);
			break;
		case FILTER_DSO:
			put_listed("--dsos", f->text, out);
			break;
		case FILTER_SYMBOL:
			put_listed("-S", f->text, out);
			break;
		case FILTER_TEXT:
			if (!of_samples)
				put_option("--symbol-filter", f->text, out);
			break;
		case FILTER_TIME:
			break;
		}
	if (filters_time(&b->filters, &from, &to))
		put_time(from, to, out);
}

static void put_begin(const struct browser *b, const char *command, struct buf *out)
{
	buf_printf(out, "prec %s %s", command, b->opts->command);
}

/* The event's name, where there are several. */
static void put_event(const struct browser *b, struct buf *out)
{
	if (b->model.d->events.nr > 1)
		put_option("-e", profile_string(b->model.profile, browser_event(b)->name), out);
}

static void put_report(const struct browser *b, const char *columns, struct buf *out)
{
	put_begin(b, "report", out);
	buf_printf(out, "%s%s --stdio", b->opts->stacks, b->opts->report);
	put_event(b, out);
	put_filters(b, false, out);
	buf_printf(out, " %s", columns);
	if (b->relative)
		buf_puts(out, " --percentage relative");
	if (b->min_percent > 0)
		buf_printf(out, " --percent-limit %g", b->min_percent);
}

/* ---- commands ---- */

static void put_graph(const struct browser *b, enum direction direction, struct buf *out)
{
	buf_printf(out, " -g graph,%g,%s", b->min_percent, direction == CALLERS ? "callee" : "caller");
}

void command_put_functions(struct browser *b, bool open, struct buf *out)
{
	put_report(b, b->own ? "--no-children -s dso,symbol" : "--children -s dso,symbol", out);
	if (open)
		put_graph(b, b->direction, out);
	else
		buf_puts(out, " -g none");
}

void command_put_sandwich(struct browser *b, struct buf *out)
{
	const char *name = model_function_name(&b->model, b->views[VIEW_SANDWICH].chosen);

	for (enum direction d = CALLERS; d <= CALLEES; d++) {
		buf_puts(out, d ? "; " : "");
		put_report(b, "--children -s dso,symbol", out);
		if (name)
			put_option("--symbol-filter", name, out);
		put_graph(b, d, out);
	}
}

void command_put_stacks(struct browser *b, struct buf *out)
{
	put_begin(b, "export", out);
	buf_printf(out, "%s --format folded", b->opts->stacks);
	put_event(b, out);
	put_filters(b, true, out);
}

void command_put_threads(struct browser *b, struct buf *out)
{
	put_report(b, "--no-children -s pid -g none", out);
}

void command_put_timeline(struct browser *b, uint64_t slot_ns, struct buf *out)
{
	put_report(b, "--no-children -s pid,time -g none", out);
	buf_printf(out, " --time-quantum %" PRIu64 "ns", slot_ns);
}

void command_put_annotate(struct browser *b, struct buf *out)
{
	const char *name = model_function_name(&b->model, b->views[VIEW_ANNOTATE].chosen);

	put_begin(b, "annotate", out);
	buf_puts(out, b->opts->code ? b->opts->code : "");
	put_filters(b, true, out);
	if (name)
		put_option("-s", name, out);
}

/* A filter by symbol has the same name, or leaves nothing. */
void command_put_samples(struct browser *b, struct buf *out)
{
	const char *name = model_function_name(&b->model, b->views[VIEW_SAMPLES].chosen);

	put_begin(b, "script", out);
	buf_puts(out, b->opts->stacks);
	put_filters(b, true, out);
	if (name && !filters_find(&b->filters, FILTER_DSO))
		put_listed("--dsos", model_function_dso(&b->model, b->views[VIEW_SAMPLES].chosen), out);
	if (name && !filters_find(&b->filters, FILTER_SYMBOL))
		put_listed("-S", name, out);
	buf_puts(out, " -F comm,tid,cpu,time,period,event,ip,sym,dso");
}

void command_put_recording(struct browser *b, const char *command, struct buf *out)
{
	put_begin(b, command, out);
}
