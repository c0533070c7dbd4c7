/* Parses the command line of a prec command with its table of options, and prints the help text from the same table. */
#include "core/ui/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/outfile.h"
#include "core/ui/pager.h"
#include "core/ui/suggest.h"
#include "core/ui/terminal.h"

#define HELP_COLUMN 30

struct parser {
	const struct option_desc *table;
	char *base;
	const char *command;
	int argc, next;
	char **argv;
};

static int set(const struct parser *p, const struct option_desc *o, const char *arg, bool unset)
{
	void *field = p->base + o->offset;

	if (o->set_offset != SIZE_MAX)
		*(bool *)(p->base + o->set_offset) = true;
	switch (o->type) {
	case OPTION_BOOL:
		*(bool *)field = !unset;
		return 0;
	case OPTION_COUNT:
		*(int *)field = unset ? 0 : *(int *)field + 1;
		return 0;
	case OPTION_STRING:
		*(const char **)field = unset ? NULL : arg;
		return 0;
	case OPTION_U64:
		if (unset)
			*(uint64_t *)field = 0;
		else if (parse_count(arg, field))
			return error("option '%s' needs a number, not '%s'", o->name ? o->name : "", arg);
		return 0;
	case OPTION_BITS:
		*(uint64_t *)field = unset ? *(uint64_t *)field & ~o->bits : *(uint64_t *)field | o->bits;
		return 0;
	case OPTION_CALL:
		return o->call(o, field, unset ? NULL : arg, unset);
	case OPTION_IGNORED:
		return 0;
	case OPTION_END:
	case OPTION_COMMON:
	case OPTION_GROUP:
	case OPTION_ABSENT:
		break;
	}
	return -1;
}

/* Applies an option. @inline_arg: the text after '=' or the letter; NULL: takes the next word if the option needs an argument. */
static int apply(struct parser *p, const struct option_desc *o, const char *inline_arg, bool unset)
{
	const char *dashes = o->name ? "--" : "-", letter[2] = { o->letter, 0 };
	const char *name = o->name ? o->name : letter;

	if (o->type == OPTION_ABSENT)
		return error("perf's option '%s%s' is not here: %s", dashes, name, o->help);
	if (o->flags & OPTION_NOTED && !unset)
		info("option '%s%s' changes nothing: %s", dashes, name, o->help);
	if (inline_arg && (!o->arg || unset))
		return error("option '%s%s%s' takes no argument", dashes, unset ? "no-" : "", name);
	if (o->flags & OPTION_LOOSE && !inline_arg && !unset && p->next < p->argc && p->argv[p->next][0] != '-')
		inline_arg = p->argv[p->next++];
	if (o->arg && !inline_arg && !unset && !(o->flags & OPTION_OPTIONAL)) {
		if (p->next >= p->argc)
			return error("option '%s%s' needs an argument: %s", dashes, name, o->arg);
		inline_arg = p->argv[p->next++];
	}
	return set(p, o, inline_arg, unset);
}

/* Returns 0 if the @n bytes at @word are not the name of @o, 1 for an abbreviation, 2 for the whole name; *unset: after "no-". */
static int long_fit(const struct option_desc *o, const char *word, size_t n, bool *unset)
{
	const char *name = o->name;

	*unset = false;
	if (!name || (o->type == OPTION_ABSENT && strlen(name) != n))
		return 0;
	if (!strncmp(name, word, n))
		return name[n] ? 1 : 2;
	*unset = true;
	if (n > 3 && !strncmp(word, "no-", 3) && !strncmp(name, word + 3, n - 3))
		return name[n - 3] ? 1 : 2;
	/* --x unsets a row "no-x" of the table. */
	if (str_starts(name, "no-") && !strncmp(name + 3, word, n))
		return name[3 + n] ? 1 : 2;
	return 0;
}

static int unknown_long(const struct parser *p, const char *word, size_t n)
{
	struct names known = {0};
	struct buf meant = {0};

	for (const struct option_desc *o = p->table; o->type != OPTION_END; o++)
		if (o->name && o->type != OPTION_ABSENT) {
			char *name = xasprintf("--%s", o->name);

			vec_push(&known.list, name);
		}
	names_suggest(&meant, word - 2, n + 2, &known);	/* with the dashes before it */
	error("unknown option '--%.*s'%s (see 'prec %s -h')", (int)n, word, buf_str(&meant), p->command);
	names_release(&known);
	buf_release(&meant);
	return -1;
}

static int parse_long(struct parser *p, const char *word)
{
	size_t n = strcspn(word, "=");
	const struct option_desc *found = NULL, *other = NULL;
	bool unset = false;
	int best = 0;

	for (const struct option_desc *o = p->table; o->type != OPTION_END; o++) {
		bool o_unset;
		int fit = long_fit(o, word, n, &o_unset);

		if (fit > best || (fit == 2 && unset && !o_unset)) {
			best = fit;
			found = o;
			other = NULL;
			unset = o_unset;
		} else if (fit && fit == best && fit == 1) {
			other = o;
		}
	}
	if (!found)
		return unknown_long(p, word, n);
	if (other)
		return error("option '--%.*s' could be --%s or --%s", (int)n, word, found->name, other->name);
	return apply(p, found, word[n] ? word + n + 1 : NULL, unset);
}

static const struct option_desc *find_letter(const struct option_desc *table, char letter)
{
	for (const struct option_desc *o = table; o->type != OPTION_END; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

static int parse_letters(struct parser *p, const char *word)
{
	while (*word) {
		char letter = *word++;
		const struct option_desc *o = find_letter(p->table, letter);
		int err;

		if (!o)
			return error("unknown option '-%c' (see 'prec %s -h')", letter, p->command);
		if (o->arg && *word)	/* "=" is skipped if the argument is optional: cargo-flamegraph passes -z=3 */
			return apply(p, o, word + (o->flags & OPTION_OPTIONAL && *word == '='), false);
		err = apply(p, o, NULL, false);
		if (err)
			return err;
	}
	return 0;
}

static void put_option(const struct option_desc *o, size_t width, struct buf *out)
{
	size_t begin = out->len, n;

	if (o->type == OPTION_GROUP) {
		buf_printf(out, "\n%s\n", o->help);
		return;
	}
	buf_printf(out, o->letter ? "    -%c" : "    ", o->letter);
	if (o->name)
		buf_printf(out, "%s--%s", o->letter ? ", " : "", o->name);
	if (o->arg)
		buf_printf(out, o->flags & OPTION_OPTIONAL ? (o->name ? "[=<%s>]" : "[<%s>]") : " <%s>", o->arg);
	n = out->len - begin;
	if (n >= HELP_COLUMN) {
		buf_putc(out, '\n');
		n = 0;
	}
	buf_printf(out, "%*s", (int)(HELP_COLUMN - n), "");
	put_wrapped(out, o->help, HELP_COLUMN, HELP_COLUMN, width);
	buf_putc(out, '\n');
}

int help_show(struct buf *out, const struct terminal *t)
{
	fflush(stdout);
	return check_output(pager_show(t, false, out));
}

size_t help_width(struct terminal *t)
{
	terminal_detect(t, STDOUT_FILENO, &(struct terminal_opts){0});
	return t->is_terminal ? MAX(t->width, HELP_COLUMN + 20) : SIZE_MAX;
}

/* True if the option is in the list of OPT_COMMON, by its letter or its name. */
static bool is_common(const struct option_desc *o, const char *list)
{
	for (const char *at = list; *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ",");

		if ((n == 1 && *at == o->letter) || (o->name && strlen(o->name) == n && !memcmp(at, o->name, n)))
			return true;
		at += n;
	}
	return false;
}

static int help(const struct option_desc *table, const char *command, const char *usage, bool all)
{
	const char *common = table->type == OPTION_COMMON ? table->help : NULL;
	struct terminal terminal;
	struct buf out = {0};
	size_t width = help_width(&terminal), left = 0;
	int err;

	table += common != NULL;
	common = all ? NULL : common;
	buf_printf(&out, table->type == OPTION_GROUP && !common ? "usage: %s\n" : "usage: %s\n\n", usage);
	for (const struct option_desc *o = table; o->type != OPTION_END; o++) {
		if (o->flags & OPTION_HIDDEN || (common && o->type == OPTION_GROUP))
			continue;
		if (!common || is_common(o, common))
			put_option(o, width, &out);
		else
			left++;
	}
	if (common)
		buf_printf(&out, "\n%zu more: prec %s -h all; 'man prec-%s' explains them.\n", left, command, command);
	err = help_show(&out, &terminal);
	buf_release(&out);
	return err ? -1 : -2;
}

/* Prints the names of all options, one a line. @described: with a colon and the description, and without hidden options. */
static int list_names(const struct option_desc *table, bool described)
{
	for (const struct option_desc *o = table; o->type != OPTION_END; o++) {
		if (o->type == OPTION_ABSENT || (!o->name && !o->letter) || (described && o->flags & OPTION_HIDDEN))
			continue;
		if (o->name)
			printf("--%s", o->name);
		else
			printf("-%c", o->letter);
		printf(described ? ":%s\n" : "\n", o->help);
	}
	return -2;
}

int options_parse(const struct option_desc *table, void *base, const char *usage, bool anywhere,
		  int argc, char **argv, int *nr_words)
{
	struct parser p = { .table = table, .base = base, .command = argv[0], .argc = argc, .argv = argv, .next = 1 };
	int words = 0, err;

	while (p.next < argc) {
		char *word = argv[p.next];

		if (word[0] != '-' || !word[1]) {
			if (!anywhere)
				break;
			/* Moves the word to the front, after the words found before. */
			memmove(argv + 2 + words, argv + 1 + words, (size_t)(p.next - 1 - words) * sizeof(*argv));
			argv[1 + words++] = word;
			p.next++;
			continue;
		}
		p.next++;
		if (str_eq(word, "--"))
			break;
		if (str_eq(word, "--help") || (str_eq(word, "-h") && !find_letter(table, 'h')))
			return help(table, argv[0], usage, p.next < argc && str_eq(argv[p.next], "all"));
		if (str_eq(word, "--list-opts"))
			return list_names(table, false);
		if (str_eq(word, "--list-opts=described"))
			return list_names(table, true);
		err = word[1] == '-' ? parse_long(&p, word + 2) : parse_letters(&p, word + 1);
		if (err)
			return err;
	}
	if (!words) {
		*nr_words = argc - p.next;
		return p.next;
	}
	/* Words after "--" join those found before. */
	memmove(argv + 1 + words, argv + p.next, (size_t)(argc - p.next) * sizeof(*argv));
	*nr_words = words + argc - p.next;
	return 1;
}

static int parse_scaled(const char *s, uint64_t step, uint64_t *out)
{
	static const char suffixes[] = "KMGT";
	const char *found;
	uint64_t v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno)
		return -EINVAL;
	if (*end && (found = strchr(suffixes, toupper((unsigned char)*end)))) {
		for (const char *c = suffixes; c <= found; c++)
			if (__builtin_mul_overflow(v, step, &v))
				return -EINVAL;
		end++;
	}
	if (step == 1024 && *end == 'B')
		end++;
	*out = v;
	return *end ? -EINVAL : 0;
}

int parse_count(const char *s, uint64_t *out)
{
	return parse_scaled(s, 1000, out);
}

int parse_size(const char *s, uint64_t *out)
{
	return parse_scaled(s, 1024, out);
}
