/*
 * Translates address filters of hardware trace events (--filter) from the user's syntax to the kernel's. It parses each filter,
 * looks up symbols with functions.c, and writes the filter with numbers instead of symbols.
 */
#include "core/record/events/addr_filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/ui/suggest.h"
#include "core/record/events/functions.h"

#define GLOBAL	0		/* filter_point.nr of "#g": the global function of the name */
#define ANY	UINT_MAX	/* filter_point.nr without "#": only one function may have the name */

struct filter_point {
	bool given;
	uint64_t number;	/* if .name is NULL */
	char *name;		/* owned */
	unsigned nr;		/* which of the functions of that name: from 1, or GLOBAL or ANY */
};

static const struct action {
	const char *word, *kernel;
	bool range;		/* needs a size */
} actions[] = {
	{ "filter", "filter", true }, { "start", "start", false }, { "stop", "stop", false }, { "tracestop", "stop", true },
};

struct range_filter {
	const struct action *action;
	struct filter_point from, size;
	bool all;		/* "*" */
	char *file;		/* owned; NULL: the kernel */
};

struct range_parser {
	const char *text, *at;
};

/* ---- words ---- */

static int wrong(const struct range_parser *p, const char *what)
{
	return error("address filter '%s': %s at '%s'; it is filter|start|stop|tracestop PLACE[/SIZE][@FILE], names between "
		     "blanks", p->text, what, p->at);
}

static void skip(struct range_parser *p, const char *chars)
{
	p->at += strspn(p->at, chars);
}

static char *parse_until(struct range_parser *p, const char *ends)
{
	size_t n = strcspn(p->at, ends);
	char *word = xstrndup(p->at, n);

	p->at += n;
	return word;
}

static int parse_action(struct range_parser *p, struct range_filter *f)
{
	size_t n = strcspn(p->at, " ");

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (strlen(actions[i].word) == n && !strncmp(p->at, actions[i].word, n))
			f->action = &actions[i];
	if (!f->action)
		return wrong(p, "no action");
	p->at += n;
	skip(p, " ");
	return 0;
}

/* Parses "#2" or "#g" after a name, which may be absent. */
static int parse_number_of(struct range_parser *p, struct filter_point *out)
{
	char *end;
	unsigned long nr;

	out->nr = ANY;
	skip(p, " ");
	if (*p->at != '#')
		return 0;
	if (p->at[1] == 'g' || p->at[1] == 'G') {
		out->nr = GLOBAL;
		p->at += 2;
		return 0;
	}
	nr = strtoul(p->at + 1, &end, 10);
	if (end == p->at + 1 || nr >= ANY)
		return wrong(p, "no number of a symbol");
	out->nr = (unsigned)nr;
	p->at = end;
	return 0;
}

static int parse_point(struct range_parser *p, struct filter_point *out)
{
	char *end;

	out->given = true;
	if (isdigit((unsigned char)*p->at)) {
		errno = 0;
		out->number = strtoull(p->at, &end, 0);
		if (errno || !strchr(" ,/@", *end))
			return wrong(p, "no number");
		p->at = end;
		return 0;
	}
	if (!*p->at || strchr(",@/", *p->at))
		return wrong(p, "no place");
	out->name = parse_until(p, " ");
	return parse_number_of(p, out);
}

static int parse_filter(struct range_parser *p, struct range_filter *f)
{
	if (parse_action(p, f) || parse_point(p, &f->from))
		return -1;
	f->all = f->from.name && str_eq(f->from.name, "*");
	skip(p, " ");
	if (*p->at == '/') {
		p->at++;
		skip(p, " ");
		if (parse_point(p, &f->size))
			return -1;
		skip(p, " ");
	}
	if (*p->at == '@') {
		p->at++;
		skip(p, " ");
		f->file = parse_until(p, " ,");
		if (!*f->file)
			return wrong(p, "no file");
	}
	skip(p, " ,");
	return 0;
}

/* ---- symbols ---- */

static const char *owner(const struct range_filter *f)
{
	return f->file ? f->file : "the kernel";
}

static int unknown(const struct functions *all, const struct filter_point *p, const char *of)
{
	struct names known = {0};
	struct buf what = {0};

	vec_for(f, &all->list)
		names_add(&known, function_name(all, f));
	names_sort(&known);
	if (known.list.nr)
		names_suggest(&what, p->name, strlen(p->name), &known);
	else
		buf_puts(&what, ", which has no symbols");
	error("no function '%s' in %s%s", p->name, of, buf_str(&what));
	names_release(&known);
	buf_release(&what);
	return -1;
}

/* Prints @what, which says what is wrong, and all functions with the name of @p. */
static int list_all(const struct functions *all, const struct filter_point *p, const char *of, const char *what)
{
	const char *near = NULL;	/* the last global function before */
	struct buf list = {0};
	unsigned nr = 0;

	vec_for(f, &all->list) {
		if (f->global)
			near = function_name(all, f);
		if (!str_eq(function_name(all, f), p->name))
			continue;
		nr++;
		buf_printf(&list, "%s#%u at %#" PRIx64, nr > 1 ? ", " : "", nr, f->at);
		if (f->global)
			buf_puts(&list, " (global, #g)");
		else if (near)
			buf_printf(&list, " (after %s)", near);
	}
	error("%s '%s' in %s: %s; say which, such as '%s #1'", what, p->name, of, buf_str(&list), p->name);
	buf_release(&list);
	return -1;
}

/* Finds the function that @p names. Returns 0, or -1 after printing an error. */
static int find(const struct functions *all, const struct filter_point *p, const char *of, const struct function **out)
{
	unsigned nr = 0;

	*out = NULL;
	vec_for(f, &all->list) {
		if (!str_eq(function_name(all, f), p->name))
			continue;
		nr++;
		if (p->nr == ANY || p->nr == nr || (p->nr == GLOBAL && f->global && !*out))
			*out = f;
	}
	if (!nr)
		return unknown(all, p, of);
	if (p->nr == ANY && nr > 1)
		return list_all(all, p, of, "there are several functions");
	return *out ? 0 : list_all(all, p, of, "there is no such one of the functions");
}

/* Finds the address of @p. If @p is a name, *end is the end of the function, else 0. */
static int locate(const struct functions *all, const struct filter_point *p, const char *of, uint64_t *at, uint64_t *end)
{
	const struct function *f;

	*at = p->number;
	*end = 0;
	if (!p->name)
		return 0;
	if (find(all, p, of, &f))
		return -1;
	*at = f->at;
	*end = f->end;
	return 0;
}

static int locate_all(const struct functions *all, const char *of, uint64_t *at, uint64_t *end)
{
	if (!all->list.nr)
		return error("%s has no functions that a filter '*' could be for", of);
	*at = all->list.v[0].at;
	*end = 0;
	vec_for(f, &all->list)
		*end = MAX(*end, f->end);
	return 0;
}

static int locate_size(const struct range_filter *f, const struct functions *all, uint64_t at, uint64_t *end)
{
	uint64_t from;

	if (!f->size.given)
		return 0;
	if (!f->size.name) {
		*end = at + f->size.number;
		return f->size.number ? 0 : error("an address filter of no bytes");
	}
	if (locate(all, &f->size, owner(f), &from, end))
		return -1;
	return *end > at ? 0 : error("an address filter that ends ('%s') before it begins", f->size.name);
}

static int load(struct functions *all, const struct range_filter *f)
{
	int err;

	if (!f->from.name && !f->size.name)
		return 0;
	err = f->file ? functions_of_file(all, f->file) : functions_of_kernel(all);
	if (err == -ENOEXEC)
		return error("cannot look up symbols in '%s': it is not an ELF file", f->file);
	if (err == -EPERM && !f->file)
		return error("cannot look up symbols of the kernel: their addresses are hidden (kernel.kptr_restrict)");
	return err ? error("cannot look up symbols in %s: %s", owner(f), strerror(-err)) : 0;
}

/* ---- the kernel's words ---- */

static int put_filter(struct buf *out, const struct range_filter *f, const struct functions *all)
{
	char path[PATH_MAX];
	uint64_t at = 0, end = 0;
	bool range = f->action->range || f->size.given || f->all;

	if (f->file && !realpath(f->file, path))
		return error("address filter: '%s': %s", f->file, strerror(errno));
	if (f->all ? locate_all(all, owner(f), &at, &end) : locate(all, &f->from, owner(f), &at, &end))
		return -1;
	if (locate_size(f, all, at, &end))
		return -1;
	if (range && !end)
		return error("address filter: '%s %#" PRIx64 "' needs a size: %#" PRIx64 "/SIZE", f->action->word, at, at);
	buf_printf(out, "%s%s 0x%" PRIx64, out->len ? "," : "", f->action->kernel, at);
	if (range)
		buf_printf(out, "/0x%" PRIx64, end - at);
	if (f->file)
		buf_printf(out, "@%s", path);
	return 0;
}

static int resolve(struct buf *out, const struct range_filter *f)
{
	struct functions all = {0};
	int err = load(&all, f) || put_filter(out, f, &all) ? -1 : 0;

	functions_release(&all);
	return err;
}

int addr_filter_resolve(char **out, const char *text, const char *event, unsigned max)
{
	struct range_parser p = { .text = text, .at = text };
	struct buf kernel = {0};
	unsigned nr = 0;
	int err = 0;

	for (skip(&p, " ,"); *p.at && !err; nr++) {
		struct range_filter f = {0};

		err = parse_filter(&p, &f) || resolve(&kernel, &f);
		free(f.from.name);
		free(f.size.name);
		free(f.file);
	}
	if (!err && !nr)
		err = wrong(&p, "no filter");
	if (!err && nr > max)
		err = error("event '%s' takes %u address filters, not %u", event, max, nr);
	if (!err)
		*out = xstrdup(buf_str(&kernel));
	buf_release(&kernel);
	return err ? -1 : 0;
}
