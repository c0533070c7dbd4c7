/*
 * Reads the configuration files of prec and perf, which config.h describes. main.c inserts the settings of the files as options
 * into the command line of the command that it runs.
 */
#include "cmd/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"

#define MAX_CONFIG (1u << 20)	/* maximum bytes of a configuration file */

/* perf's settings that have the same meaning in prec, with the command and option that each belongs to. */
static const struct perf_setting { const char *key, *command, *option; bool negated; } of_perf[] = {
	{ "report.percent-limit", "report", "percent-limit" },
	{ "report.sort_order", "report", "sort" },
	{ "report.children", "report", "children" },
	{ "report.group", "report", "group" },
	{ "call-graph.print-type", "report", "graph-style" },
	{ "call-graph.order", "report", "graph-style" },
	{ "call-graph.sort-key", "report", "graph-style" },
	{ "call-graph.threshold", "report", "graph-style" },
	{ "annotate.hide_src_code", "annotate", "source", true },
	{ "annotate.show_nr_samples", "annotate", "show-nr-samples" },
	{ "annotate.show_total_period", "annotate", "show-total-period" },
	{ "annotate.disassembler_style", "annotate", "disassembler-style" },
};

struct reader {
	struct config *out;
	const char *path;
	bool perf;
	unsigned line;
	char section[64];
};

static bool is_true(const char *value)
{
	return str_eq(value, "true") || str_eq(value, "yes") || str_eq(value, "on") || !*value;
}

static bool is_false(const char *value)
{
	return str_eq(value, "false") || str_eq(value, "no") || str_eq(value, "off");
}

static void add(struct reader *r, const char *command, char *word)
{
	struct setting s = { command ? xstrdup(command) : NULL, word, xasprintf("%s:%u", r->path, r->line) };

	vec_push(&r->out->list, s);
}

static char *word_of(const char *option, const char *value, bool negated)
{
	if (is_true(value) || is_false(value))
		return xasprintf("--%s%s", is_true(value) == negated ? "no-" : "", option);
	return xasprintf("--%s=%s", option, value);
}

static void add_of_perf(struct reader *r, const char *key, const char *value)
{
	char *name = xasprintf("%s.%s", r->section, key);

	for (size_t i = 0; i < ARRAY_SIZE(of_perf); i++)
		if (str_eq(of_perf[i].key, name)) {
			add(r, of_perf[i].command, word_of(of_perf[i].option, value, of_perf[i].negated));
			free(name);
			return;
		}
	add(r, NULL, name);
}

/* Changes the text, and returns its new begin. */
static char *trimmed(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	for (n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--)
		;
	s[n] = '\0';
	return s;
}

/* Returns the value after '=', without its quotes, or without the comment that '#' or ';' begins. */
static char *value_of(char *s)
{
	char *end;

	s = trimmed(s);
	end = *s == '"' ? strchr(s + 1, '"') : NULL;
	if (end) {
		*end = '\0';
		return s + 1;
	}
	s[strcspn(s, "#;")] = '\0';
	return trimmed(s);
}

static void read_line(struct reader *r, char *line)
{
	char *equals, *end, empty[] = "";

	line = trimmed(line);
	if (!*line || *line == '#' || *line == ';')
		return;
	if (*line == '[') {
		end = strchr(line, ']');
		snprintf(r->section, sizeof(r->section), "%.*s", end ? (int)(end - line - 1) : 0, line + 1);
		return;
	}
	equals = strchr(line, '=');
	if (!*r->section || !isalpha((unsigned char)*line)) {
		warning("'%s', line %u: a setting is a name, '=' and a value, in a section as [report]", r->path, r->line);
		return;
	}
	if (equals)
		*equals = '\0';
	line = trimmed(line);
	if (r->perf)
		add_of_perf(r, line, equals ? value_of(equals + 1) : empty);
	else
		add(r, r->section, word_of(line, equals ? value_of(equals + 1) : empty, false));
}

static void read_one(struct config *c, const char *path, bool perf)
{
	struct reader r = { .out = c, .path = path, .perf = perf };
	struct buf text = {0};
	char *line, *rest;
	int err = read_trusted(path, &text, MAX_CONFIG, geteuid());

	/* HOME may be the directory of another user. If this user may not enter it, there are no settings. */
	if (err == -EACCES && access(path, F_OK))
		err = -ENOENT;
	if (err == -EPERM)
		warning("the settings in '%s' are not read: the file belongs to another user", path);
	else if (err && err != -ENOENT && err != -EINVAL && err != -ENOTDIR)
		warning("cannot read the settings in '%s': %s", path, strerror(-err));
	if (!err) {
		buf_putc(&text, '\0');
		for (line = text.data; line; line = rest) {
			rest = strchr(line, '\n');
			if (rest)
				*rest++ = '\0';
			r.line++;
			read_line(&r, line);
		}
	}
	buf_release(&text);
}

/* Returns the path in @variable, or else @dir_name below @dir_variable, or @name below HOME; NULL if all are unset. Owned. */
static char *path_of(const char *variable, const char *dir_variable, const char *dir_name, const char *name)
{
	const char *path = getenv(variable), *dir = dir_variable ? getenv(dir_variable) : NULL, *home = getenv("HOME");

	if (path)
		return xstrdup(path);
	if (dir && *dir)
		return xasprintf("%s/%s", dir, dir_name);
	return home && *home ? xasprintf("%s/%s", home, name) : NULL;
}

void config_read(struct config *c)
{
	char *perf = path_of("PERF_CONFIG", NULL, NULL, ".perfconfig");
	char *own = path_of("PREC_CONFIG", "XDG_CONFIG_HOME", "prec/config", ".config/prec/config");

	if (perf)
		read_one(c, perf, true);
	if (own)
		read_one(c, own, false);
	free(perf);
	free(own);
}

void config_release(struct config *c)
{
	vec_for(s, &c->list) {
		free(s->command);
		free(s->word);
		free(s->from);
	}
	vec_free(&c->list);
}

char **config_words(const struct config *c, int argc, char **argv, int *nr)
{
	char **words = xcalloc((size_t)argc + c->list.nr + 1, sizeof(*words));
	int at = 0;

	words[at++] = argv[0];
	vec_for(s, &c->list)
		if (s->command && str_eq(s->command, argv[0]))
			words[at++] = s->word;
	for (int i = 1; i < argc; i++)
		words[at++] = argv[i];
	*nr = at;
	return words;
}

void config_print(const struct config *c)
{
	for (int used = 1; used >= 0; used--)
		vec_for(s, &c->list)
			if (!!s->command == used)
				printf("%-10s %-36s %s\n", used ? s->command : "not used", s->word, s->from);
	if (!c->list.nr)
		puts("no settings: neither ~/.config/prec/config nor ~/.perfconfig has any");
}
