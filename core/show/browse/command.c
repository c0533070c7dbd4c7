/*
 * Builds a prec command line that prints what the browser shows, with the browser's filters and options, quoted for the shell.
 * The key y shows this command line and copies it to the clipboard.
 */
#include "core/show/browse/command.h"

#include <inttypes.h>
#include <string.h>

#include "core/sched/wall.h"
#include "core/ui/shell_word.h"
#include "core/show/browse/browser.h"

static void put_option(const char *option, const char *word, struct buf *out)
{
	buf_printf(out, " %s ", option);
	buf_put_shell_word(out, word);
}

/* Writes an option with one name. A name with commas is passed in a file (<(...) of bash), because commas separate names. */
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

/* Adds the event's name if there are several events. Wall time has an option of its own. */
static void put_event(const struct browser *b, struct buf *out)
{
	const char *name = profile_string(b->model.profile, browser_event(b)->name);

	if (str_eq(name, WALL_EVENT))
		buf_puts(out, " --wall");
	else if (b->model.d->events.nr > 1)
		put_option("-e", name, out);
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

/* ---- of two sides ---- */

/* Writes an option with several names. @names has one name a line. */
static void put_names(const char *option, const struct buf *names, struct buf *out)
{
	struct buf text = {0}, word = {0};
	bool listed = memchr(names->data, ',', names->len);

	for (const char *at = names->data; at < names->data + names->len; at += word.len + 1) {
		word.len = 0;
		buf_put(&word, at, strcspn(at, "\n"));
		if (listed) {
			buf_putc(&text, ' ');
			buf_put_shell_word(&text, buf_str(&word));
		} else {
			buf_printf(&text, "%s%s", text.len ? "," : "", buf_str(&word));
		}
	}
	if (listed)
		buf_printf(out, " %s file://<(printf '%%s\\n'%s)", option, buf_str(&text));
	else
		put_option(option, buf_str(&text), out);
	buf_release(&text);
	buf_release(&word);
}

static void put_names_of_sides(const struct browser *b, const struct browse_filter *f, struct buf *out)
{
	const struct browse_compared *c = b->input.compared;
	struct buf names = {0};

	c->put_names(c->ctx, b->event, f->kind == FILTER_DSO, f->text, &names);
	buf_putc(&names, '\0');
	names.len--;
	put_names(f->kind == FILTER_DSO ? "--dsos" : "-S", &names, out);
	buf_release(&names);
}

static void put_diff(const struct browser *b, const char *form, struct buf *out)
{
	buf_printf(out, "prec diff --stdio%s%s", form, b->opts->stacks);
	put_event(b, out);
	vec_for(f, &b->filters.list)
		if (f->kind == FILTER_DSO || f->kind == FILTER_SYMBOL)
			put_names_of_sides(b, f, out);
	buf_printf(out, " %s", b->opts->command);
}

/* Appends a filter by text, which prec diff lacks: "| grep -F -e TEXT". NULL: none is needed. */
static void put_grep(const char *text, struct buf *out)
{
	if (text)
		put_option("| grep -F -e", text, out);
}

/* ---- commands ---- */

static void put_graph(const struct browser *b, enum direction direction, struct buf *out)
{
	buf_printf(out, " -g graph,%g,%s", b->min_percent, direction == CALLERS ? "callee" : "caller");
}

void command_put_functions(struct browser *b, bool open, uint32_t only, struct buf *out)
{
	const struct browse_filter *text = filters_find(&b->filters, FILTER_TEXT);
	const char *name = model_function_name(&b->model, only);

	if (b->input.compared) {
		put_diff(b, " --all", out);
		put_grep(text ? text->text : NULL, out);
		return;
	}
	put_report(b, b->own ? "--no-children -s dso,symbol" : "--children -s dso,symbol", out);
	if (open && name && !filters_find(&b->filters, FILTER_TEXT))
		put_option("--symbol-filter", name, out);
	if (open)
		put_graph(b, b->direction, out);
	else
		buf_puts(out, " -g none");
}

void command_put_sandwich(struct browser *b, struct view *v, struct buf *out)
{
	const char *name = model_function_name(&b->model, v->chosen);

	if (b->input.compared) {
		put_diff(b, " --folded", out);
		put_grep(name, out);
		return;
	}
	for (enum direction d = CALLERS; d <= CALLEES; d++) {
		buf_puts(out, d ? "; " : "");
		put_report(b, "--children -s dso,symbol", out);
		if (name)
			put_option("--symbol-filter", name, out);
		put_graph(b, d, out);
	}
}

void command_put_tree(struct browser *b, struct view *v, struct buf *out)
{
	if (b->input.compared)
		put_diff(b, " --tree --all", out);
	else
		command_put_stacks(b, v, out);
}

void command_put_stacks(struct browser *b, struct view *v, struct buf *out)
{
	if (b->input.compared) {
		put_diff(b, " --folded", out);
		return;
	}
	put_begin(b, "export", out);
	buf_printf(out, "%s --format folded", b->opts->stacks);
	put_event(b, out);
	put_filters(b, true, out);
}

void command_put_threads(struct browser *b, struct view *v, struct buf *out)
{
	put_report(b, "--no-children -s pid -g none", out);
}

void command_put_timeline(struct browser *b, uint64_t slot_ns, struct buf *out)
{
	put_report(b, "--no-children -s pid,time -g none", out);
	buf_printf(out, " --time-quantum +%" PRIu64 "ns", slot_ns);
}

void command_put_annotate(struct browser *b, struct view *v, struct buf *out)
{
	const char *name = model_function_name(&b->model, v->chosen);

	put_begin(b, "annotate", out);
	buf_puts(out, b->opts->code ? b->opts->code : "");
	put_filters(b, true, out);
	if (name)
		put_option("-s", name, out);
}

/* A filter by symbol already in the list needs no second one: it has the same name, or no sample passes both. */
void command_put_samples(struct browser *b, struct view *v, struct buf *out)
{
	const char *name = model_function_name(&b->model, v->chosen);

	put_begin(b, "script", out);
	buf_puts(out, b->opts->stacks);
	put_filters(b, true, out);
	if (name && !filters_find(&b->filters, FILTER_DSO))
		put_listed("--dsos", model_function_dso(&b->model, v->chosen), out);
	if (name && !filters_find(&b->filters, FILTER_SYMBOL))
		put_listed("-S", name, out);
	buf_puts(out, " -F comm,tid,cpu,time,period,event,ip,sym,dso");
}

void command_put_recording(struct browser *b, const char *command, struct buf *out)
{
	if (b->input.compared)
		buf_printf(out, "prec %s%s", command, b->opts->code);
	else
		put_begin(b, command, out);
}
