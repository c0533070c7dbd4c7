/*
 * prec list: prints the events of this machine that prec record -e can record, all of them or those that match the arguments.
 * core/record/open/event_list.h finds the events.
 */
#include "cmd/cmd.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/input.h"
#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/base/outfile.h"
#include "core/ui/pager.h"
#include "core/tracepoint/tracepoint.h"
#include "core/record/open/event_list.h"

static const char list_usage[] = "prec list [<options>] [hw|sw|cache|pmu|vendor|tracepoint|<pattern>]...";

struct list_opts {
	bool json, details;
	struct terminal_opts screen;
};

#define OPTS struct list_opts

static const struct option_desc list_options[] = {
	OPT_BOOL('j', "json", OPTS, json, "print JSON"),
	OPT_BOOL(0, "details", OPTS, details, "print what the events stand for, and the PMUs with their terms"),
	INPUT_PAGER(OPTS),
	INPUT_COLOR(OPTS),
	OPT_END
};

static const struct kind {
	const char *what;		/* text printed after the name of an event */
	const char *words[3];		/* arguments that select all events of this kind */
} kinds[NR_LISTED_KINDS] = {
	[LISTED_HARDWARE]   = { "hardware event", { "hw", "hardware" } },
	[LISTED_SOFTWARE]   = { "software event", { "sw", "software" } },
	[LISTED_CACHE]      = { "hardware cache event", { "cache", "hwcache" } },
	[LISTED_PMU]        = { "PMU event", { "pmu" } },
	[LISTED_VENDOR]     = { "vendor event", { "vendor", "pfm" } },
	[LISTED_OTHER]      = { "event by place or number", { "other" } },
	[LISTED_TRACEPOINT] = { "tracepoint event", { "tracepoint" } },
};

struct lister {
	struct list_opts o;
	char *const *words;		/* the arguments; none: list all events */
	size_t nr_words;
	struct terminal terminal;
	struct buf out;
	size_t nr;			/* number of events printed */
};

/* NR_LISTED_KINDS: @word is a pattern. */
static enum listed_kind kind_of(const char *word)
{
	for (enum listed_kind k = 0; k < NR_LISTED_KINDS; k++)
		for (size_t i = 0; i < ARRAY_SIZE(kinds[k].words) && kinds[k].words[i]; i++)
			if (str_eq(word, kinds[k].words[i]))
				return k;
	return NR_LISTED_KINDS;
}

/* A pattern without * ? [ matches a part of the name. */
static bool matches(const char *pattern, const char *name)
{
	return pattern[strcspn(pattern, "*?[")] ? !fnmatch(pattern, name, FNM_CASEFOLD) : strcasestr(name, pattern) != NULL;
}

static bool wants(const struct lister *l, const struct listed_event *e)
{
	for (size_t i = 0; i < l->nr_words; i++) {
		enum listed_kind kind = kind_of(l->words[i]);

		if (kind == e->kind || (kind == NR_LISTED_KINDS && matches(l->words[i], e->name)))
			return true;
	}
	return !l->nr_words;
}

static bool asks_for_kind(const struct lister *l, enum listed_kind kind)
{
	for (size_t i = 0; i < l->nr_words; i++)
		if (kind_of(l->words[i]) == kind)
			return true;
	return false;
}

static bool may_want_kind(const struct lister *l, enum listed_kind kind)
{
	return !l->nr_words || asks_for_kind(l, kind) || asks_for_kind(l, NR_LISTED_KINDS);
}

static void json_text(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_putc(b, '\\');
		if ((unsigned char)*s < ' ')
			buf_printf(b, "\\u%04x", *s);
		else
			buf_putc(b, *s);
	}
}

static void json_string(struct buf *b, const char *name, const char *s)
{
	buf_printf(b, ",\n\t\"%s\": \"", name);
	json_text(b, s);
	buf_putc(b, '"');
}

/* Returns the declaration of a field in C, such as "char comm[16]". For a dynamic array the kernel gives no length. */
static char *field_type(const struct trace_field *f)
{
	if (f->location != TRACE_INLINE)
		return xasprintf("%s[]", f->type);
	if (f->is_array && f->element_size)
		return xasprintf("%s[%u]", f->type, f->size / f->element_size);
	return xstrdup(f->type);
}

/* Prints the fields of a tracepoint, without the first ones, which all tracepoints have. */
static void put_fields(struct lister *l, const char *tracepoint)
{
	struct trace_event *ev = event_list_format(tracepoint);

	if (!ev)
		return;
	for (size_t i = ev->nr_common; i < ev->fields.nr; i++) {
		char *type = field_type(&ev->fields.v[i]);

		buf_printf(&l->out, "          %-24s %s\n", ev->fields.v[i].name, type);
		free(type);
	}
	if (ev->print_fmt)
		buf_printf(&l->out, "        print %s\n", ev->print_fmt);
	trace_event_free(ev);
}

static void json_fields(struct buf *b, const char *tracepoint)
{
	struct trace_event *ev = event_list_format(tracepoint);

	if (!ev)
		return;
	buf_puts(b, ",\n\t\"Fields\": [");
	for (size_t i = ev->nr_common; i < ev->fields.nr; i++) {
		char *type = field_type(&ev->fields.v[i]);

		buf_puts(b, i > ev->nr_common ? ",\n\t\t{ \"Name\": \"" : "\n\t\t{ \"Name\": \"");
		json_text(b, ev->fields.v[i].name);
		buf_puts(b, "\", \"Type\": \"");
		json_text(b, type);
		buf_puts(b, "\" }");
		free(type);
	}
	buf_puts(b, "]");
	if (ev->print_fmt)
		json_string(b, "Format", ev->print_fmt);
	trace_event_free(ev);
}

static void print_json(struct lister *l, const struct listed_event *e)
{
	struct buf *b = &l->out;

	buf_printf(b, "%s{\n\t\"EventType\": \"%s\"", l->nr ? ",\n" : "", kinds[e->kind].what);
	json_string(b, "EventName", e->name);
	if (e->pmu)
		json_string(b, "Unit", e->pmu);
	if (e->encoding)
		json_string(b, "Encoding", e->encoding);
	if (e->text)
		json_string(b, "BriefDescription", e->text);
	if (l->o.details && e->kind == LISTED_TRACEPOINT)
		json_fields(b, e->name);
	buf_puts(b, "\n}");
}

static void put_details(struct lister *l, const struct listed_event *e)
{
	if (e->text)
		buf_printf(&l->out, "        %s: %s\n", e->pmu, e->text);
	if (l->o.details && e->encoding)
		buf_printf(&l->out, "        %s\n", e->encoding);
	if (l->o.details && e->kind == LISTED_TRACEPOINT)
		put_fields(l, e->name);
}

/* Prints an event on a terminal. Names are never cut, because they are arguments for record. */
static void put_for_people(struct lister *l, const struct listed_event *e, size_t width)
{
	size_t columns = text_columns(e->name, strlen(e->name));

	buf_puts(&l->out, "  ");
	put_style(&l->out, l->terminal.colors, STYLE_TITLE);
	buf_puts(&l->out, e->name);
	put_style(&l->out, l->terminal.colors, STYLE_PLAIN);
	buf_fill(&l->out, ' ', width > columns ? width - columns : 0);
	put_style(&l->out, l->terminal.colors, STYLE_FAINT);
	buf_printf(&l->out, " [%s]", kinds[e->kind].what);
	put_style(&l->out, l->terminal.colors, STYLE_PLAIN);
	buf_putc(&l->out, '\n');
	put_details(l, e);
}

static void print_line(struct lister *l, const struct listed_event *e)
{
	size_t room = l->terminal.width - MIN(l->terminal.width, strlen(kinds[e->kind].what) + 5);

	if (l->terminal.is_terminal) {
		put_for_people(l, e, MIN(MAX(room, 20), 50));
		return;
	}
	buf_printf(&l->out, "  %-50s [%s]\n", e->name, kinds[e->kind].what);
	put_details(l, e);
}

/* Prints the wanted events of a kind. Returns 0, or -1 if the user asked for this kind and it cannot be read (printed). */
static int print_kind(struct lister *l, enum listed_kind kind)
{
	struct event_list events = {0};
	char *why = NULL;
	int err = event_list_read(&events, kind, &why);

	vec_for(e, &events.list) {
		if (!wants(l, e))
			continue;
		if (l->o.json)
			print_json(l, e);
		else
			print_line(l, e);
		l->nr++;
	}
	event_list_release(&events);
	if (err && asks_for_kind(l, kind))
		error("cannot list tracepoints: %s", why);
	else if (err)
		warning("tracepoints are not listed: %s", why);
	free(why);
	return err && asks_for_kind(l, kind) ? -1 : 0;
}

static int list(struct lister *l)
{
	int err = 0;

	if (l->o.json)
		buf_puts(&l->out, "[\n");
	for (enum listed_kind k = 0; k < NR_LISTED_KINDS; k++)
		if (may_want_kind(l, k))
			err |= print_kind(l, k);
	if (l->o.json)
		buf_puts(&l->out, l->nr ? "\n]\n" : "]\n");
	else if (l->o.details && may_want_kind(l, LISTED_PMU) && (!l->nr_words || asks_for_kind(l, LISTED_PMU)))
		event_list_pmus(&l->out);
	if (l->terminal.is_terminal && l->nr && !l->o.json && !l->o.details)
		buf_puts(&l->out, "\n  --details: the fields of tracepoints, and what other events are for the kernel\n");
	if (check_output(pager_show(&l->terminal, l->o.screen.no_pager || l->o.json, &l->out)))
		return 1;
	if (!l->nr && l->nr_words && !err)
		err = error("no event of this machine matches");
	return err ? 1 : 0;
}

int cmd_list(int argc, char **argv)
{
	struct lister l = {0};
	int nr_words, first = options_parse(list_options, &l.o, list_usage, true, argc, argv, &nr_words), status;

	if (first < 0)
		return first == -2 ? 0 : OPTIONS_USAGE;
	signal(SIGPIPE, SIG_IGN);
	terminal_detect(&l.terminal, STDOUT_FILENO, &l.o.screen);
	l.words = argv + first;
	l.nr_words = (size_t)nr_words;
	status = list(&l);
	buf_release(&l.out);
	return status;
}
