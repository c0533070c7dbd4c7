/*
 * Finds a column of a report by its name in the options -s and -F. It lists the tables in which the files *_key.c define their
 * columns.
 */
#include "core/hists/key_table.h"

#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/hists/key.h"

/* If an abbreviation fits several names, the first of these tables and rows wins. */
static const struct key_table *const tables[] = { &sum_keys, &task_keys, &code_keys, &word_keys, &mem_keys, &wait_keys };

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !strncasecmp(name, text, len);
}

static bool fits(const struct key *k, const char *name, size_t len, bool field, bool beginning)
{
	if (k->flags & KEY_FIELD && !field)
		return false;
	/* With -F, mem means the sums below a heading, as in perf. With -s, it is a sort key. */
	if (k->heading && field && len >= 3 && !strncasecmp(k->alias, name, len))
		return true;
	if (beginning)
		return !key_is_sum(k) && !strncasecmp(k->name, name, len);
	return is_name(k->name, name, len) || is_name(k->alias, name, len);
}

static const struct key *find(const char *name, size_t len, bool field, bool beginning)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct key *k = tables[t]->rows; k < tables[t]->rows + tables[t]->nr; k++)
			if (fits(k, name, len, field, beginning))
				return k;
	return NULL;
}

const struct key *key_find_whole(const char *name, size_t len, bool field)
{
	return find(name, len, field, false);
}

const struct key *key_find(const char *name, size_t len, bool field)
{
	const struct key *k = key_find_whole(name, len, field);

	return k || len < 3 ? k : find(name, len, field, true);
}

/* Appends *before, which becomes a space, and the name of @k. Columns below one heading are listed by their common name. */
static void put_names(const struct key *k, const struct key_table *t, const char **before, struct buf *out)
{
	if (k->flags & KEY_FIELD || (k->heading && k > t->rows && k[-1].heading == k->heading))
		return;
	buf_puts(out, *before);
	buf_puts(out, k->heading ? k->alias : k->name);
	if (k->alias && !k->heading)
		buf_printf(out, " %s", k->alias);
	*before = " ";
}

void key_names(struct buf *out)
{
	const char *before = "";

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct key *k = tables[t]->rows; k < tables[t]->rows + tables[t]->nr; k++)
			put_names(k, tables[t], &before, out);
}

void keys_put_help(struct buf *out)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		struct buf names = {0};
		const char *before = "";

		for (const struct key *k = tables[t]->rows; k < tables[t]->rows + tables[t]->nr; k++)
			put_names(k, tables[t], &before, &names);
		buf_printf(out, "%s\n    ", tables[t]->about);
		put_wrapped(out, buf_str(&names), 4, 4, 80);
		buf_putc(out, '\n');
		buf_release(&names);
	}
	buf_puts(out, "fields of a tracepoint\n    their names, as in its format file; trace, trace_fields: all\n");
}
